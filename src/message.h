/* Messages for people, on stderr, and the statuses that go with them. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stddef.h>

/* What a program of this project ends with. A function that returns one has already printed its
 * message when it is not STATUS_OK. */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,   /* a backend compilation failed */
    STATUS_USAGE = 2,    /* wrong usage or description */
    STATUS_SYSTEM = 3,   /* something else kept it from running */
    STATUS_SIGNAL = 128, /* ended by a signal; its number is added */
};

/* The name every message starts with; each program defines its own. */
extern const char program_name[];

/* Prints one line, "NAME: TEXT", on stderr. Control characters and what is not UTF-8, which file
 * names may bring along, appear as escapes, so that a message is always one readable line. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void message(const char *format, ...);

/* The same, followed by ": " and the text of the error number ERROR (an errno value). */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void message_error(int error, const char *format, ...);

/* Writes DATA to stderr as it is, waiting where that is not ready; once a signal was caught, not
 * for long: a reader that is stalled must not keep a link from being ended. */
void message_write(const char *data, size_t length);

#endif

/* What a program that ran a backend compilation leaves of it for dtlto-ninja: a line in the file
 * "where" of the private folder, from dtlto-clang and from dtlto-warm. */
#ifndef NOTE_H
#define NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

#define NOTE_FILE "where"

struct note {
    /* Where it ran: "remote", on another machine; "cached", nowhere; "compiled", here for a cache
     * that did not have it; "local", here, as it could not be sent; "back", here, as it was sent in
     * vain; "here" and "warm", here, as was asked for. */
    const char *kind;
    long job;           /* its index; -1: not known */
    int64_t start, end; /* in microseconds since 1970 */
    long peak;          /* the most memory that the compiler held, in KiB; 0: not known */
    int status;         /* what it ended with; 0: well */
    const char *host;   /* the other machine, as its carrier calls it; "-": not known */
    const char *text;   /* of "local" and "back" the reason, of "here" and "warm" the output */
};

/* The line, for printf: kind, job, start, end, peak, status, host and text, the text last as it may
 * hold blanks. */
#define NOTE_FORMAT "%s %ld %lld %lld %ld %d %s %s"

/* Appends the line of NOTE, with its newline; a control character in it becomes a '?'. */
void note_write(struct text *out, const struct note *note);

/* Takes a line without its newline apart: the strings of NOTE point into it. Returns false where it
 * is none. */
bool note_read(char *line, struct note *note);

#endif

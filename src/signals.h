/* The signals that end a link: caught, so that what was started can be ended first. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

#include "message.h"

/* Catches INT, TERM, HUP, QUIT and ALRM from now on, those that were not ignored when the program
 * started, and ignores PIPE; none of them stays blocked. Notes which process is the parent.
 * Returns false, errno set, where there is no descriptor for signals_fd. */
bool signals_catch(void);

/* The same in a forked child that waits for children of its own: it forgets what its parent caught,
 * has a descriptor of its own, which tells when a child has ended too, and has no parent that
 * matters. */
bool signals_catch_children(void);

/* The first of the five that was caught, 0 if none was; and how many were. The death of the parent
 * counts as a SIGTERM, and is noticed here: a distributor must not outlive its linker, and gets no
 * signal when only that one does. */
int signals_caught(void);
int signals_count(void);
bool signals_parent_died(void);

/* STATUS_SIGNAL and the number of the signal that was caught. */
enum status signals_status(void);

/* A descriptor that can be read once a signal came; signals_drain empties it. */
int signals_fd(void);
void signals_drain(void);

/* In a child between fork and exec: as if nothing had ever been caught, with the signals blocked
 * that were when the program started. */
void signals_release(void);

#endif

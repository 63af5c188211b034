/* The signals that end a link: caught, so that what was started can be ended first. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

/* Catches INT, TERM, HUP and QUIT from now on, those that were not ignored when the program
 * started, and ignores PIPE. Called again, in a forked child, it forgets what its parent caught and
 * has a descriptor of its own; with CHILDREN it also wakes that one when a child ends, and else
 * when the terminal's size changes. Returns false, errno set, where there is no descriptor. */
bool signals_catch(bool children);

/* The first of the four that was caught, 0 if none was; and how many were. */
int signals_caught(void);
int signals_count(void);

/* A descriptor that can be read once a signal came; signals_drain empties it. */
int signals_fd(void);
void signals_drain(void);

/* In a child between fork and exec: as if nothing had ever been caught. */
void signals_release(void);

#endif

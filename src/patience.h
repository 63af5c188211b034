/* How long a farm may take for a compilation. A farm that is down says so, but one that hangs does
 * not: icecream's client waits 4 minutes for a scheduler and 12 for a worker (client/remote.cpp),
 * distcc's 5 for a host (DISTCC_IO_TIMEOUT), with each compilation anew. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Names the file that says, by being there, that the farm is lost for this link. By hand it is not
 * set, and nothing is known. */
#define PATIENCE_VARIABLE "DTLTO_CLANG_LOST"

/* How many seconds a farm may take: as many as there, by default, unless the variable says so. */
#define PATIENCE_SECONDS "DTLTO_CLANG_WAIT"
enum { PATIENCE_DEFAULT = 3600 };

/* One compilation that is waited for. */
struct patience {
    const char *base;
    uint64_t seconds;
    int64_t start, since; /* by clock_ticks, and by clock_now */
    bool is_over;         /* the farm was given up */
    bool runs_here;       /* the farm has given it back, and it runs on this machine */
};

/* Begins to wait, SECONDS at the most, or for ever where that is 0. BASE, which the names of the
 * compilation's own files begin with, is the caller's, and stays. */
void patience_start(struct patience *patience, const char *base, uint64_t seconds);

/* Whether to wait on: for process_watch. What runs on this machine is always waited for. */
bool patience_lasts(void *patience);

/* For a compilation that the farm has not answered: where that took long, and the farm has done
 * none since it began, the farm is lost, which is said once. A link that ends loses nothing. */
void patience_judge(const struct patience *patience);

/* Whether it is. */
bool patience_is_lost(void);

#endif

/* How long a farm may take for a compilation. A farm that is down says so, but one that hangs does
 * not: icecream's client waits 4 minutes for a scheduler and 12 for a worker (client/remote.cpp),
 * with each compilation anew. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct patience {
    const char *base;
    uint64_t start, seconds;
    bool is_over;   /* the farm was given up */
    bool runs_here; /* the farm has given it back, and it runs on this machine */
};

/* Begins to wait, SECONDS at the most, or for ever where that is 0. BASE, which the names of the
 * compilation's own files begin with, is the caller's, and stays. */
void patience_start(struct patience *patience, const char *base, uint64_t seconds);

/* Whether to wait on: for process_watch. What runs on this machine is always waited for. Where the
 * time is over, or a quarter of it when the compilation came back, the farm is lost for this link.
 */
bool patience_lasts(void *patience);

/* Whether it was lost by an earlier compilation of the same link. */
bool patience_is_lost(const char *base);

/* What dtlto-ninja makes in its private folder, for what is known of the farm; without it nothing
 * is. */
#define PATIENCE_FILE "lost"

#endif

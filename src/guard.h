/* Runs ninja so that nothing is left of it, however this program ends.
 *
 * Between dtlto-ninja and ninja stands a second process, the guard, forked from dtlto-ninja. It
 * passes signals on to ninja, ends ninja's jobs where ninja did not, and outlives dtlto-ninja when
 * that is killed: it then ends everything and cleans up in its place. Where the system has them
 * (Linux) parent-death signals and child subreapers make sure of what a pipe cannot: ninja killed
 * alone leaves its jobs running (ninja's jobs have process groups of their own), samurai leaves
 * them on any signal, and SIGQUIT is one that ninja does not catch. */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

/* How a run ended. */
struct ending {
    bool known;      /* ninja's wait status is known (the guard itself was not killed) */
    int wait_status; /* of ninja, as waitpid has it */
    int signal;      /* that ended it, as signals_caught has it; 0 */
    int64_t started; /* when ninja was, in microseconds since 1970; 0 unless KNOWN */
    int64_t ended;
    int64_t processor_time; /* that the guard, ninja and its jobs took, in microseconds */
};

struct guard_calls {
    /* Takes what ninja and its jobs print. */
    void (*output)(void *context, const char *data, size_t length);
    /* Called in the guard, around ninja: what START starts is a child of the guard's, and END ends
     * it. It may well have ended before, and the guard has waited for it then. */
    void (*start)(void *context);
    void (*end)(void *context);
    /* Cleans up after a dtlto-ninja that is no more; called in the guard. */
    void (*abandon)(void *context);
    void *context;
};

/* Runs ARGV (ending in a null pointer) with no standard input and both outputs to a pipe, or a
 * pseudo-terminal where stderr is a terminal, so that ninja shows its progress as it does there.
 * Signals must be caught already (signals_catch). Returns after ninja and, where it was
 * interrupted, all of its jobs have ended. */
enum status guard_run(const char *const *argv, const struct guard_calls *calls,
                      struct ending *ending);

#endif

/* How many backend compilations run at a time. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stddef.h>

#include "jobserver.h"
#include "ninja.h"
#include "options.h"

/* Chooses for a link of JOBS backend compilations: what -j says; else, below a make with a
 * jobserver, what that allows; else the processors that may be used, and never more than jobs.
 * Writes the number into TEXT, of SIZE bytes, and returns it, or returns a null pointer where ninja
 * is a client of the jobserver itself and must get no -j. Other ninjas are not, so JOBSERVER's
 * tokens are taken for them, as many as there are; they must be put back when ninja has ended. Says
 * on stderr what it chose where the options ask for that. */
const char *parallel_choose(const struct options *options, const struct ninja *ninja,
                            struct jobserver *jobserver, size_t jobs, char *text, size_t size);

#endif

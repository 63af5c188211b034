/* How many backend compilations run at a time. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stddef.h>

#include "files.h"
#include "jobserver.h"
#include "ninja.h"
#include "options.h"

/* How many of the jobs of FILES may run at once in MEMORY bytes, whichever they are: at least 1.
 * What a backend compilation needs is estimated from the bitcode it reads. MEMORY below 0: all. */
size_t parallel_fit(const struct files *files, double memory);

/* How many run on this machine at once where a farm does not take them: as many as there are
 * processors that may be used, and as fit into the memory that is available, or that OPTIONS give.
 */
size_t parallel_at_home(const struct options *options, const struct files *files);

/* What -j says, or the number of processors that may be used: what parallel_choose begins with. */
size_t parallel_slots(const struct options *options);

/* Chooses for a link: what -j says; else, below a make with a jobserver, what that allows; else the
 * processors that may be used, and never more than there are jobs. Without -j, or with --memory, no
 * more than fit into memory. Writes the number into TEXT, of SIZE bytes, and returns it, or returns
 * a null pointer where ninja is a client of the jobserver itself and must get no -j. Other ninjas
 * are not, so JOBSERVER's tokens are taken for them, as many as there are; they must be put back
 * when ninja has ended. Says on stderr what it chose where the options ask for that, and where
 * memory was short. */
const char *parallel_choose(const struct options *options, const struct ninja *ninja,
                            const struct files *files, struct jobserver *jobserver, char *text,
                            size_t size);

#endif

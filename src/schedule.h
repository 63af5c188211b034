/* How well jobs were scheduled. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stddef.h>

/* Two lengths, in the unit of the times, that the shortest schedule there is lies between:
 * - bound: no schedule of these jobs is shorter. The larger of the sum of their times over the
 *   slots, and the longest of them.
 * - lpt: what longest-processing-time list scheduling makes of them: with all times known in
 *   advance, the longest job that is left goes to the slot that is free first. It is within a third
 *   of the shortest (R. L. Graham, 1969), and never under the bound. */
struct schedule {
    double bound, lpt;
};

/* That of COUNT jobs that take these TIMES in SLOTS, at least 1, which all can take any of them.
 * Changes the order of TIMES. */
struct schedule schedule_best(double *times, size_t count, size_t slots);

#endif

/* The time of day, and how long things take. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Now, in microseconds since 1970: what ld.lld's and clang's time traces begin with too. */
int64_t clock_now(void);

/* The microseconds of a clock that nobody sets, for how long something takes. */
int64_t clock_ticks(void);

#endif

/* The time of day. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Now, in microseconds since 1970: what ld.lld's and clang's time traces begin with too. */
int64_t clock_now(void);

#endif

#include "clock.h"

#include <time.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t clock_now(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_ticks(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

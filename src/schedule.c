#include "schedule.h"

#include <stdlib.h>

#include "memory.h"

static int longest_first(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return *left > *right ? -1 : *left < *right;
}

/* The slots are a heap, the one that is free first in front. TIME is added to that. */
static void take_first(double *busy, size_t slots, double time)
{
    double end = busy[0] + time;
    size_t at = 0, child;

    while ((child = 2 * at + 1) < slots) {
        if (child + 1 < slots && busy[child + 1] < busy[child])
            child++;
        if (busy[child] >= end)
            break;
        busy[at] = busy[child];
        at = child;
    }
    busy[at] = end;
}

struct schedule schedule_best(double *times, size_t count, size_t slots)
{
    struct schedule best = {0, 0};
    double sum = 0;

    if (count == 0)
        return best;
    if (slots > count)
        slots = count;
    double *busy = allocate(slots * sizeof *busy);
    for (size_t i = 0; i < slots; i++)
        busy[i] = 0;
    qsort(times, count, sizeof *times, longest_first);
    for (size_t i = 0; i < count; i++) {
        sum += times[i];
        take_first(busy, slots, times[i]);
    }
    for (size_t i = 0; i < slots; i++)
        best.lpt = busy[i] > best.lpt ? busy[i] : best.lpt;
    free(busy);
    best.bound = sum / (double)slots > times[0] ? sum / (double)slots : times[0];
    return best;
}

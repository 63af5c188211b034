/* How well a run was scheduled, from when its jobs started and ended.
 *
 * usage: bench-schedule SLOTS <TIMES      each line: start end, in any unit
 *
 * Prints the makespan, from the first start to the last end, divided by the bound and by what LPT
 * makes of the jobs (src/schedule.h). The shortest schedule there is lies between the two, so a
 * makespan within 3 % of the bound is within 3 % of both. */
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "schedule.h"

const char program_name[] = "bench-schedule";

int main(int argc, char **argv)
{
    double *times = NULL, start, end, first = 0, last = 0;
    size_t count = 0, room = 0;
    long slots = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

    if (slots < 1) {
        fprintf(stderr, "usage: bench-schedule SLOTS <TIMES\n");
        return 2;
    }
    while (scanf("%lf %lf", &start, &end) == 2) {
        times = grow(times, count, &room, sizeof *times);
        first = count == 0 || start < first ? start : first;
        last = count == 0 || end > last ? end : last;
        times[count++] = end - start;
    }
    struct schedule best = schedule_best(times, count, (size_t)slots);
    free(times);
    if (best.bound > 0)
        printf("%.4f %.4f\n", (last - first) / best.bound, (last - first) / best.lpt);
    else
        puts("- -");
    return 0;
}

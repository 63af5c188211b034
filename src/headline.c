#include "headline.h"

static double seconds(int64_t microseconds)
{
    return (double)microseconds / 1e6;
}

void headline_say(struct text *out, const struct record *record, size_t processors,
                  const char *slowest)
{
    double wall = seconds(record->ended - record->started);
    size_t job;

    text_printf(out, "%zu of %zu module%s in %.1f s", record->done, record->count,
                record->count == 1 ? "" : "s", seconds(record->ended - record->began));
    if (wall > 0 && record->remote > 0)
        text_printf(out, ", %.1f of %zu at a time", seconds(record->busy) / wall, record->slots);
    else if (wall > 0)
        text_printf(out, ", %.1f of %zu processor%s kept busy",
                    seconds(record->processor_time) / wall, processors, processors == 1 ? "" : "s");
    if (slowest && record_slowest(record, &job))
        text_printf(out, ", the slowest took %.1f s: '%s'",
                    seconds(entry_time(&record->entries[job])), slowest);
}

#include "parallel.h"

#include <stdio.h>
#include <stdlib.h>

#include "processors.h"

/* ninja is a client of a jobserver since 1.13, of the fifo style only. */
static bool is_client(const struct ninja *ninja, const struct jobserver *jobserver)
{
    char *rest;
    long major = strtol(ninja->version, &rest, 10);
    long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;

    return jobserver->is_fifo && !ninja->last_first && (major > 1 || (major == 1 && minor >= 13));
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

const char *parallel_choose(const struct options *options, const struct ninja *ninja,
                            struct jobserver *jobserver, size_t jobs, char *text, size_t size)
{
    size_t processors = (size_t)processors_available("");
    size_t chosen = jobs < processors ? jobs : processors;

    if (options->jobs)
        return options->jobs;
    if (jobserver->exists && is_client(ninja, jobserver)) {
        if (options->verbose)
            message("make's jobserver says how many of the %zu backend compilation%s run at a time",
                    jobs, plural(jobs));
        return NULL;
    }
    if (jobserver->exists) {
        size_t taken = jobserver_take(jobserver, chosen - 1);
        chosen = taken + 1;
        if (options->verbose)
            message("running up to %zu at a time: took %zu token%s from make's jobserver, of which "
                    "this ninja is no client",
                    chosen, taken, plural(taken));
    } else if (options->verbose) {
        message("running up to %zu at a time: %zu processor%s may be used, for %zu backend "
                "compilation%s",
                chosen, processors, plural(processors), jobs, plural(jobs));
    }
    snprintf(text, size, "%zu", chosen);
    return text;
}

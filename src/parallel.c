#include "parallel.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "headroom.h"
#include "memory.h"
#include "processors.h"

/* The memory of a backend compilation, measured alone with clang 22.1.8 over the modules of lua,
 * git and aria2 (800, some of them merged into large ones; tests/bench/memory does it again): pages
 * of the compiler itself, which all share; and of each process's own 7 to 13 MiB for most, some 45
 * bytes for each byte of a large module, and in the worst case 55 MiB for a module of 240 KiB. This
 * rule is above all of them. */
static const double shared_bytes = 96.0 * (1 << 20);
static const double own_bytes = 48.0 * (1 << 20), bytes_a_module_byte = 64,
                    bytes_an_import_byte = 4;

/* ninja is a client of a jobserver since 1.13, of the fifo style only. */
static bool is_client(const struct ninja *ninja, const struct jobserver *jobserver)
{
    char *rest;
    long major = strtol(ninja->version, &rest, 10);
    long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;

    return jobserver->exists && jobserver->is_fifo && (major > 1 || (major == 1 && minor >= 13));
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static double estimate(const struct weight *weight)
{
    return own_bytes + bytes_a_module_byte * (double)weight->module +
           bytes_an_import_byte * (double)weight->imports;
}

static int compare_estimates(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return *left > *right ? -1 : *left < *right;
}

size_t parallel_fit(const struct files *files, double memory)
{
    double *estimates = allocate(files->job_count * sizeof *estimates);
    double sum = shared_bytes;
    size_t count = 0;

    for (size_t i = 0; i < files->job_count; i++)
        estimates[i] = estimate(&files->weights[i]);
    qsort(estimates, files->job_count, sizeof *estimates, compare_estimates);
    while (count < files->job_count && (memory < 0 || sum + estimates[count] <= memory))
        sum += estimates[count++];
    free(estimates);
    return count > 0 ? count : 1;
}

/* Lowers what was CHOSEN to what fits into memory, and says so where that is less. */
static size_t fit(const struct options *options, const struct files *files, size_t chosen)
{
    double memory = options->memory;

    if (memory == NO_MEMORY_LIMIT || (memory == 0 && options->jobs))
        return chosen;
    if (memory == 0)
        memory = headroom_available("");
    size_t most = parallel_fit(files, memory);
    if (most >= chosen)
        return chosen;
    message("running %zu at a time instead of %zu: the largest backend compilations may need more "
            "together than the %.1f GiB of memory that %s; --memory says how much they may take",
            most, chosen, memory / (1 << 30), options->memory > 0 ? "were given" : "are available");
    return most;
}

/* What is chosen without -j. */
static size_t choose(const struct options *options, const struct files *files,
                     struct jobserver *jobserver)
{
    size_t processors = (size_t)processors_available(""), jobs = files->job_count;
    size_t chosen = fit(options, files, jobs < processors ? jobs : processors);

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
    return chosen;
}

/* Whether as much fits into memory as ninja may run as a client of make's jobserver: it must get no
 * -j then, so it cannot be held back. */
static bool slots_fit(const struct options *options, const struct files *files,
                      const struct jobserver *jobserver)
{
    double memory = options->memory != 0 ? options->memory : headroom_available("");
    size_t slots = jobserver->slots ? jobserver->slots : (size_t)processors_available("");

    if (slots > files->job_count)
        slots = files->job_count;
    return parallel_fit(files, memory) >= slots;
}

size_t parallel_at_home(const struct options *options, const struct files *files)
{
    size_t processors = (size_t)processors_available("");
    double memory = options->memory != 0 ? options->memory : headroom_available("");
    size_t fitting = parallel_fit(files, memory);
    return fitting < processors ? fitting : processors;
}

size_t parallel_slots(const struct options *options)
{
    size_t chosen =
        options->jobs ? (size_t)strtoul(options->jobs, NULL, 10) : (size_t)processors_available("");
    return chosen > 0 ? chosen : SIZE_MAX; /* ninja's -j0 */
}

const char *parallel_choose(const struct options *options, const struct ninja *ninja,
                            const struct files *files, struct jobserver *jobserver, char *text,
                            size_t size)
{
    size_t chosen;

    if (options->jobs && options->memory <= 0)
        return options->jobs;
    if (options->jobs) {
        chosen = parallel_slots(options);
        chosen = fit(options, files, chosen < SIZE_MAX ? chosen : files->job_count);
    } else if (is_client(ninja, jobserver) && slots_fit(options, files, jobserver)) {
        if (options->verbose)
            message("make's jobserver says how many of the %zu backend compilation%s run at a time",
                    files->job_count, plural(files->job_count));
        return NULL;
    } else {
        chosen = choose(options, files, jobserver);
    }
    snprintf(text, size, "%zu", chosen);
    return text;
}

/* Writes a synthetic job description to stdout, in the shape that lld 22 has, for the benchmarks.
 *
 * usage: bench-describe JOBS IMPORTS [SEED]
 *
 * JOBS jobs import IMPORTS modules each on average, JOBS * IMPORTS in all. How many one imports is
 * heavy-tailed (few import thousands, most some dozens), and so is how often a module is imported,
 * as with real programs. The same arguments give the same bytes. No file named in it exists. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 160, MOST_JOBS = 10000000, PID = 21559 };

/* splitmix64, which is the same everywhere. */
static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* Over 0, and at most 1. */
static double draw_fraction(void)
{
    return (double)((draw() >> 11) + 1) / 9007199254740992.0;
}

#define PICK(words) (words)[draw() % (sizeof(words) / sizeof *(words))]

static const char *const tops[] = {"lib", "src", "components", "third_party", "services", "tools"};
static const char *const areas[] = {"Analysis", "CodeGen",    "Network", "Rendering",
                                    "Storage",  "Transforms", "Runtime", "Serialization"};
static const char *const parts[] = {"Instrumentation", "Compositor", "Pipeline",  "Scheduler",
                                    "Interfaces",      "Metadata",   "Vectorize", "Transport"};
static const char *const words[] = {"Address", "Buffer",   "Cache", "Context", "Dispatch",
                                    "Event",   "Factory",  "Graph", "Handle",  "Index",
                                    "Layout",  "Memory",   "Node",  "Object",  "Property",
                                    "Queue",   "Resource", "Symbol"};

/* What cmake would call the object of a C++ source. */
static void name_module(char *name, size_t number)
{
    const char *top = PICK(tops), *area = PICK(areas), *part = PICK(parts);
    const char *first = PICK(words), *second = PICK(words), *third = PICK(words);

    snprintf(name, NAME_SIZE, "%s/%s/CMakeFiles/engine%s%s.dir/%s%s%s%zu.cpp.o", top, area, area,
             part, first, second, third, number);
}

/* How many modules each job imports: a Pareto distribution, cut off, and scaled to the sum wanted.
 * The caller frees it. */
static size_t *draw_counts(size_t jobs, size_t imports)
{
    double *weights = calloc(jobs, sizeof *weights), sum = 0, due = 0;
    size_t left = jobs * imports;
    size_t *counts = calloc(jobs, sizeof *counts);

    if (!weights || !counts) {
        free(weights);
        free(counts);
        return NULL;
    }
    for (size_t i = 0; i < jobs; i++) {
        weights[i] = fmin(pow(draw_fraction(), -1 / 1.3), 200);
        sum += weights[i];
    }
    for (size_t i = 0; i < jobs; i++) {
        /* What the cut and the rounding take from one job, the next ones get. */
        due += weights[i] * (double)(imports * jobs) / sum;
        counts[i] = (size_t)fmin(fmin(due, (double)(jobs - 1)), (double)left);
        due -= (double)counts[i];
        left -= counts[i];
    }
    /* What is due in the end; there is room for it: IMPORTS is under JOBS. */
    for (size_t i = 0; left > 0; i = (i + 1) % jobs) {
        if (counts[i] < jobs - 1) {
            counts[i]++;
            left--;
        }
    }
    free(weights);
    return counts;
}

/* What has been imported, and by which job last. */
struct modules {
    char (*names)[NAME_SIZE];
    size_t *last;
    size_t count;
};

/* A module that the job does not have yet; low numbers are popular. */
static const char *import(struct modules *modules, size_t job)
{
    size_t i = (size_t)(pow(draw_fraction(), 2.5) * (double)modules->count) % modules->count;

    while (modules->last[i] == job + 1)
        i = (i + 1) % modules->count;
    modules->last[i] = job + 1;
    return modules->names[i];
}

/* The object that lld has made of the module: base name, number of the task, process. */
static void name_object(char *object, const char *module, size_t job)
{
    const char *base = strrchr(module, '/') + 1;
    snprintf(object, NAME_SIZE, "%.*s.%zu.%d.native.o", (int)(strlen(base) - 2), base, job + 1,
             PID);
}

static void write_job(struct modules *modules, size_t job, size_t imports)
{
    const char *module = modules->names[job];
    char object[NAME_SIZE];

    name_object(object, module, job);
    printf("%s{\"args\":[\"%s\",\"-fthinlto-index=%s.thinlto.bc\",\"-o\",\"%s\"],"
           "\"inputs\":[\"%s\",\"%s.thinlto.bc\"",
           job ? "," : "", module, object, object, module, object);
    modules->last[job] = job + 1;
    for (size_t i = 0; i < imports; i++)
        printf(",\"%s\"", import(modules, job));
    printf("],\"outputs\":[\"%s\"]}", object);
}

static void write_common(void)
{
    fputs(
        "{\"common\":{\"linker_output\":\"engine\",\"args\":[\"/usr/lib/llvm-22/bin/clang\",\"-c\","
        "\"--target=x86_64-pc-linux-gnu\",\"-O2\",\"-faddrsig\",\"-ffunction-sections\","
        "\"-fdata-sections\",\"-fpic\",\"-Wno-unused-command-line-argument\"],\"inputs\":[]},"
        "\"jobs\":[",
        stdout);
}

/* Whether TEXT is a whole number from LEAST to MOST. */
static int number(const char *text, unsigned long long least, unsigned long long most,
                  unsigned long long *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value >= least &&
           *value <= most;
}

int main(int argc, char **argv)
{
    unsigned long long jobs, imports, seed = 1;

    if (argc < 3 || argc > 4 || !number(argv[1], 1, MOST_JOBS, &jobs) ||
        !number(argv[2], 0, jobs - 1, &imports) ||
        (argc == 4 && !number(argv[3], 0, UINT64_MAX, &seed))) {
        fputs("usage: bench-describe JOBS IMPORTS [SEED], with IMPORTS less than JOBS\n", stderr);
        return 2;
    }
    state = seed;
    size_t count = (size_t)jobs;
    struct modules modules = {calloc(count, NAME_SIZE), calloc(count, sizeof(size_t)), count};
    size_t *counts = draw_counts(count, (size_t)imports);
    if (!modules.names || !modules.last || !counts) {
        fputs("bench-describe: out of memory\n", stderr);
        return 3;
    }
    for (size_t i = 0; i < count; i++)
        name_module(modules.names[i], i);
    write_common();
    for (size_t i = 0; i < count; i++)
        write_job(&modules, i, counts[i]);
    fputs("]}", stdout);
    free(counts);
    free(modules.last);
    free(modules.names);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("bench-describe: stdout");
        return 3;
    }
    return 0;
}

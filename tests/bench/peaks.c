/* A distributor for the benchmarks: runs the backend compilations of a link one after another, each
 * alone, and appends a line about each to the file $BENCH_PEAKS:
 *
 *   bytes of the module, bytes of the modules imported from, their number, seconds,
 *   peak of the resident memory in KiB, the part of it that is the process's own, module
 *
 * Pages of programs and libraries are shared by all processes that have them in use, so the second
 * peak is what one more process needs. It is sampled, so it may be a little low.
 *
 * usage: bench-peaks DESCRIPTION, in the shape that LLVM 21 and later write */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../helpers/jobs.h"

enum { SAMPLE_NANOSECONDS = 2000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long long)info.st_size : 0;
}

/* The job's command; the caller frees the array, not the words. */
static char **command(struct json_object *common, struct json_object *job)
{
    struct json_object *first = member(common, "args"), *rest = member(job, "args");
    char **argv = calloc(length(first) + length(rest) + 1, sizeof *argv);
    size_t count = 0;

    for (size_t i = 0; argv && i < length(first); i++)
        argv[count++] = (char *)item(first, i);
    for (size_t i = 0; argv && i < length(rest); i++)
        argv[count++] = (char *)item(rest, i);
    return argv;
}

/* The resident memory of the process that is no file's, in KiB; 0 where it has ended. */
static long own_memory(pid_t pid)
{
    char path[64], line[256];
    long kib = 0;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "RssAnon: %ld", &kib) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kib;
}

/* Waits for the process; *OWN becomes the peak of its own memory. */
static bool wait_and_sample(pid_t pid, struct rusage *usage, long *own)
{
    const struct timespec pause = {0, SAMPLE_NANOSECONDS};
    pid_t ended;
    int status;

    *own = 0;
    while ((ended = wait4(pid, &status, WNOHANG, usage)) == 0 || (ended < 0 && errno == EINTR)) {
        long kib = own_memory(pid);
        if (kib > *own)
            *own = kib;
        nanosleep(&pause, NULL);
    }
    return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run_job(struct json_object *common, struct json_object *job, FILE *log)
{
    struct json_object *inputs = member(job, "inputs");
    char **argv = command(common, job);
    struct rusage usage;
    long long imported = 0;
    long own;

    if (!argv || !argv[0] || length(inputs) < 2)
        return false;
    for (size_t i = 2; i < length(inputs); i++)
        imported += size_of(item(inputs, i));
    double start = now();
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    bool works = pid > 0 && wait_and_sample(pid, &usage, &own);
    free(argv);
    if (!works)
        return false;
    return fprintf(log, "%lld %lld %zu %.4f %ld %ld %s\n", size_of(item(inputs, 0)), imported,
                   length(inputs) - 2, now() - start, usage.ru_maxrss, own, item(inputs, 0)) > 0;
}

int main(int argc, char **argv)
{
    struct json_object *file = argc > 1 ? json_object_from_file(argv[argc - 1]) : NULL;
    struct json_object *jobs = member(file, "jobs");
    const char *path = getenv("BENCH_PEAKS");
    FILE *log = path ? fopen(path, "a") : NULL;
    bool works = file && log;

    for (size_t i = 0; works && i < length(jobs); i++)
        works = run_job(member(file, "common"), json_object_array_get_idx(jobs, i), log);
    if (log && fclose(log) != 0)
        works = false;
    if (!works)
        fputs("bench-peaks: no description, no $BENCH_PEAKS, or a job failed\n", stderr);
    json_object_put(file);
    return !works;
}

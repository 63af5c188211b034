/* The oracle for behaviour, as a distributor: runs each job's command, one after another, as the
 * description says it, puts the objects aside, lets dtlto-ninja do the same link, and compares.
 *
 * usage: oracle [OPTION OF DTLTO-NINJA ...] DESCRIPTION
 * $ORACLE_DISTRIBUTOR is dtlto-ninja; $ORACLE_LOG gets a line for the link: "works: N objects the
 * same", "fails: both", or "DIFFERENT: ..." with what differs. Ends with dtlto-ninja's status.
 * With $ORACLE_ALONE set, the serial run is all there is, and its objects stay. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs.h"

enum { MOST_ARGS = 65536 };

/* The word that the entry ARG of common.args stands for in JOB. */
static char *expand(struct json_object *arg, struct json_object *job)
{
    char *word = calloc(1, 1 << 16);

    if (!json_object_is_type(arg, json_type_array))
        return strcpy(word, json_object_get_string(arg));
    struct json_object *array = member(job, item(arg, 0));
    for (size_t i = 1; i < length(arg); i++) {
        struct json_object *part = json_object_array_get_idx(arg, i);
        bool index = json_object_is_type(part, json_type_int);
        strcat(word, index ? item(array, (size_t)json_object_get_int(part))
                           : json_object_get_string(part));
    }
    return word;
}

static int run(char **argv)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return -1;
    return status;
}

static int run_job(struct json_object *common, struct json_object *job)
{
    static char *argv[MOST_ARGS];
    size_t count = 0;
    struct json_object *args = member(common, "args"), *own = member(job, "args");

    for (size_t i = 0; i < length(args); i++)
        argv[count++] = expand(json_object_array_get_idx(args, i), job);
    for (size_t i = 0; i < length(own); i++)
        argv[count++] = strdup(item(own, i));
    argv[count] = NULL;
    int status = run(argv);
    while (count > 0)
        free(argv[--count]);
    return status;
}

static const char *const output_arrays[] = {"outputs", "primary_output", "additional_outputs"};

/* Calls EACH with every output of every job until it returns false. */
static bool each_output(struct json_object *jobs, bool (*each)(const char *output))
{
    for (size_t i = 0; i < length(jobs); i++) {
        for (size_t k = 0; k < sizeof output_arrays / sizeof *output_arrays; k++) {
            struct json_object *array =
                member(json_object_array_get_idx(jobs, i), output_arrays[k]);
            for (size_t j = 0; j < length(array); j++) {
                if (!each(item(array, j)))
                    return false;
            }
        }
    }
    return true;
}

static const char *aside(const char *output)
{
    static char name[8192];
    snprintf(name, sizeof name, "%s.serial", output);
    return name;
}

static bool put_aside(const char *output)
{
    struct stat info;
    return stat(output, &info) == 0 && info.st_size > 0 && rename(output, aside(output)) == 0;
}

static bool forget(const char *output)
{
    unlink(output);
    unlink(aside(output));
    return true;
}

static bool forget_aside(const char *output)
{
    unlink(aside(output));
    return true;
}

static size_t compared;
static char different[8192];

static bool compare(const char *output)
{
    FILE *ours = fopen(output, "r"), *theirs = fopen(aside(output), "r");
    bool same = ours && theirs;
    int c = 0;

    while (same && c != EOF) {
        c = getc(ours);
        same = c == getc(theirs);
    }
    if (ours)
        fclose(ours);
    if (theirs)
        fclose(theirs);
    compared++;
    if (!same)
        snprintf(different, sizeof different, "%s", output);
    return same;
}

static void record(const char *format, ...)
{
    FILE *log = fopen(getenv("ORACLE_LOG"), "a");
    va_list arguments;

    va_start(arguments, format);
    if (log) {
        vfprintf(log, format, arguments);
        fputc('\n', log);
        fclose(log);
    }
    va_end(arguments);
}

int main(int argc, char **argv)
{
    struct json_object *file = json_object_from_file(argv[argc - 1]);
    struct json_object *jobs = member(file, "jobs");
    bool works = file != NULL;

    for (size_t i = 0; works && i < length(jobs); i++)
        works = run_job(member(file, "common"), json_object_array_get_idx(jobs, i)) == 0;
    if (getenv("ORACLE_ALONE"))
        return !works;
    works = works && each_output(jobs, put_aside);
    if (!works)
        each_output(jobs, forget);

    argv[0] = getenv("ORACLE_DISTRIBUTOR");
    int status = run(argv);
    bool ours = status == 0;
    if (works != ours)
        record("DIFFERENT: the serial run %s, dtlto-ninja ended with wait status %d",
               works ? "works" : "fails", status);
    else if (!works)
        record("fails: both");
    else if (each_output(jobs, compare))
        record("works: %zu objects the same", compared);
    else
        record("DIFFERENT: %s", different);
    each_output(jobs, forget_aside);
    json_object_put(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

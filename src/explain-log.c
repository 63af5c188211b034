#include "explain-log.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "edge.h"
#include "ninja-log.h"
#include "paths.h"

/* When the job INDEX ran, which makes OUTPUT; a null pointer where the log does not say. */
static const struct ninja_time *find_time(const struct ninja_log *log,
                                          const struct log_place *place, const char *output,
                                          size_t index)
{
    struct text path = {0};

    text_printf(&path, "%s%s", output[0] == '/' ? "" : place->prefix, output);
    char *name = path_as_ninja(path.data);
    const struct ninja_time *found = ninja_log_find(log, name);
    free(name);
    if (!found) {
        text_clear(&path);
        edge_alias(&path, index);
        found = ninja_log_find(log, path.data);
    }
    text_free(&path);
    return found;
}

/* How the job that took OURS fared among the COUNT of them. */
static void compare_times(const struct ninja_log *log, const struct log_place *place,
                          const char *const *outputs, size_t count, struct ninja_time ours,
                          struct job_times *times)
{
    *times = (struct job_times){
        .start = ours.start, .end = ours.end, .started = 1, .ended = 1, .longest = 1};
    for (size_t i = 0; i < count; i++) {
        const struct ninja_time *other = find_time(log, place, outputs[i], i);
        if (!other)
            continue;
        times->count++;
        times->last = other->end > times->last ? other->end : times->last;
        times->started += other->start < ours.start;
        times->ended += other->end < ours.end;
        times->longest += other->end - other->start > ours.end - ours.start;
    }
}

/* Whether the log PATH has the job, of which TIMES then tells. */
static bool look_into(const char *path, const struct log_place *place, const char *const *outputs,
                      size_t count, size_t index, struct job_times *times)
{
    struct ninja_log log = {0};
    const struct ninja_time *ours = NULL;

    if (ninja_log_read(&log, path))
        ours = find_time(&log, place, outputs[index], index);
    if (ours)
        compare_times(&log, place, outputs, count, *ours, times);
    ninja_log_free(&log);
    return ours != NULL;
}

/* Appends the folder of PATH, with a '/', with nothing in it that glob takes for a pattern. */
static void add_folder(struct text *out, const char *path)
{
    const char *slash = strrchr(path, '/');

    for (const char *c = path; slash && c <= slash; c++) {
        if (strchr("*?[\\", *c))
            text_putc(out, '\\');
        text_putc(out, *c);
    }
}

static void find_logs(const struct log_place *place, glob_t *found)
{
    struct text folder = {0}, pattern = {0};

    text_puts(&folder, "");
    if (place->is_repro) {
        text_printf(&pattern, "%s" NINJA_LOG_FILE, place->prefix[0] ? "../" : "");
        glob(pattern.data, 0, NULL, found);
    } else {
        add_folder(&folder, place->description);
        text_printf(&pattern, "%sdtlto-ninja.*/" NINJA_LOG_FILE, folder.data);
        glob(pattern.data, 0, NULL, found);
        text_clear(&pattern);
        text_printf(&pattern, "%s" NINJA_LOG_FILE, folder.data);
        glob(pattern.data, GLOB_APPEND, NULL, found);
        if (folder.length > 0)
            glob(NINJA_LOG_FILE, GLOB_APPEND, NULL, found);
    }
    text_free(&folder);
    text_free(&pattern);
}

/* The newest of the logs that has not been looked into; those have no name any more. */
static char **newest(const glob_t *logs)
{
    char **best = NULL;
    time_t time = 0;
    struct stat info;

    for (size_t i = 0; i < logs->gl_pathc; i++) {
        char **path = &logs->gl_pathv[i];
        if (**path && stat(*path, &info) == 0 && (!best || info.st_mtime > time)) {
            best = path;
            time = info.st_mtime;
        }
    }
    return best;
}

bool explain_log(const struct log_place *place, const char *const *outputs, size_t count,
                 size_t index, struct job_times *times)
{
    glob_t logs = {0};
    bool found = false;
    char **path;

    find_logs(place, &logs);
    while (!found && (path = newest(&logs))) {
        found = look_into(*path, place, outputs, count, index, times);
        if (found)
            text_puts(&times->log, *path);
        **path = '\0';
    }
    globfree(&logs);
    return found;
}

#include "explain-log.h"

#include <glob.h>
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "ninja-log.h"
#include "paths.h"

/* When a job ran; both are 0 where the log does not have it. */
struct span {
    long start, end;
    bool is_known;
};

struct search {
    struct lh_table *indexes; /* owned: a name as ninja has it -> a struct span */
    struct span *spans;       /* owned; of the jobs */
};

static void free_key(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
}

static void take_line(void *context, const char *output, long start, long end)
{
    const struct search *search = context;
    void *found;

    if (lh_table_lookup_ex(search->indexes, output, &found))
        *(struct span *)found = (struct span){start, end, true};
}

static void start_search(struct search *search, const struct log_place *place,
                         const char *const *outputs, size_t count)
{
    search->indexes = lh_kchar_table_new((int)count + 16, free_key);
    if (!search->indexes)
        out_of_memory();
    search->spans = allocate((count + 1) * sizeof *search->spans);
    for (size_t i = 0; i < count; i++) {
        struct text path = {0};
        text_printf(&path, "%s%s", outputs[i][0] == '/' ? "" : place->prefix, outputs[i]);
        char *name = path_as_ninja(path.data);
        text_free(&path);
        if (lh_table_lookup_ex(search->indexes, name, NULL))
            free(name);
        else if (lh_table_insert(search->indexes, name, &search->spans[i]) != 0)
            out_of_memory();
    }
}

/* Whether the log PATH has the job. */
static bool look_into(struct search *search, const char *path, size_t count, size_t index)
{
    memset(search->spans, 0, (count + 1) * sizeof *search->spans);
    return ninja_log_read(path, take_line, search) && search->spans[index].is_known;
}

static void compare_spans(const struct search *search, size_t count, size_t index,
                          struct job_times *times)
{
    struct span ours = search->spans[index];

    *times = (struct job_times){
        .start = ours.start, .end = ours.end, .started = 1, .ended = 1, .longest = 1};
    for (size_t i = 0; i < count; i++) {
        struct span span = search->spans[i];
        if (!span.is_known)
            continue;
        times->count++;
        times->last = span.end > times->last ? span.end : times->last;
        times->started += span.start < ours.start;
        times->ended += span.end < ours.end;
        times->longest += span.end - span.start > ours.end - ours.start;
    }
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
        text_printf(&pattern, "%s.ninja_log", place->prefix[0] ? "../" : "");
        glob(pattern.data, 0, NULL, found);
    } else {
        add_folder(&folder, place->description);
        text_printf(&pattern, "%sdtlto-ninja.*/.ninja_log", folder.data);
        glob(pattern.data, 0, NULL, found);
        text_clear(&pattern);
        text_printf(&pattern, "%s.ninja_log", folder.data);
        glob(pattern.data, GLOB_APPEND, NULL, found);
        if (folder.length > 0)
            glob(".ninja_log", GLOB_APPEND, NULL, found);
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
    struct search search;
    glob_t logs = {0};
    bool found = false;
    char **path;

    start_search(&search, place, outputs, count);
    find_logs(place, &logs);
    while (!found && (path = newest(&logs))) {
        found = look_into(&search, *path, count, index);
        if (found) {
            compare_spans(&search, count, index, times);
            text_puts(&times->log, *path);
        }
        **path = '\0';
    }
    globfree(&logs);
    lh_table_free(search.indexes);
    free(search.spans);
    return found;
}

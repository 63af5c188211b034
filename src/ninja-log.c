#include "ninja-log.h"

#include <json-c/linkhash.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Takes a line apart: START, END, time stamp, OUTPUT, hash, with tabs between them. The output is
 * cut off in place; a null pointer where it is no such line. */
static char *take_line(char *line, struct ninja_time *time)
{
    char *rest;

    time->start = strtol(line, &rest, 10);
    if (rest == line || *rest != '\t')
        return NULL;
    line = rest + 1;
    time->end = strtol(line, &rest, 10);
    if (rest == line || *rest != '\t')
        return NULL;
    char *output = strchr(rest + 1, '\t'), *last = strrchr(rest + 1, '\t');
    if (!output || last == output)
        return NULL;
    *last = '\0';
    return output + 1;
}

static void add(struct ninja_log *log, const char *output, struct ninja_time time)
{
    void *found;

    if (lh_table_lookup_ex(log->places, output, &found)) {
        log->times[(uintptr_t)found - 1] = time;
        return;
    }
    log->times = grow(log->times, log->count, &log->room, sizeof *log->times);
    log->times[log->count++] = time;
    if (lh_table_insert(log->places, output, (void *)(uintptr_t)log->count) != 0)
        out_of_memory();
}

bool ninja_log_read(struct ninja_log *log, const char *path)
{
    static const char head[] = "# ninja log v";

    if (text_read_file(&log->text, path) != 0 || log->text.length == 0 ||
        strncmp(log->text.data, head, sizeof head - 1) != 0) {
        ninja_log_free(log);
        return false;
    }
    log->places = lh_kchar_table_new(1024, NULL);
    if (!log->places)
        out_of_memory();
    for (char *line = log->text.data, *next; line && *line; line = next) {
        struct ninja_time time;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const char *output = take_line(line, &time);
        if (output)
            add(log, output, time);
    }
    return true;
}

const struct ninja_time *ninja_log_find(const struct ninja_log *log, const char *output)
{
    void *found;

    if (!log->places || !lh_table_lookup_ex(log->places, output, &found))
        return NULL;
    return &log->times[(uintptr_t)found - 1];
}

void ninja_log_free(struct ninja_log *log)
{
    if (log->places)
        lh_table_free(log->places);
    free(log->times);
    text_free(&log->text);
    *log = (struct ninja_log){0};
}

#include "ninja-log.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Takes a line apart: START, END, time stamp, OUTPUT, hash, with tabs between them. */
static char *take_line(char *line, long *start, long *end)
{
    char *rest;

    *start = strtol(line, &rest, 10);
    if (rest == line || *rest != '\t')
        return NULL;
    line = rest + 1;
    *end = strtol(line, &rest, 10);
    if (rest == line || *rest != '\t')
        return NULL;
    char *output = strchr(rest + 1, '\t'), *last = output ? strchr(output + 1, '\t') : NULL;
    if (!last)
        return NULL;
    *last = '\0';
    return output + 1;
}

bool ninja_log_read(const char *path,
                    void (*each)(void *context, const char *output, long start, long end),
                    void *context)
{
    static const char head[] = "# ninja log v";
    struct text log = {0};
    bool good = text_read_file(&log, path) == 0 && log.length > 0 &&
                strncmp(log.data, head, sizeof head - 1) == 0;
    char *line = good ? strchr(log.data, '\n') : NULL;

    while (line) {
        char *next = strchr(++line, '\n');
        long start, end;
        if (next)
            *next = '\0';
        char *output = take_line(line, &start, &end);
        if (output)
            each(context, output, start, end);
        line = next;
    }
    text_free(&log);
    return good;
}

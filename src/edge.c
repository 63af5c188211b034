#include "edge.h"

#include <stdint.h>
#include <stdlib.h>

void edge_alias(struct text *out, size_t index)
{
    text_printf(out, "dtlto-ninja:job-%zu", index);
}

/* Up to MOST names. */
static char *name_edge(const struct files *files, const struct promise *first, size_t most)
{
    const struct promise *end = files->promises + files->promise_count;
    struct text name = {0};
    size_t count = 0;

    for (const struct promise *p = first; p < end && p->job == first->job && count < most; p++) {
        if (!p->path->sayable)
            continue;
        char *canonical = path_as_ninja(p->path->text);
        text_printf(&name, "%s%s", count++ > 0 ? " " : "", canonical);
        free(canonical);
    }
    if (count == 0)
        edge_alias(&name, first->job);
    return name.data;
}

char *edge_in_log(const struct files *files, const struct promise *first)
{
    return name_edge(files, first, 1);
}

char *edge_in_messages(const struct files *files, const struct promise *first)
{
    return name_edge(files, first, SIZE_MAX);
}

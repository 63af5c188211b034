#include "cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int cgroup_numbers(const char *folder, const char *name, double *numbers, int most)
{
    struct text path = {0};
    char line[128];
    int count = 0;

    text_printf(&path, "%s/%s", folder, name);
    FILE *file = fopen(path.data, "r");
    text_free(&path);
    if (!file)
        return 0;
    if (fgets(line, sizeof line, file)) {
        char *at = line;
        while (count < most) {
            char *end;
            double number = strtod(at, &end);
            if (end == at) {
                if (strncmp(at, "max", 3) != 0)
                    break;
                number = -1;
                end = at + 3;
            }
            numbers[count++] = number;
            at = end;
        }
    }
    fclose(file);
    return count;
}

struct search {
    const char *root, *controller;
    void (*each)(void *context, const char *folder, bool version2);
    void *context;
};

/* From the group GROUP up to the root of the hierarchy mounted at MOUNT below /sys/fs/cgroup. */
static void walk_up(const struct search *search, const char *mount, const char *group,
                    bool version2)
{
    struct text path = {0};

    text_printf(&path, "%s/sys/fs/cgroup%s%s", search->root, *mount ? "/" : "", mount);
    size_t top = path.length;
    text_puts(&path, group);
    for (;;) {
        search->each(search->context, path.data, version2);
        char *slash = strrchr(path.data, '/');
        if (path.length <= top || !slash)
            break;
        *slash = '\0';
        path.length = (size_t)(slash - path.data);
    }
    text_free(&path);
}

/* Whether the comma-separated list of LENGTH bytes holds NAME. */
static bool has_name(const char *list, size_t length, const char *name)
{
    while (length > 0) {
        const char *comma = memchr(list, ',', length);
        size_t part = comma ? (size_t)(comma - list) : length;
        if (part == strlen(name) && memcmp(list, name, part) == 0)
            return true;
        part += comma ? 1 : 0;
        list += part;
        length -= part;
    }
    return false;
}

/* One line of /proc/self/cgroup: "ID:CONTROLLERS:GROUP", with no controllers in version 2. */
static void read_line(const struct search *search, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    if (!*controllers) {
        /* Mounted there, or under it where both versions are. */
        walk_up(search, "", group, true);
        walk_up(search, "unified", group, true);
    } else if (has_name(controllers, strlen(controllers), search->controller)) {
        walk_up(search, search->controller, group, false);
        if (strcmp(controllers, search->controller) != 0)
            walk_up(search, controllers, group, false);
    }
}

void cgroup_each(const char *root, const char *controller,
                 void (*each)(void *context, const char *folder, bool version2), void *context)
{
    struct search search = {root, controller, each, context};
    struct text path = {0};
    char line[4096];

    text_printf(&path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path.data, "r");
    while (file && fgets(line, sizeof line, file))
        read_line(&search, line);
    if (file)
        fclose(file);
    text_free(&path);
}

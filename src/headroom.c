#include "headroom.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "text.h"

/* The number behind the word KEY that begins a line of the file PATH, or -1. */
static double find_number(const char *path, const char *key)
{
    char line[256];
    double number = -1;
    size_t length = strlen(key);
    FILE *file = fopen(path, "r");

    while (file && number < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) == 0 && (line[length] == ' ' || line[length] == ':'))
            number = strtod(line + length + 1, NULL);
    }
    if (file)
        fclose(file);
    return number;
}

/* For cgroup_each: lowers *AVAILABLE to what the group leaves. */
static void apply_limit(void *context, const char *folder, bool version2)
{
    double *available = context, limit = -1, used = 0;
    struct text path = {0};

    cgroup_numbers(folder, version2 ? "memory.max" : "memory.limit_in_bytes", &limit, 1);
    cgroup_numbers(folder, version2 ? "memory.current" : "memory.usage_in_bytes", &used, 1);
    text_printf(&path, "%s/memory.stat", folder);
    double cache = find_number(path.data, version2 ? "inactive_file" : "total_inactive_file");
    text_free(&path);
    if (limit < 0)
        return;
    double left = limit - used + (cache > 0 ? cache : 0);
    if (left < 0)
        left = 0;
    if (*available < 0 || left < *available)
        *available = left;
}

double headroom_available(const char *root)
{
    struct text path = {0};
    double available;

    text_printf(&path, "%s/proc/meminfo", root);
    available = find_number(path.data, "MemAvailable");
    text_free(&path);
    if (available >= 0)
        available *= 1024; /* the file has kibibytes */
    cgroup_each(root, "memory", apply_limit, &available);
    return available;
}

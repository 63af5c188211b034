#ifdef HAVE_SCHED_GETAFFINITY
#define _GNU_SOURCE
#include <sched.h>
#endif

#include "processors.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static long allowed_by_affinity(void)
{
#ifdef HAVE_SCHED_GETAFFINITY
    /* Machines with more processors than a cpu_set_t has bits make the call fail: ask with more. */
    for (int bits = CPU_SETSIZE; bits <= 1 << 20; bits *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)bits);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)bits);
        int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

/* The numbers in the first line of a file: "max" reads as -1. Returns how many were there. */
static int read_numbers(const char *path, double *numbers, int most)
{
    char line[128];
    int count = 0;
    FILE *file = fopen(path, "r");

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

/* Processors that the group in the folder PATH may keep busy; -1: no limit. */
static double group_quota(const char *path, bool version2)
{
    struct text name = {0};
    double numbers[2] = {-1, 0};

    if (version2) {
        text_printf(&name, "%s/cpu.max", path);
        if (read_numbers(name.data, numbers, 2) < 2)
            numbers[0] = -1;
    } else {
        text_printf(&name, "%s/cpu.cfs_quota_us", path);
        if (read_numbers(name.data, &numbers[0], 1) < 1)
            numbers[0] = -1;
        text_clear(&name);
        text_printf(&name, "%s/cpu.cfs_period_us", path);
        if (read_numbers(name.data, &numbers[1], 1) < 1)
            numbers[0] = -1;
    }
    text_free(&name);
    return numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : -1;
}

static double lower(double a, double b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* The lowest quota from the group GROUP up to the root of the hierarchy mounted at MOUNT. */
static double hierarchy_quota(const char *mount, const char *group, bool version2)
{
    struct text path = {0};
    double quota = -1;

    text_printf(&path, "%s%s", mount, group);
    for (;;) {
        quota = lower(quota, group_quota(path.data, version2));
        char *slash = strrchr(path.data, '/');
        if (path.length <= strlen(mount) || !slash)
            break;
        *slash = '\0';
        path.length = (size_t)(slash - path.data);
    }
    text_free(&path);
    return quota;
}

/* Whether the comma-separated LIST holds "cpu". */
static bool names_cpu(const char *list, size_t length)
{
    while (length > 0) {
        const char *comma = memchr(list, ',', length);
        size_t part = comma ? (size_t)(comma - list) : length;
        if (part == 3 && memcmp(list, "cpu", 3) == 0)
            return true;
        part += comma ? 1 : 0;
        list += part;
        length -= part;
    }
    return false;
}

/* One line of /proc/self/cgroup: "ID:CONTROLLERS:GROUP", with no controllers in version 2. */
static double line_quota(const char *root, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group)
        return -1;
    size_t length = (size_t)(group++ - controllers);
    if (length > 0 && !names_cpu(controllers, length))
        return -1;

    struct text mount = {0};
    double quota = -1;
    /* Version 2 is mounted as /sys/fs/cgroup, or under it where both versions are. */
    static const char *const mounts[2][2] = {{"cpu", "cpu,cpuacct"}, {"", "unified"}};
    bool version2 = length == 0;
    for (int i = 0; i < 2; i++) {
        text_clear(&mount);
        text_printf(&mount, "%s/sys/fs/cgroup%s%s", root, *mounts[version2][i] ? "/" : "",
                    mounts[version2][i]);
        quota = lower(quota, hierarchy_quota(mount.data, group, version2));
    }
    text_free(&mount);
    return quota;
}

static double allowed_by_groups(const char *root)
{
    struct text path = {0};
    char line[4096];
    double quota = -1;

    text_printf(&path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path.data, "r");
    while (file && fgets(line, sizeof line, file))
        quota = lower(quota, line_quota(root, line));
    if (file)
        fclose(file);
    text_free(&path);
    return quota;
}

int processors_available(const char *root)
{
    long count = allowed_by_affinity();
    double quota = allowed_by_groups(root);

    if (count < 1)
        count = 1;
    if (quota >= 0 && quota < (double)count) {
        count = (long)quota;
        if ((double)count < quota)
            count++;
    }
    return count < 1 ? 1 : (int)count;
}

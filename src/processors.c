#ifdef HAVE_SCHED_GETAFFINITY
#define _GNU_SOURCE
#include <sched.h>
#endif

#include "processors.h"

#include <stdbool.h>
#include <unistd.h>

#include "cgroup.h"

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

static double lower(double a, double b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* For cgroup_each: lowers *QUOTA, the processors that may be kept busy (-1: no limit), to what the
 * group allows. */
static void apply_quota(void *context, const char *folder, bool version2)
{
    double *quota = context, numbers[2] = {-1, 0};

    if (version2) {
        if (cgroup_numbers(folder, "cpu.max", numbers, 2) < 2)
            return;
    } else if (cgroup_numbers(folder, "cpu.cfs_quota_us", &numbers[0], 1) < 1 ||
               cgroup_numbers(folder, "cpu.cfs_period_us", &numbers[1], 1) < 1) {
        return;
    }
    if (numbers[0] > 0 && numbers[1] > 0)
        *quota = lower(*quota, numbers[0] / numbers[1]);
}

int processors_available(const char *root)
{
    long count = allowed_by_affinity();
    double quota = -1;

    cgroup_each(root, "cpu", apply_quota, &quota);
    if (count < 1)
        count = 1;
    if (quota >= 0 && quota < (double)count) {
        count = (long)quota;
        if ((double)count < quota)
            count++;
    }
    return count < 1 ? 1 : (int)count;
}

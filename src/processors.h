/* How many processors this process may use. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

/* The number of processors that the affinity mask allows, and no more than the CPU quota of the
 * process's control group (version 2: cpu.max, version 1: cpu.cfs_quota_us, rounded up) or of a
 * group around it (the kernel's Documentation/admin-guide/cgroup-v2.rst). At least 1. ROOT goes in
 * front of /proc and /sys; "" outside of tests. */
int processors_available(const char *root);

#endif

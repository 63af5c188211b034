/* The control groups that this process is in (the kernel's Documentation/admin-guide/cgroup-v2.rst
 * and cgroup-v1). */
#ifndef CGROUP_H
#define CGROUP_H

#include <stdbool.h>

/* Calls EACH with CONTEXT for the folder of the process's group and of every group around it, in
 * the hierarchy of version 2 and in that of version 1 which has CONTROLLER. Folders that do not
 * exist are among them. ROOT goes in front of /proc and /sys; "" outside of tests. */
void cgroup_each(const char *root, const char *controller,
                 void (*each)(void *context, const char *folder, bool version2), void *context);

/* Reads the numbers in the first line of FOLDER/NAME, up to MOST; "max" reads as -1. Returns how
 * many were there. */
int cgroup_numbers(const char *folder, const char *name, double *numbers, int most);

#endif

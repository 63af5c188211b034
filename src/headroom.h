/* How much memory backend compilations may take. */
#ifndef HEADROOM_H
#define HEADROOM_H

/* The bytes of memory that can be had without swapping: the kernel's MemAvailable (proc(5)), and no
 * more than the limits of the process's control groups leave (version 2: memory.max, version 1:
 * memory.limit_in_bytes; what a group's page cache holds can be had too). -1 where neither is
 * known. ROOT goes in front of /proc and /sys; "" outside of tests. */
double headroom_available(const char *root);

#endif

/* Runs the compiler on the far side of a farm, within limits. */
#ifndef FAR_RUN_H
#define FAR_RUN_H

#include <stdint.h>

/* 0: none, or what the system has already set. */
struct far_limits {
    uint64_t memory; /* bytes of address space */
    uint64_t output; /* bytes of a file */
};

/* Runs ARGV (a path first, a null pointer at its end) in FOLDER with a small environment of its own
 * and no standard input; LIBRARIES, unless a null pointer, is where its libraries are. It dies with
 * this process, and when that catches a signal. Returns its wait status; or -1, errno set, where it
 * could not be started. */
int far_run(const char *const *argv, const char *folder, const char *libraries,
            const struct far_limits *limits);

#endif

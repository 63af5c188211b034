/* Writes tar archives (ustar) of regular files. They depend on nothing but names and contents: no
 * time, user or machine. */
#ifndef TAR_H
#define TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "text.h"

/* An archive that is written. Each function returns false, with PROBLEM saying why, where it
 * fails; then only tar_end may be called. */
struct tar {
    struct archive *archive;
    struct text *problem; /* emptied before something is said */
};

/* Starts an archive on the descriptor FD, which stays the caller's. */
bool tar_start(struct tar *tar, int fd, struct text *problem);

/* Adds a member of LENGTH bytes. */
bool tar_add(struct tar *tar, const char *name, const char *data, size_t length);

/* Bytes of a file, from START up to END. */
struct tar_hole {
    off_t start, end;
};

/* Adds what the descriptor FD of the file PATH holds, which must be SIZE bytes, but for HOLE, which
 * may be empty. A signal that was caught ends it. */
bool tar_add_file(struct tar *tar, const char *name, const char *path, int fd, off_t size,
                  struct tar_hole hole);

/* Completes the archive if it is GOOD so far, and frees what it took. */
bool tar_end(struct tar *tar, bool good);

#endif

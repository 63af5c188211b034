/* A file that takes another's place only when it is complete. */
#ifndef REPLACEMENT_H
#define REPLACEMENT_H

#include <stdbool.h>
#include <stdio.h>

struct replacement {
    FILE *file; /* to be written to; not to be closed */
    const char *path;
    char *temporary; /* owned; a null pointer where it is written in place */
};

/* Begins a file for PATH, which must outlive it: beside that, under another name; in place where
 * PATH is there and no regular file, as /dev/null is. Returns false with errno set. */
bool replacement_open(struct replacement *replacement, const char *path);

/* Completes the file and puts it in its place, or with DISCARD removes it. Returns false, with
 * errno set and nothing left, where it could not be written, now or before. */
bool replacement_finish(struct replacement *replacement, bool discard);

#endif

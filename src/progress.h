/* Passes on what ninja prints, and picks out which edges it says have failed. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Start with {0}. */
struct progress {
    struct text line;  /* the current line, as far as it came */
    struct text plain; /* a line without escape sequences */
    char **failures;   /* owned: lines in which ninja or samurai names a failed edge */
    size_t count, room;
    bool killed; /* some job was ended by SIGKILL, as a system does that is out of memory */
};

/* Writes DATA to stderr and takes note of failures. */
void progress_output(struct progress *progress, const char *data, size_t length);

/* The same without writing: for tests. */
void progress_scan(struct progress *progress, const char *data, size_t length);

void progress_free(struct progress *progress);

/* Whether the line FAILURE is about the edge that has OUTPUT, a name as ninja prints it. */
bool progress_names(const char *failure, const char *output);

#endif

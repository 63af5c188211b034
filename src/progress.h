/* Passes on what ninja prints, and picks out which edges it says have failed. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Start with {0}. */
struct progress {
    struct text line;       /* the current line, as far as it came */
    struct text plain;      /* a line without escape sequences */
    struct lh_table *edges; /* owned: the names of edges that ninja says have failed */
    char **commands;        /* owned: lines in which samurai says that of commands */
    size_t count, room;     /* of those */
    bool any_failed;
    bool killed; /* some job was ended by SIGKILL, as a system does that is out of memory */
};

/* Writes DATA to stderr and takes note of failures. */
void progress_output(struct progress *progress, const char *data, size_t length);

/* The same without writing: for tests. */
void progress_scan(struct progress *progress, const char *data, size_t length);

void progress_free(struct progress *progress);

/* Whether ninja has said that the edge NAME failed: its outputs, with a blank between two. */
bool progress_has_failed(const struct progress *progress, const char *name);

/* Whether OUTPUT stands in the line of samurai's COMMAND as a word. */
bool progress_names(const char *command, const char *output);

#endif

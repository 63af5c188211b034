/* Shows what ninja prints, and picks out which edges it says have failed.
 *
 * Status lines are passed on at once. What a compilation has printed follows when it is complete,
 * less the warnings that were shown before (fold.h). What a failed one has printed is held back for
 * the end, where people look: of the first few, and where ninja's own line says of which edge it
 * is, as samurai's does not; of others it is shown at once. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "blocks.h"
#include "fold.h"
#include "text.h"

/* What a failed edge has printed. */
struct failure {
    char *edge;          /* owned; its outputs, with a blank between two */
    struct text command; /* that ninja ran, with a newline; empty where it is not held */
    struct text said;
    bool is_shown;
};

/* Start with {0}, and set what must be different. */
struct progress {
    bool quiet;               /* no status lines */
    bool everything;          /* warnings are shown each time */
    bool with_commands;       /* failures are held with the command that ninja ran */
    struct fold fold;         /* its IS_NAME may be set */
    struct blocks blocks;     /* of ninja's output */
    struct text line;         /* the current line, as far as it came */
    struct text plain;        /* a line without escape sequences */
    struct lh_table *edges;   /* owned: the names of edges that ninja says have failed */
    char **commands;          /* owned: lines in which samurai says that of commands */
    size_t count, room;       /* of those */
    struct failure *failures; /* owned: what is held back */
    size_t failure_count, failure_room;
    bool any_failed;
    bool killed;      /* some job was ended by SIGKILL, as a system does that is out of memory */
    bool mid_line;    /* the last byte written was no newline */
    bool open_status; /* so was that of the last status, shown or not */
};

/* Takes what ninja has printed. */
void progress_output(struct progress *progress, const char *data, size_t length);

/* At the end of it: shows what is left but failures. */
void progress_end(struct progress *progress);

/* What is held back of the edge NAME; a null pointer where nothing is. */
struct failure *progress_failure(const struct progress *progress, const char *name);

/* Shows what is held back and was not shown yet: that of all edges. */
void progress_release(struct progress *progress);

/* Takes note of failures without writing anything: for tests. */
void progress_scan(struct progress *progress, const char *data, size_t length);

void progress_free(struct progress *progress);

/* Whether ninja has said that the edge NAME failed: its outputs, with a blank between two. */
bool progress_has_failed(const struct progress *progress, const char *name);

/* Whether OUTPUT stands in the line of samurai's COMMAND as a word. */
bool progress_names(const char *command, const char *output);

#endif

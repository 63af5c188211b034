/* ninja's log, where each line is about an output: when its edge began and ended, in milliseconds
 * from the start of ninja, its time stamp, its name, and a hash of the command (ninja's
 * src/build_log.cc; the same in versions 5 to 7 of the log). It has no edge that failed, and with
 * samurai all times are 0. */
#ifndef NINJA_LOG_H
#define NINJA_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

#define NINJA_LOG_FILE ".ninja_log"

struct lh_table;

/* When an edge ran, in milliseconds from the start of ninja. */
struct ninja_time {
    long start, end;
};

/* Start with {0}; free with ninja_log_free. */
struct ninja_log {
    struct text text;
    struct ninja_time *times; /* owned */
    size_t count, room;
    struct lh_table *places; /* owned: a name, in TEXT -> its place in TIMES, counted from 1 */
};

/* Reads the log PATH into LOG, an empty one. Of two lines for one output the later one holds.
 * Returns false, with LOG empty, where PATH is no such log. */
bool ninja_log_read(struct ninja_log *log, const char *path);

/* The time of the edge that made OUTPUT, as ninja spells that; a null pointer where the log, which
 * may be empty, does not have it. */
const struct ninja_time *ninja_log_find(const struct ninja_log *log, const char *output);

void ninja_log_free(struct ninja_log *log);

#endif

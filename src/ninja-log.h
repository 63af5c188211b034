/* Reads ninja's log, where each line is about an output: when its edge began and ended, in
 * milliseconds from the start of ninja, its time stamp, its name, and a hash of the command
 * (ninja's src/build_log.cc; the same in versions 5 to 7 of the log). */
#ifndef NINJA_LOG_H
#define NINJA_LOG_H

#include <stdbool.h>

/* Calls EACH with CONTEXT for each line, in the order of the file: of two for one output the later
 * one holds. OUTPUT is valid during the call. Returns false where PATH is no such log. */
bool ninja_log_read(const char *path,
                    void (*each)(void *context, const char *output, long start, long end),
                    void *context);

#endif

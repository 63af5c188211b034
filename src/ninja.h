/* The ninja that runs the manifest. */
#ifndef NINJA_H
#define NINJA_H

#include <stdbool.h>

#include "message.h"
#include "options.h"
#include "words.h"

struct ninja {
    char *path;    /* owned; a path, or a name to be looked up in PATH */
    char *version; /* owned; what it prints for --version. samurai says "1.9.0" */
};

/* Finds a ninja that runs: WANTED, else $NINJA, else the first of ninja, ninja-build and samu in
 * PATH. NINJA is freed with ninja_free in any case. */
enum status ninja_find(struct ninja *ninja, const char *wanted);
void ninja_free(struct ninja *ninja);

/* Puts the command that runs MANIFEST into ARGV, with what OPTIONS say; it ends in a null pointer.
 * JOBS is the number for -j, a null pointer: none. The strings belong to the arguments. */
void ninja_command(const struct ninja *ninja, const struct options *options, const char *manifest,
                   const char *jobs, struct words *argv);

#endif

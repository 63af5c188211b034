/* Finds, on the far side of a farm, the compiler that a bundle wants. */
#ifndef FAR_COMPILER_H
#define FAR_COMPILER_H

#include <stdbool.h>

#include "identity.h"
#include "text.h"

/* Where an icecream environment has the compiler and its libraries; beside it is FAR_IDENTITY, what
 * it answers to --version, since in there nothing changes. */
#define FAR_FOLDER   "/usr/lib/dtlto-clang"
#define FAR_IDENTITY "identity"

/* Puts the path of a compiler with this very IDENTITY into PATH. Where there is a FAR_FOLDER, looks
 * only there; else at those of the variable DTLTO_CLANG_COMPILER (paths with ':' between), if that
 * is set; else at /usr/lib/llvm-N/bin/clang, and at clang-N and clang in $PATH and /usr/bin. What a
 * compiler answers is kept for a minute, for others to find. Returns false where there is none;
 * then FOUND says which there are. */
bool far_compiler_find(const struct identity *identity, struct text *path, struct text *found);

/* Calls EACH with every candidate for the version N of clang, or every one there is for N 0. */
void far_compiler_each(int version, bool (*each)(void *context, const char *path), void *context);

#endif

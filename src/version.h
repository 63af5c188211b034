/* Compares the version that the linker says it is with the compiler's. */
#ifndef VERSION_CHECK_H
#define VERSION_CHECK_H

#include "description.h"

/* Where the description names the linker's version (only its early shape does), runs the compiler
 * with --version and warns where the two differ: bitcode is not exchanged between versions. Says
 * nothing where either cannot be had. */
void version_compare(const struct description *description);

#endif

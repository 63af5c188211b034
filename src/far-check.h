/* What an administrator asks of dtlto-clang on the far side of a farm. */
#ifndef FAR_CHECK_H
#define FAR_CHECK_H

/* Prints which compilers this node has for bundles, whether distccd would run this program, which
 * libarchive reads bundles, and which limits hold. Returns 0 where all is right, else 1. */
int far_check(void);

/* Whether the compiler of an icecream environment runs here: a worker runs the environment's
 * /bin/true once, and takes no job for it where that fails. */
int far_try(void);

/* Prints the target of the node's first compiler, as "clang -dumpmachine" does; icecc asks. */
int far_print_target(void);

#endif

/* dtlto-clang at home: has one backend compilation done by a carrier, a compile farm's client, or
 * does it here. */
#ifndef HOME_H
#define HOME_H

#include "words.h"

/* What ninja runs: the carrier's name, the file that lists the inputs (a response file that ninja
 * has written: words, and behind "--" more of the command's), and the command, compiler first. */
struct home {
    const char *self; /* this program, as it was called */
    const char *through;
    const char *inputs;
    struct words command;
};

/* Returns the status that the compilation itself would have had: a carrier that fails costs time
 * only. Beside the file of inputs it leaves a note (note.h), if the file for that is there. Where a
 * signal ended the compilation, or came to this process, ends by that signal. */
int home_main(const struct home *home);

/* Where a carrier runs this program on this machine, and not on another, in place of the compiler:
 * runs the command itself, in a slot, and notes that it did. BASE is what home_main put into the
 * variable HOME_JOB. */
#define HOME_JOB "DTLTO_CLANG_JOB"

/* Must be set for the command of a compilation to be run: distccd hands its clients' arguments to
 * dtlto-clang, but not their environment. */
#define HOME_VARIABLE "DTLTO_CLANG_HOME"
int home_again(const char *base, int argc, char **argv);

/* Where a cache runs this program in front of the compiler, which is ARGV[1], by its path: has the
 * farm's client run it, and checks the object before the cache gets it. BASE is as for home_again;
 * the name of the carrier, THROUGH, is in the variable HOME_PREFIX. Returns the client's status, or
 * FAR_OBJECT. */
#define HOME_PREFIX "DTLTO_CLANG_PREFIX"
int home_prefix(const char *base, const char *through, int argc, char **argv);

#endif

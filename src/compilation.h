/* One backend compilation as lld has it in a description, and which of its options may be run on
 * another machine.
 *
 * lld 22 writes little: "-c --target=TRIPLE -ON -faddrsig -ffunction-sections -fdata-sections
 * [-fpic] [-mllvm -no-pgo-warn-mismatch] [-fprofile-sample-use=FILE]
 * -Wno-unused-command-line-argument", then what --thinlto-remote-compiler-arg adds, then
 * "MODULE -fthinlto-index=SHARD -o OBJECT". Between compiler and options may stand what
 * --thinlto-remote-compiler-prepend-arg says (LLVM's DTLTO, buildCommonRemoteCompilerOptions). */
#ifndef COMPILATION_H
#define COMPILATION_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"
#include "words.h"

/* An option that names a file: one of the other inputs, which has to travel along. */
struct carried {
    size_t option; /* which of compilation.options it is */
    size_t prefix; /* the length of what stands in front of the file's name in it */
    size_t input;  /* which of the inputs the file is */
};

/* The strings belong to those who gave the command. */
struct compilation {
    const char *subcommand; /* "clang" in "llvm clang -c ..."; a null pointer where there is none */
    const char *module;     /* the first of the inputs */
    const char *index;      /* the shard of the index */
    const char *output;
    const char *target;      /* the triple that counts; its option is among the others, too */
    struct words options;    /* all others in their order, without -c and -x ir; those in CARRIED
                              * are not for compilation_allowed */
    struct carried *carried; /* owned; ascending in OPTION */
    size_t carried_count, carried_room;
};

/* Takes COMMAND, which is without the compiler, apart. INPUTS are the files that the job reads, the
 * module in front, the description's common ones among them; MLLVM is what compilation_allowed
 * wants. Returns false where the job cannot be packed and is to be run as it is, at home; REASON
 * then gets a short text such as "option '-fplugin=x' is not allowed", which holds bytes of COMMAND
 * as they are. COMPILATION is to be freed in any case. */
bool compilation_take(struct compilation *compilation, const struct words *command,
                      const struct words *inputs, const char *mllvm, struct text *reason);
void compilation_free(struct compilation *compilation);

/* Whether OPTION, with the word NEXT behind it (a null pointer for none), is one of those that only
 * say how code is generated and what is printed: it names no file and no folder, loads no code,
 * writes no other file, runs no program, and means the same on any machine. Returns the number of
 * words that it takes, 1 or 2, or 0 where it is not allowed. It knows nothing of what
 * compilation_take keeps apart: -c, -x ir, -o, -fthinlto-index= and the options that carry files.
 * Of the values of -mllvm, which can do anything, those in MLLVM are allowed, words with blanks
 * between them (a null pointer for none), and the one that lld itself writes. */
size_t compilation_allowed(const char *option, const char *next, const char *mllvm);

/* The length of the part in front of the file's name where OPTION is one that may carry a file, as
 * "-fprofile-sample-use=FILE" is; else 0. */
size_t compilation_file_prefix(const char *option);

#endif

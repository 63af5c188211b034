/* A bundle: all that one backend compilation reads, in one tar archive that goes through a compile
 * farm or a compiler cache as if it was one preprocessed source file.
 *
 * Its first member, "dtlto-bundle", is a text that says what is to be done:
 *
 *   dtlto-bundle 1                      the format; a reader takes no other
 *   compiler Debian clang version ...   the first line of the compiler's --version
 *   target x86_64-pc-linux-gnu          and its target
 *   members 3                           how many follow, all regular files
 *   bytes 12345                         and their sizes together
 *   module m0000001                     what is compiled; in a tree, its place
 *   option -O2                          one word of the command a line, in order
 *   file -fprofile-use= f0000000        the same, with the path of a member behind it
 *   place m0000001 sub/a.o              in a tree: where a member must be
 *   end
 *
 * Then come the index shard ("index", unless the compilation has none), the modules ("m", and their
 * rank in the order of their names) and other files ("f", and a number). Nothing in it depends on
 * anything but what is compiled: no path, time, user or machine, unless the modules must stand in a
 * tree. So the same compilation makes the same bundle, byte for byte. */
#ifndef BUNDLE_H
#define BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "identity.h"
#include "text.h"

#define BUNDLE_INDEX  "index"
#define BUNDLE_OBJECT "object" /* what the compiler writes, beside the members */

struct bundle_option {
    char *text;   /* owned */
    char *member; /* owned; the member whose path comes right behind the text, or a null pointer */
};

struct bundle_member {
    char *name;  /* owned */
    char *path;  /* owned; the file that it is made of; not in a bundle that was read */
    char *place; /* owned; in a tree, where it must be; else a null pointer */
};

/* Start with {0}; free with bundle_free. */
struct bundle {
    struct identity identity; /* of the compiler */
    char *module;             /* owned; the argument of the compiler: a member, or its place */
    bool has_index;
    bool has_no_room;  /* reading it has ended because a member could not be written */
    struct text index; /* its content; not in a bundle that was read */
    struct bundle_option *options;
    size_t option_count, option_room;
    struct bundle_member *members; /* without the index */
    size_t member_count, member_room;
};

/* Each copies its strings; MEMBER and PLACE may be null pointers. */
void bundle_add_option(struct bundle *bundle, const char *text, const char *member);
void bundle_add_member(struct bundle *bundle, const char *name, const char *path,
                       const char *place);
void bundle_free(struct bundle *bundle);

/* Whether PLACE is one that a member may have in a tree: a relative path that stays in its folder,
 * is not too long or deep, is not spelled in two ways, is not where the index or the object must
 * be, and that a compiler does not take for an option or a response file. */
bool bundle_is_place(const char *place);

/* Writes the bundle to the new file PATH, mode 0600. Returns false, with PROBLEM saying why and the
 * file removed, where that cannot be done. */
bool bundle_write(const struct bundle *bundle, const char *path, struct text *problem);

/* What a reader takes at most. */
struct bundle_limits {
    uint64_t bytes;   /* of all members together */
    uint64_t members; /* how many */
};

/* Reads a bundle from the descriptor FD and puts its members into FOLDER, an empty directory that
 * is open as a descriptor and that nobody else can write to. Trusts nothing: anything that is not
 * as above ends it. Returns false with PROBLEM saying why. BUNDLE starts as {0} and is freed in any
 * case. */
bool bundle_read(struct bundle *bundle, int fd, int folder, const struct bundle_limits *limits,
                 struct text *problem);

#endif

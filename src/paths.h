/* File names, each kept once, and which of them name the same file.
 *
 * Two names are the same file where their last components are equal and what is in front of those
 * is one directory (same device and inode), so "x.o", "./x.o", "dir/../x.o" and "/cwd/x.o" are, and
 * "a/../x.o" with "a" a symbolic link to elsewhere is not "x.o". This holds for files that do not
 * exist yet, as the outputs. */
#ifndef PATHS_H
#define PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct paths;

/* Which job has named a file first, where it is no job that did: */
#define ALL_JOBS         ((size_t)-1) /* common.inputs */
#define DESCRIPTION_FILE ((size_t)-2) /* the file is the description itself */
#define TEMPLATE_FILE    ((size_t)-3)
#define MANIFEST_FILE    ((size_t)-4)

struct path {
    const char *text;  /* as the description spells it */
    struct path *file; /* the first name met of the same file, perhaps this one */
    bool in_directory; /* the directory that it would be in exists */
    /* Whether ninja can be told the name: its syntax can say it, it has no more components than
     * ninja takes, and what ninja makes of it (ninja resolves "x/.." in the text, not in the file
     * system) is the same file. */
    bool sayable;
    bool is_input, is_output;     /* set by the caller, on path->file */
    size_t input_job, output_job; /* which have named it as that first */
    off_t size;                   /* of an input, in bytes, when it was looked at */
};

struct paths *paths_new(void);
void paths_free(struct paths *paths);

/* The one struct path for the name TEXT; *IS_NEW says whether it was not there before. It belongs
 * to PATHS. */
struct path *paths_add(struct paths *paths, const char *text, bool *is_new);

/* The struct path for the name TEXT, a null pointer where it was not added. */
const struct path *paths_find(const struct paths *paths, const char *text);

/* Gets names ready that paths_add_fetched is about to be called with: in a large link each is
 * somewhere else in memory, and fetching some together takes much less time. They are the first
 * PATHS_TOGETHER of TEXTS, or all COUNT of it; HASHES gets what that function wants of each. */
enum { PATHS_TOGETHER = 32 };
void paths_fetch(const struct paths *paths, const char *const *texts, size_t count,
                 uint64_t hashes[PATHS_TOGETHER]);

/* Does what paths_add does, for a name that paths_fetch has found the HASH of. */
struct path *paths_add_fetched(struct paths *paths, const char *text, uint64_t hash, bool *is_new);

/* What ninja takes PATH for: without ".", with "x/.." and "//" resolved in the text (ninja's
 * CanonicalizePath). The caller frees it. */
char *path_as_ninja(const char *path);

#endif

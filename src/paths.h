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

struct paths;

/* Where in the description a name was met first. */
struct mention {
    size_t job; /* NO_JOB: in common.inputs */
    size_t position;
};
#define NO_JOB ((size_t)-1)

struct path {
    const char *text;  /* as the description spells it */
    struct path *file; /* the first name met of the same file, perhaps this one */
    bool in_directory; /* the directory that it would be in exists */
    /* Whether ninja can be told the name: its syntax can say it, and what ninja makes of it
     * (ninja resolves "x/.." in the text, not in the file system) is the same file. */
    bool sayable;
    bool is_input, is_output; /* set by the caller, on path->file */
    struct mention input, output;
};

struct paths *paths_new(void);
void paths_free(struct paths *paths);

/* The one struct path for the name TEXT; *IS_NEW says whether it was not there before. It belongs
 * to PATHS. */
struct path *paths_add(struct paths *paths, const char *text, bool *is_new);

/* What ninja takes PATH for: without ".", with "x/.." and "//" resolved in the text (ninja's
 * CanonicalizePath). The caller frees it. */
char *path_as_ninja(const char *path);

#endif

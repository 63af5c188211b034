/* What the files of a link are called in its repro. */
#ifndef REPRO_NAMES_H
#define REPRO_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "description.h"
#include "text.h"

enum repro_kind { REPRO_MODULE, REPRO_SHARD, REPRO_OTHER };

/* An input. */
struct repro_file {
    char *path; /* owned; as the description has it */
    char *name; /* owned; in the repro, relative to where the compiler runs */
    enum repro_kind kind;
    size_t job;       /* the first that reads it */
    bool is_in_place; /* a device, which has its own name everywhere, and is not copied */
};

/* Start with {0}; free with names_free. */
struct repro_names {
    struct lh_table *table;    /* owned: path -> struct repro_file * */
    struct repro_file **files; /* owned, each; in the order in which they were added, and after
                                * names_make in that of their names */
    size_t count, room;
    bool in_tree; /* modules keep their names */
};

/* Adds the inputs of a job, or those that all jobs share. */
void names_add_job(struct repro_names *names, const struct job *job);
void names_add_common(struct repro_names *names, const struct common *common);

/* Names all files: modules by their rank, so that names sort as the paths do, which the objects
 * depend on; or IN_TREE, where they keep their paths, seen from a folder "tree". Returns false
 * where these are not all relative paths that stay below it. May be called again. */
bool names_make(struct repro_names *names, bool in_tree);

/* The file of this path, a null pointer where it is none. */
const struct repro_file *names_find(const struct repro_names *names, const char *path);

/* Appends what the output OUTPUT of the job is called. */
void names_output(const struct repro_names *names, struct text *out, const struct job *job,
                  size_t output);

/* Appends the name of a file as seen from the top of the repro. */
void names_from_top(const struct repro_names *names, struct text *out, const char *name);

/* Appends WORD of the command of JOB (a null pointer: of all jobs) with the repro's names in place
 * of files: where all of the word is one, or all that stands behind some '='. Returns whether it
 * holds no other path. */
bool names_word(const struct repro_names *names, struct text *out, const struct job *job,
                const char *word);

/* The index shard that the command names, a null pointer where it names none. */
const char *names_shard(const struct job *job);

void names_free(struct repro_names *names);

#endif

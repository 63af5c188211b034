/* The files of a link: what its jobs read, and what they promise to write. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "description.h"
#include "message.h"
#include "paths.h"

/* An output that a job promises. */
struct promise {
    const struct path *path;
    size_t job;
};

/* How much bitcode a job reads, in bytes. */
struct weight {
    off_t module, imports;
};

/* All that has to be known of the files after the jobs have been read: it grows with the number of
 * modules and outputs, not with the imports. */
struct files {
    struct paths *paths;
    struct promise *promises; /* owned; in the order of the description */
    size_t promise_count, promise_room;
    off_t *offsets; /* owned; of the jobs in the description */
    size_t job_count, job_room;
    struct weight *weights; /* owned; of the jobs */
    size_t weight_room;
    const struct path **current; /* owned; of the last job: its inputs, then its outputs */
    size_t current_room;
    char *target;  /* owned; what the objects are for, by the first job whose command says it */
    bool tolerant; /* inputs may be missing: they are counted */
    size_t absent; /* such inputs */
    char *first_absent; /* owned; where the first one stands, and its name */
};

/* Starts with the inputs that all jobs share, and with the files that no job may write: the
 * description, and where they are not null pointers the template and the manifest. An input that is
 * missing ends it with STATUS_USAGE, one that cannot be read with STATUS_SYSTEM, unless TOLERANT.
 * FILES is freed with files_free in any case. */
enum status files_start(struct files *files, const struct description *description,
                        const char *template, const char *manifest, bool tolerant);

/* Checks the files of one job, in the order of the description: each input must be a readable file
 * (each distinct one is looked at once; it may be empty, or /dev/null, as an index shard may),
 * each output must be promised once and be no input. */
enum status files_add(struct files *files, const struct description *description,
                      const struct job *job);

/* The target that the command of JOB asks for, as object_target has it; a null pointer where it
 * says none. The caller frees it. */
char *files_job_target(const struct description *description, const struct job *job);

/* Where inputs were missing that may be, says how many, and which the first is. */
void files_warn(const struct files *files, const struct description *description);

void files_free(struct files *files);

/* The struct path of a name that was checked before. Those of the job that was added last are in
 * files->current. */
const struct path *files_path(const struct files *files, const char *text);

/* Removes what stands at the places of the outputs, so that nothing old can be taken for new, and
 * checks that they could be written there. On failure nothing was removed that is no regular file
 * or symbolic link. */
enum status files_clear(const struct files *files);

/* Removes all outputs, and what a compiler that was killed leaves beside them. For a link that
 * failed or was interrupted: prints nothing, and cannot fail usefully. */
void files_discard(const struct files *files);

#endif

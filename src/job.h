/* A backend compilation, as the description has it. */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "words.h"

/* One backend compilation: the command is compiler, common args, args. The strings belong to the
 * description and are valid until the next job is read. */
struct job {
    size_t index; /* in the description, from 0 */
    off_t offset; /* where it stands in the file, for description_reread */
    struct words args;
    struct words inputs;  /* bitcode module, index shard, then the modules imported from; or none */
    struct words outputs; /* the object, then others; at least one */
    bool references;      /* it was of the reference shape */
    size_t imports;       /* of that shape: how many of the inputs are its "imports" */
};

void job_free(struct job *job);

/* What people call the job: its bitcode module, or its first output where it has no input. */
const char *job_module(const struct job *job);

/* How many of the job's inputs are bitcode (its module, the index shard, the modules imported
 * from); they come first. */
size_t job_bitcode_inputs(const struct job *job);

/* Where in the description an input of the job stands: the name of the array, and in *POSITION the
 * index in that array. INPUT is an index into job->inputs. */
const char *job_input_place(const struct job *job, size_t input, size_t *position);

/* The same for an output. */
const char *job_output_place(const struct job *job, size_t output, size_t *position);

#endif

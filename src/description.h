/* Reads a job description as lld writes it for a DTLTO distributor, one job at a time.
 *
 * Two shapes are told apart by what they hold (neither has a version field):
 * - flat (LLVM 21 and later): common{linker_output, args, inputs}, jobs[{args, inputs, outputs}],
 *   all strings; a job's command is common.args followed by its own args (LLVM's docs/DTLTO.rst).
 * - references (early 2025): an entry of common.args may be an array [NAME, PART...], which stands
 *   for its parts joined: strings stand for themselves, an integer is an index into the array NAME
 *   of the job. The job names its files as primary_input, summary_index, primary_output, imports,
 *   additional_inputs and additional_outputs.
 * Both come out as the same struct job, with the same command word for word. */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "job.h"
#include "message.h"
#include "words.h"

struct description;

/* What the jobs share; owned by the description. */
struct common {
    const char *linker_output;
    const char *linker_version; /* a null pointer where there is none */
    const char *compiler;
    struct words args; /* behind the compiler, up to the first that depends on the job */
    struct words inputs;
};

/* What stands between the compiler and its options, as in "llvm clang -c"; a null pointer where
 * there is nothing. */
const char *common_subcommand(const struct common *common);

/* Opens the description PATH, which must outlive it, and reads what is common to the jobs. Returns
 * a null pointer, after a message and with *STATUS set, where that cannot be had. The caller closes
 * it with description_close. */
struct description *description_open(const char *path, enum status *status);
void description_close(struct description *description);

const struct common *description_common(const struct description *description);
const char *description_path(const struct description *description);

/* The size of the file in bytes; very large where it is no regular file. */
off_t description_size(const struct description *description);

/* Reads the next job. Returns true with *JOB filled; false at the end (the whole file was valid)
 * or, with *STATUS set and a message printed, at an error. *JOB starts as {0} and is freed with
 * job_free. Keys that it does not know are named in one warning at the end. */
bool description_next(struct description *description, struct job *job, enum status *status);

/* Reads a job again that description_next returned with this offset and index. */
enum status description_reread(struct description *description, off_t offset, size_t index,
                               struct job *job);

#endif

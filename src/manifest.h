/* Writes the manifest: the build.ninja of a link, one edge a backend compilation. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

#include "description.h"
#include "files.h"
#include "message.h"
#include "template.h"
#include "text.h"

struct manifest;

/* Starts the manifest for DESCRIPTION with TEMPLATE. They must outlive it, and so must FILES, which
 * files_start has begun. PATH is the file to write, "-" for stdout; a file that exists is replaced
 * only when the manifest is complete. With BUILDDIR not a null pointer, ninja keeps its log there,
 * and else where it is run. WARM is what goes in front of a compilation, as the shell takes it, for
 * templates that use it; a null pointer for nothing. Returns a null pointer after a message where
 * that cannot be done. */
struct manifest *manifest_start(const char *path, const char *builddir,
                                const struct description *description, const struct files *files,
                                const struct template *template, const char *warm,
                                enum status *status);

/* Writes the edge of JOB, the one that files_add was called for last. */
enum status manifest_add(struct manifest *manifest, const struct job *job);

/* Completes the file, or with DISCARD removes it; frees the manifest. */
enum status manifest_finish(struct manifest *manifest, bool discard);

/* Under what name ninja knows the job INDEX where it cannot be told any of its outputs; appended
 * to OUT as it stands, not quoted. */
void manifest_alias(struct text *out, size_t index);

#endif

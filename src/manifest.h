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

/* What a manifest is for. */
struct manifest_use {
    const char *path;     /* the file to write, "-" for stdout */
    const char *builddir; /* where ninja keeps its log; a null pointer: where it is run */
    const char *warm;     /* what goes in front of a compilation, as the shell takes it, for
                           * templates that use it; a null pointer for nothing, to which it may be
                           * changed as late as manifest_finish */
    const char *clang;    /* dtlto-clang, as the shell takes it; a null pointer for none */
    bool with_imports;    /* the edges name the modules that are imported from, too */
};

/* Starts the manifest for DESCRIPTION with TEMPLATE. They must outlive it, and so must USE, and
 * FILES, which files_start has begun. A file that exists is replaced only when the manifest is
 * complete. Returns a null pointer after a message where that cannot be done. */
struct manifest *manifest_start(const struct manifest_use *use,
                                const struct description *description, const struct files *files,
                                const struct template *template, enum status *status);

/* Adds the edge of JOB, the one that files_add was called for last. Edges are put into the file by
 * the size of their module, the largest first, since that one takes longest; they are held in
 * memory until then. */
enum status manifest_add(struct manifest *manifest, const struct job *job);

/* Writes the edges and completes the file, or with DISCARD removes it; frees the manifest. */
enum status manifest_finish(struct manifest *manifest, bool discard);

#endif

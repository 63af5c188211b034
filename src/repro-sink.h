/* Where a repro is written: a folder, or a tar archive. It appears under its name when it is
 * complete, and nothing is left of one that is not. */
#ifndef REPRO_SINK_H
#define REPRO_SINK_H

#include <stdbool.h>

#include "tar.h"
#include "text.h"

/* What the manifest of each repro begins with: a folder that has it may be replaced. */
#define REPRO_HEAD "# A repro: the backend compilations of one ThinLTO link, to be run again."

#define REPRO_MANIFEST "build.ninja"

/* Start with {0}. */
struct sink {
    const char *place;     /* as the user gave it */
    bool is_tar;           /* it ends in ".tar" */
    struct text temporary; /* its name until it is complete */
    struct text top;       /* of the members of an archive: "NAME/" */
    struct text path;      /* of the last file */
    int fd;                /* of the archive */
    struct tar tar;
    struct text problem; /* why the last function failed, for people */
};

/* Whether PLACE is that of an archive. */
bool sink_is_tar(const char *place);

/* Begins to write to PLACE. False, with the problem, where that cannot be; sink_end must be called
 * all the same. */
bool sink_start(struct sink *sink, const char *place);

/* Adds the file NAME, with folders in front of it where it has any, of this text; or as a copy of
 * the file PATH, of which *IS_MISSING says that it cannot be read: the repro may go on without it.
 */
bool sink_text(struct sink *sink, const char *name, const struct text *text);
bool sink_copy(struct sink *sink, const char *name, const char *path, bool *is_missing);

/* Puts what was written in its place if it is GOOD so far, else removes it. Returns whether the
 * repro is there. SINK is freed but for the problem, which the caller frees. */
bool sink_end(struct sink *sink, bool good);

#endif

/* Writes a repro: all that is needed to run backend compilations of a link again, on another
 * machine, without the linker and the sources. It is a folder, or a tar archive of one, with
 *
 *   README           what it is
 *   build.ninja      the manifest; its paths are relative
 *   description.json the same as a job description, for dtlto-ninja
 *   compiler         what the compiler's --version printed
 *   names            what the files were called: a line each, the name here, a tab, the old one
 *   modules/ shards/ files/   the inputs, each once; the index shards name the modules as they are
 *                    called here
 *   tree/            instead of modules/, where a shard cannot be rewritten: modules under their
 * own names
 */
#ifndef REPRO_H
#define REPRO_H

#include <stdbool.h>

#include "description.h"
#include "files.h"

struct repro {
    const char *place;               /* where to: a folder, or a file that ends in ".tar" */
    struct description *description; /* which has been read to its end */
    const struct files *files;       /* of it, so that inputs were looked at */
    const bool *wanted;              /* for each job: it is to be in; a null pointer: all are */
    const char *folder;              /* where files may be written for the time being */
    bool quiet;                      /* nothing is said where all goes well */
};

/* Writes it. Whatever goes wrong is a warning, and leaves nothing behind, but for an input that
 * cannot be read, without which it is made. Memory is taken for names, and for one shard at a time.
 */
void repro_write(const struct repro *repro);

#endif

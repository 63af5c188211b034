/* What came of a run: every promised output must be there and not be empty, and the object whole
 * and for the target of its command. clang exits 0 after some failures and leaves an empty object,
 * and lld links an empty object in silence (seen with LLVM 22.1.8), so ninja's success says little.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdbool.h>

#include "description.h"
#include "files.h"
#include "guard.h"
#include "message.h"
#include "ninja-log.h"
#include "progress.h"

/* A run that has ended. */
struct run {
    struct description *description;
    const struct files *files;
    const struct ending *ending;
    struct progress *progress;
    const struct ninja_log *log; /* a null pointer where it is not known where that is */
    bool kept;                   /* the manifest is, so people need not be told how */
    bool *failed;                /* one for each job, set where it failed; or a null pointer */
};

/* Judges a run: says what failed, in which module, and why, as far as its inputs tell, with what
 * the compiler said and its command. Where anything did, no output is left. Returns the status that
 * the program ends with. */
enum status outcome_judge(const struct run *run);

#endif

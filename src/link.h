/* One link: from its options to its outputs. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "description.h"
#include "farm.h"
#include "files.h"
#include "guard.h"
#include "jobserver.h"
#include "message.h"
#include "ninja-log.h"
#include "ninja.h"
#include "options.h"
#include "progress.h"
#include "review.h"
#include "template.h"
#include "text.h"
#include "warm.h"

/* Start with {0} and when it BEGAN; free with link_free. */
struct link {
    struct options options;
    struct template template;
    struct description *description;
    struct files files;
    struct ninja ninja;
    struct jobserver jobserver;
    struct warm warm;
    struct farm farm;
    int64_t began;        /* when this program was, in microseconds since 1970 */
    bool is_warm;         /* the template's command goes through it */
    bool is_measured;     /* it goes through dtlto-warm in any case, for its notes */
    const char *folder;   /* the private one; a null pointer until it is made */
    struct text manifest; /* where the manifest is */
    /* What came of ninja, where it was run. */
    struct progress progress;
    struct ending ending;
    struct ninja_log log;
    bool *failed; /* owned; one for each job */
    struct review review;
};

/* Does what the options of LINK ask for, RUN or GENERATE, with its template, which is loaded, and
 * its jobserver, which is open. Returns the status that the program ends with; each but STATUS_OK
 * comes with a message, but where a signal was caught. */
enum status link_perform(struct link *link);

void link_free(struct link *link);

#endif

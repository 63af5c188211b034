/* What dtlto-ninja does for a template that goes through dtlto-clang: it finds that program, tells
 * it in the environment what is the same for all jobs, and counts afterwards where they ran. */
#ifndef FARM_H
#define FARM_H

#include <stdbool.h>
#include <stddef.h>

#include "description.h"
#include "message.h"
#include "options.h"
#include "template.h"
#include "text.h"

/* Start with {0}; free with farm_free. */
struct farm {
    bool is_used;        /* the template names dtlto-clang */
    struct text through; /* the carrier that the template names; empty where it names none */
    struct text program; /* the path of dtlto-clang */
    struct text command; /* the same as a word for the shell */
    char jobs[32];       /* how many run at a time unless -j says so; empty for no opinion */
};

/* Looks at TEMPLATE, which must outlive FARM, and finds dtlto-clang if it is used: the one of
 * $DTLTO_CLANG, beside this program, or where make install puts it. STATUS_SYSTEM, after a message,
 * where there is none. */
enum status farm_find(struct farm *farm, const struct template *template);

/* Before ninja is run, for a farm that is used: asks the compiler of DESCRIPTION who it is, makes
 * the environment archive of an icecream farm where there is none yet, and finds out how many jobs
 * the farm takes. FOLDER is the private one, where dtlto-clang leaves what farm_report reads. SLOTS
 * is how many may run on this machine where the farm does not take them. OPTIONS say whether the
 * making is announced, and whether dtlto-clang says where jobs run, and why. */
enum status farm_prepare(struct farm *farm, const struct description *description,
                         const char *folder, size_t slots, const struct options *options);

/* After ninja: says where the JOBS jobs ran, from what dtlto-clang left in FOLDER. */
void farm_report(const struct farm *farm, const char *folder, size_t jobs);

void farm_free(struct farm *farm);

#endif

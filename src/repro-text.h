/* What a repro says: its manifest, description, table of names and README. */
#ifndef REPRO_TEXT_H
#define REPRO_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "description.h"
#include "repro-names.h"

enum { REPRO_MOST_MISSING = 20 }; /* inputs that are named */

struct repro_job {
    size_t index;
    off_t cost; /* the larger, the earlier it should start */
    off_t offset;
};

/* What is said. */
struct repro_facts {
    struct description *description;
    const struct repro_names *names;
    struct repro_job *jobs; /* owned */
    size_t job_count;
    bool is_partial;         /* only jobs that failed are in */
    bool is_broken;          /* some index shard names modules that are not there */
    struct text tree_reason; /* why an index shard cannot be rewritten */
    struct text missing;     /* inputs that could not be read: a line each of the first few */
    size_t missing_count;
    struct text version; /* of the compiler */
};

/* Puts the jobs into the order in which ninja shall start them. */
void repro_text_sort(struct repro_facts *facts);

/* Each writes one of the files. False, errno set, where that cannot be done. */
bool repro_text_manifest(FILE *file, const struct repro_facts *facts);
bool repro_text_description(FILE *file, const struct repro_facts *facts);
bool repro_text_names(FILE *file, const struct repro_facts *facts);

void repro_text_readme(struct text *out, const struct repro_facts *facts);
void repro_text_free(struct repro_facts *facts);

#endif

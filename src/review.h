/* What is said and written of a run after it: a line that sums it up, --trace and --report. */
#ifndef REVIEW_H
#define REVIEW_H

#include "files.h"
#include "message.h"
#include "options.h"
#include "record.h"

/* Start with {0}; free with review_free. */
struct review {
    struct record_source source; /* of which only description and files are left */
    struct record record;
    bool is_described; /* record_describe has seen the record */
};

/* Whether the options ask for a file about the run, which notes are wanted for. */
bool review_wants_file(const struct options *options);

/* Refuses, as STATUS_USAGE and with a message, to write such a file over one of FILES, which must
 * be complete, or over the linked file of DESCRIPTION; a repro over an output, as it refuses by
 * itself to replace what is there; and two of these to one place. */
enum status review_check(const struct options *options, const struct files *files,
                         const struct description *description);

/* Takes the record of a run from SOURCE, before its outputs are judged. Says the line, where the
 * run took more than a few seconds or the options ask for more. */
void review_take(struct review *review, const struct record_source *source,
                 const struct options *options);

/* Writes the files that the options ask for, of a run with the template of this name that ends with
 * STATUS. One that cannot be written is a warning, and is not there then. Writes nothing once a
 * signal was caught. */
void review_write(const struct review *review, const struct options *options, const char *template,
                  enum status status);

void review_free(struct review *review);

#endif

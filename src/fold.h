/* Shows a warning that many compilations print once, with a count at the end.
 *
 * A diagnostic is a line with "warning: ", "remark: " or "error: " at its beginning or behind a
 * blank, and all lines up to the next such one: notes, source lines. Two are the same where all of
 * that is, but for what names the module: names of files of this link. Only warnings and remarks
 * are ever left out; errors, and whatever is not known to be a diagnostic, are shown each time. */
#ifndef FOLD_H
#define FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Start with {0}, or with IS_NAME set; free with fold_free. */
struct fold {
    /* Whether the string NAME is the name of a file of this link; a null pointer: none is. */
    bool (*is_name)(void *context, const char *name);
    void *context;
    struct lh_table *seen; /* owned */
    struct said *first, *last;
    size_t bytes; /* that are kept; they are bounded, and then nothing new is left out */
};

/* Appends to OUT what is to be shown of the LENGTH bytes at DATA, which one compilation, or
 * several, have printed: in the same order, without the warnings that were shown before. clang's
 * count of them at the end ("2 warnings generated.") goes too where it counts one that is not
 * shown. */
void fold_take(struct fold *fold, const char *data, size_t length, struct text *out);

/* Says of each diagnostic that was left out how often that was, in the order in which they came
 * first; of many, the last ones together in one line. */
void fold_report(const struct fold *fold);

void fold_free(struct fold *fold);

#endif

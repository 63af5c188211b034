/* By what names ninja knows the edge of a job: in its log, and where it says that one failed. */
#ifndef EDGE_H
#define EDGE_H

#include <stddef.h>

#include "files.h"
#include "text.h"

/* What the edge of the job INDEX is called where ninja can be told none of its outputs; appended to
 * OUT as it stands, not quoted. */
void edge_alias(struct text *out, size_t index);

/* The first name that ninja's log has for the edge of the job whose first promise in FILES is
 * FIRST: that of an output, as ninja spells it, or the alias. The caller frees it. */
char *edge_in_log(const struct files *files, const struct promise *first);

/* What ninja calls the same edge in messages: all of its outputs that it can be told, with a blank
 * between two, or the alias. The caller frees it. */
char *edge_in_messages(const struct files *files, const struct promise *first);

#endif

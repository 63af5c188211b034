/* What people need who want to look closer at a backend compilation. */
#ifndef ADVICE_H
#define ADVICE_H

#include <stdbool.h>

#include "description.h"
#include "text.h"

/* Appends to OUT the command of JOB, one of a description with COMMON, for a shell in any
 * directory: one line, without its end. It is the compiler's own, whatever the template makes of
 * it. */
void advice_command(struct text *out, const struct common *common, const struct job *job);

/* Appends the part of it that all jobs have: without the job's arguments and the blank before them.
 */
void advice_common_command(struct text *out, const struct common *common);

/* Shows the command of JOB on stderr, on a line of its own; where it is very long, says so instead.
 */
void advice_show_command(const struct common *common, const struct job *job);

/* Says how a link that failed can be kept for another look. KEPT: the manifest is. */
void advice_keep(bool kept);

#endif

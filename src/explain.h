/* Says all that is known of one backend compilation, from a description that was kept or a repro.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "message.h"

/* Explains on stdout the compilation of MODULE, which names it by its path, its file name, or a
 * part of that; the first of these that fits a module counts. PLACE is a description, whose paths
 * hold in the current directory, or the folder of a repro, which is made the current one. Where
 * nothing or more than one module fits, that is STATUS_USAGE, after a message with names. */
enum status explain(const char *module, const char *place);

#endif

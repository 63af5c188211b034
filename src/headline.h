/* The line that sums up a run. */
#ifndef HEADLINE_H
#define HEADLINE_H

#include "record.h"
#include "text.h"

/* Appends to OUT, for instance, "458 of 458 modules in 34.2 s, 7.6 of 8 processors kept busy, the
 * slowest took 4.1 s: 'sql.o'". This machine has so many PROCESSORS; where a farm did jobs, the
 * jobs under way are counted in their place. SLOWEST names the slowest module, a null pointer: not
 * known. */
void headline_say(struct text *out, const struct record *record, size_t processors,
                  const char *slowest);

#endif

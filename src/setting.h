/* Numbers that users and administrators set in the environment. */
#ifndef SETTING_H
#define SETTING_H

#include <stdbool.h>
#include <stdint.h>

/* Puts the value of the variable NAME, a number of UNIT ("seconds"), into VALUE, which stays as it
 * is where there is none. Returns false, after a message, for one that is no number: that must not
 * be taken for no limit. */
bool setting_read(const char *name, const char *unit, uint64_t *value);

#endif

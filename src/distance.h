/* How far two words are from each other: for "did you mean". */
#ifndef DISTANCE_H
#define DISTANCE_H

#include <stddef.h>

/* The number of letters to insert, remove or replace between two words, of which no more than the
 * first 255 bytes count. */
size_t distance(const char *a, const char *b);

#endif

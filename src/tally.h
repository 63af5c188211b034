/* Counts where backend compilations ran. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>

#include "text.h"

/* Appends to OUT what the LINES that dtlto-clang left say of JOBS jobs: "412 of 458 remote
 * (distcc), 40 local, 6 fell back: the host refused"; with a cache "9 of 12 from the cache
 * (ccache), 3 compiled". Each line is a note (note.h). THROUGH names the carrier, or is a null
 * pointer. LINES is changed. */
void tally_say(struct text *out, char *lines, size_t jobs, const char *through);

#endif

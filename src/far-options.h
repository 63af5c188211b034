/* The options of a bundle, on the far side: as words of the compiler's command, if they may be. */
#ifndef FAR_OPTIONS_H
#define FAR_OPTIONS_H

#include <stdbool.h>

#include "bundle.h"
#include "text.h"
#include "words.h"

/* Appends the options of BUNDLE to ARGV, if each is one that compilation.h allows with MLLVM, and
 * files go with those only that carry files. The words are in STORAGE, an empty text that must
 * outlive ARGV. Returns false with PROBLEM saying which option is not allowed. */
bool far_options(const struct bundle *bundle, const char *mllvm, struct words *argv,
                 struct text *storage, struct text *problem);

#endif

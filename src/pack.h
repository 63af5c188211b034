/* Packs a backend compilation into a bundle. */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>

#include "bundle.h"
#include "compilation.h"
#include "words.h"

/* Fills BUNDLE, which starts with the compiler's identity and nothing else, for COMPILATION, which
 * reads the files INPUTS: its module first, the index shard, those that it imports from, and what
 * its options name. Modules get names that keep their order, which decides the order of imports,
 * and the index shard is rewritten with these; where its layout is not known but all modules are
 * relative paths, they keep their places in a tree. Returns false, with REASON saying why in a few
 * words, where the compilation cannot be packed and must run at home. */
bool pack(struct bundle *bundle, const struct compilation *compilation, const struct words *inputs,
          struct text *reason);

#endif

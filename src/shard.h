/* Rewrites the index shard of a backend compilation (what clang's -fthinlto-index= names), so that
 * it names its modules otherwise: for running the compilation elsewhere. */
#ifndef SHARD_H
#define SHARD_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Appends to OUT the index shard of LENGTH bytes at DATA with other module paths. A shard of no
 * bytes, with which clang compiles a module as if alone, stays one.
 *
 * RENAME is called with CONTEXT and each module path of the shard, in the shard's order: PATH has
 * LENGTH bytes, none of them NUL, and a NUL behind them. It appends the new path to NAME, which is
 * empty before, or returns false where it does not know the module. PATH and NAME are valid during
 * the call only.
 *
 * What is written depends on the old paths only through what RENAME makes of them: not on their
 * lengths, on how they are encoded, or on the order that hashes of them gave the summaries (except
 * for kinds of summaries that summary.h does not know; they stay as they are).
 *
 * clang makes the same object of it as long as different paths stay different, the new ones sort as
 * the old ones (another order makes other code at times), and the module to be compiled is given to
 * it under its new path.
 *
 * Returns a null pointer, or a static text that says why the shard cannot be rewritten, to be put
 * behind its name and a colon; then OUT is as it was, though RENAME may have been called. Anything
 * but what LLVM's linkers write is refused. DATA is not trusted; LENGTH and what RENAME appends
 * bound the memory that is taken. */
const char *shard_rewrite(const char *data, size_t length,
                          bool (*rename)(void *context, const char *path, size_t length,
                                         struct text *name),
                          void *context, struct text *out);

#endif

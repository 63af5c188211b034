/* Looks into LLVM bitcode files, as far as telling why clang made nothing of one needs it.
 *
 * The container is described in LLVM's docs/BitCodeFormat.rst. Nothing here trusts the file. */
#ifndef BITCODE_H
#define BITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum bitcode {
    BITCODE_WHOLE,
    BITCODE_MISSING,
    BITCODE_UNREADABLE,
    BITCODE_EMPTY,
    BITCODE_TRUNCATED, /* its blocks reach past its end, or its string table is not there */
    BITCODE_FOREIGN,   /* not bitcode */
};

/* What the file PATH, a module or an index shard, is. */
enum bitcode bitcode_examine(const char *path);

/* Calls EACH with CONTEXT and every module path that the index shard PATH holds (its
 * MODULE_STRTAB_BLOCK), NUL-terminated. Stops early where EACH returns false. Returns false where
 * the shard could not be read to the end of that block. */
bool bitcode_each_module(const char *path, bool (*each)(void *context, const char *module),
                         void *context);

/* Finds the symbol table of the module PATH (its SYMTAB_BLOCK), which linkers read and compilers do
 * not: a tenth of a small module. *START and *END are the bytes that it takes; both are 0 where
 * there is none, or the file is not bitcode from its first byte to its last. */
void bitcode_symbol_table(const char *path, off_t *start, off_t *end);

#endif

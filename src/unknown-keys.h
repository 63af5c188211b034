/* The keys of a description that this version does not know: LLVM may add some. */
#ifndef UNKNOWN_KEYS_H
#define UNKNOWN_KEYS_H

#include <stddef.h>

enum { UNKNOWN_KEYS_NAMED = 8 };

/* Start with {0}. */
struct unknown_keys {
    char *names[UNKNOWN_KEYS_NAMED]; /* owned */
    size_t count;
};

/* Notes KEY, found WHERE ("", or a place with a dot behind it), unless it is known already or there
 * are many. */
void unknown_keys_note(struct unknown_keys *keys, const char *where, const char *key);

/* Names all that were found in the description PATH in one warning, if there were any. */
void unknown_keys_warn(const struct unknown_keys *keys, const char *path);

void unknown_keys_free(struct unknown_keys *keys);

#endif

/* A list of strings that it does not own. Start with {0}. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

struct words {
    const char **items; /* the array is owned, the strings are not */
    size_t count;
    size_t room;
};

/* Appends WORD, which must outlive the list; ends the program where memory runs out. */
void words_add(struct words *words, const char *word);

/* Empties the list, keeping its memory. */
void words_clear(struct words *words);
void words_free(struct words *words);

#endif

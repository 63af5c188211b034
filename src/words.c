#include "words.h"

#include <stdlib.h>

#include "memory.h"

void words_add(struct words *words, const char *word)
{
    words->items = grow(words->items, words->count, &words->room, sizeof *words->items);
    words->items[words->count++] = word;
}

void words_clear(struct words *words)
{
    words->count = 0;
}

void words_free(struct words *words)
{
    free(words->items);
    *words = (struct words){0};
}

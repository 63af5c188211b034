/* Takes apart what ninja prints: its own status lines, and between them blocks, each of which is
 * what one backend compilation has printed, with what ninja says of its failure in front.
 *
 * ninja prints the status of an edge and then, at once, the edge's output, so all up to the next
 * status is one block. A status is known by a mark that NINJA_STATUS begins with. On a terminal it
 * begins with a carriage return, and ends in an escape sequence and not in a newline. samurai
 * prints a status when a job begins, so that a block may be what several have printed. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* A control character that no compiler prints. It is never passed on. */
#define BLOCKS_MARK '\001'

struct blocks_calls {
    /* Takes a part of a status, which may be all of it. */
    void (*status)(void *context, const char *data, size_t length);
    /* Takes a block, NUL-terminated; with IS_PART it is a part of one that is too large to be held.
     */
    void (*block)(void *context, const char *data, size_t length, bool is_part);
    void *context;
};

/* Start with {.calls = ...}. */
struct blocks {
    struct blocks_calls calls;
    struct text held; /* of the block, or the end of the status so far */
    bool in_status;
    bool in_part; /* a part of this block was handed on */
};

void blocks_take(struct blocks *blocks, const char *data, size_t length);

/* Hands on what is left, at the end of ninja's output, and frees what was held. */
void blocks_end(struct blocks *blocks);

#endif

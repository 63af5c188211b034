#include "blocks.h"

#include <string.h>

enum { LARGEST_BLOCK = 64 << 10 };

static const char end_of_status[] = "\033[K"; /* on a terminal */

static void hand_on_status(struct blocks *blocks)
{
    if (blocks->held.length > 0)
        blocks->calls.status(blocks->calls.context, blocks->held.data, blocks->held.length);
    text_clear(&blocks->held);
}

static void hand_on_block(struct blocks *blocks, bool is_part)
{
    if (blocks->held.length > 0)
        blocks->calls.block(blocks->calls.context, blocks->held.data, blocks->held.length,
                            is_part || blocks->in_part);
    blocks->in_part = is_part;
    text_clear(&blocks->held);
}

static void begin_status(struct blocks *blocks)
{
    struct text *held = &blocks->held;
    bool on_terminal = held->length > 0 && held->data[held->length - 1] == '\r';

    if (on_terminal)
        held->data[--held->length] = '\0';
    hand_on_block(blocks, false);
    blocks->in_status = true;
    if (on_terminal)
        text_putc(held, '\r');
}

static bool ends_status(const struct text *held)
{
    size_t end = sizeof end_of_status - 1;

    return held->data[held->length - 1] == '\n' ||
           (held->length >= end &&
            memcmp(held->data + held->length - end, end_of_status, end) == 0);
}

void blocks_take(struct blocks *blocks, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (data[i] == BLOCKS_MARK) {
            if (!blocks->in_status)
                begin_status(blocks);
            continue;
        }
        text_putc(&blocks->held, data[i]);
        if (blocks->in_status && ends_status(&blocks->held)) {
            hand_on_status(blocks);
            blocks->in_status = false;
        } else if (!blocks->in_status && blocks->held.length >= LARGEST_BLOCK) {
            hand_on_block(blocks, true);
        }
    }
}

void blocks_end(struct blocks *blocks)
{
    if (blocks->in_status)
        hand_on_status(blocks);
    else
        hand_on_block(blocks, false);
    text_free(&blocks->held);
}

/* Puts the summaries of an index shard into an order of their own. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>

#include "bitstream.h"
#include "text.h"

/* Writes the content of the GLOBALVAL_SUMMARY_BLOCK whose head BLOCK was read from BITS to CONTENT,
 * an empty text, with everything where its GUID and its module's number put it: for the same
 * summaries it is the same, whatever numbers and places the linker gave them. To clang it says what
 * it said before.
 *
 * Returns false where not all of the block is known. CONTENT is of no use then, and the block is to
 * stay as it is. */
bool summary_rewrite(const struct bits *bits, struct block block, struct text *content);

#endif

/* LLVM's bitstream container: bits, and the blocks and records that they make up.
 *
 * It is described in LLVM's docs/BitCodeFormat.rst. What reads here does not trust what it reads:
 * all ends come from the caller, and one record never takes more than 8 MiB of memory. */
#ifndef BITSTREAM_H
#define BITSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* The blocks and records that this program knows, after LLVM's
 * include/llvm/Bitcode/LLVMBitCodes.h. */
enum {
    MODULE_BLOCK = 8,
    MODULE_STRTAB_BLOCK = 19,
    GLOBALVAL_SUMMARY_BLOCK = 20,
    STRTAB_BLOCK = 23,
    SYMTAB_BLOCK = 25,
    MODULE_CODE_VERSION = 1, /* in a MODULE_BLOCK: [version] */
    MST_CODE_ENTRY = 1,      /* in a MODULE_STRTAB_BLOCK: [module's number, character ...] */
    MST_CODE_HASH = 2,       /* there, of the entry before it: [32 bits, five times] */
};

/* The magic number in front of the blocks has so many bits. */
enum { MAGIC_BITS = 32 };

/* Bits that are read one after another, from the low end of each byte. */
struct bits {
    const unsigned char *data; /* what AT and END count from; the caller's */
    size_t at, end;            /* in bits */
    bool bad;                  /* more was asked for than there is, or it made no sense */
};

/* The next WIDTH bits, at most 64. Where there are not so many, 0, and BITS is bad. */
uint64_t bits_read(struct bits *bits, unsigned width);

/* The next number in parts of WIDTH bits, 2 to 32. Where it is cut off or needs more than 64 bits,
 * BITS is bad. */
uint64_t bits_read_vbr(struct bits *bits, unsigned width);

/* A block's head. */
struct block {
    unsigned id;
    unsigned width;    /* of the abbreviation ids inside, 2 to 32 */
    size_t start, end; /* of its content, in bits as the AT that it was read at; both whole words */
};

/* Reads the head of the block that is next at the top level of a file, and goes to the block's
 * end. Returns false where something else is there, or not all of the block. */
bool bits_read_block(struct bits *bits, struct block *block);

/* A record. */
struct record {
    uint64_t code;
    const uint64_t *operands; /* of the reader that has read it, until it reads on */
    size_t count;             /* of operands */
};

struct abbreviation;

/* Reads what is in a block. RECORD and INNER are for the caller; the rest is the reader's own. */
struct block_reader {
    struct record record;
    struct block inner;
    struct bits bits;
    unsigned width;
    struct abbreviation *abbreviations; /* owned; a null pointer while there are none */
    size_t abbreviation_count;
    uint64_t *values; /* owned: the record's code and operands */
    size_t value_count, value_room;
};

/* What comes next in a block. */
enum block_item {
    BLOCK_RECORD,  /* a record, now in RECORD, whether it was abbreviated or not */
    BLOCK_INNER,   /* another block, whose head is now in INNER; it is passed over */
    BLOCK_END,     /* the block's end, where its head says that it is */
    BLOCK_DAMAGED, /* what makes no sense; or a blob, or a record of over a million operands */
};

/* Starts to read BLOCK, whose head was read from BITS. Close it with block_close. */
void block_open(struct block_reader *reader, const struct bits *bits, struct block block);

/* Reads on. Not to be called again behind BLOCK_END or BLOCK_DAMAGED. */
enum block_item block_next(struct block_reader *reader);

/* Frees what READER owns. */
void block_close(struct block_reader *reader);

/* Bits that are appended to a text, into the low end of each byte first. Starts on a whole byte
 * with {.text = TEXT}. */
struct bit_writer {
    struct text *text; /* the caller's */
    unsigned used;     /* bits of its last byte; 0: all */
};

/* Appends the low WIDTH bits of VALUE, at most 64. */
void bits_write(struct bit_writer *writer, uint64_t value, unsigned width);

/* Appends VALUE in parts of WIDTH bits, 2 to 32, as few as possible. */
void bits_write_vbr(struct bit_writer *writer, uint64_t value, unsigned width);

/* Begins an unabbreviated record in a block whose abbreviation ids have WIDTH bits; COUNT calls of
 * bits_write_operand follow. */
void bits_write_record(struct bit_writer *writer, unsigned width, uint64_t code, size_t count);
void bits_write_operand(struct bit_writer *writer, uint64_t value);

/* Ends a block whose abbreviation ids have WIDTH bits, and fills up its last word of 32 bits,
 * counted from the start of the text. */
void bits_write_end(struct bit_writer *writer, unsigned width);

#endif

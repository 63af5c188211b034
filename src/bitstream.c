#include "bitstream.h"

#include <stdlib.h>

#include "memory.h"

enum {
    /* LLVM's include/llvm/Bitstream/BitCodeEnums.h. */
    END_BLOCK = 0,
    ENTER_SUBBLOCK = 1,
    DEFINE_ABBREV = 2,
    UNABBREV_RECORD = 3,
    FIRST_ABBREV = 4,
    TOP_WIDTH = 2,
    RECORD_WIDTH = 6,
    WORD = 32,
    /* Bounds on what is taken from a file; real shards stay far below. */
    MAX_ABBREVS = 64,
    MAX_OPERANDS = 64, /* of an abbreviation */
    MAX_VALUES = 1 << 20,
    MAX_WIDTH = 32,
};

uint64_t bits_read(struct bits *bits, unsigned width)
{
    uint64_t value = 0;

    if (width > bits->end - bits->at) {
        bits->bad = true;
        bits->at = bits->end;
        return 0;
    }
    for (unsigned i = 0; i < width; i++, bits->at++)
        value |= (uint64_t)(bits->data[bits->at / 8] >> bits->at % 8 & 1) << i;
    return value;
}

uint64_t bits_read_vbr(struct bits *bits, unsigned width)
{
    uint64_t value = 0, more = UINT64_C(1) << (width - 1);

    for (unsigned shift = 0; shift < 64; shift += width - 1) {
        uint64_t part = bits_read(bits, width), low = part & (more - 1);
        if (low << shift >> shift != low)
            break;
        value |= low << shift;
        if (!(part & more))
            return value;
    }
    bits->bad = true;
    return 0;
}

static void align(struct bits *bits)
{
    size_t aligned = (bits->at + WORD - 1) / WORD * WORD;
    if (aligned > bits->end)
        bits->bad = true;
    bits->at = aligned > bits->end ? bits->end : aligned;
}

/* Reads the head of a block, behind ENTER_SUBBLOCK, and goes to the block's end. */
static bool enter(struct bits *bits, struct block *block)
{
    uint64_t id = bits_read_vbr(bits, 8), width = bits_read_vbr(bits, 4);
    align(bits);
    uint64_t words = bits_read(bits, WORD);

    if (bits->bad || id > UINT32_MAX || width < 2 || width > MAX_WIDTH ||
        words > (bits->end - bits->at) / WORD) {
        bits->bad = true;
        return false;
    }
    block->id = (unsigned)id;
    block->width = (unsigned)width;
    block->start = bits->at;
    block->end = bits->at + (size_t)words * WORD;
    bits->at = block->end;
    return true;
}

bool bits_read_block(struct bits *bits, struct block *block)
{
    return bits_read(bits, TOP_WIDTH) == ENTER_SUBBLOCK && !bits->bad && enter(bits, block);
}

/* How one operand of an abbreviated record is written. */
enum encoding { LITERAL, FIXED = 1, VBR = 2, ARRAY = 3, CHAR6 = 4, BLOB = 5 };

struct operand {
    enum encoding encoding;
    uint64_t value; /* of a literal, or the width */
};

struct abbreviation {
    size_t count;
    struct operand operands[MAX_OPERANDS];
};

static bool read_encoding(struct bits *bits, struct operand *operand)
{
    if (bits_read(bits, 1)) {
        *operand = (struct operand){LITERAL, bits_read_vbr(bits, 8)};
        return true;
    }
    uint64_t encoding = bits_read(bits, 3);
    if (encoding < FIXED || encoding > BLOB)
        return false;
    *operand = (struct operand){(enum encoding)encoding, 0};
    if (encoding == FIXED || encoding == VBR)
        operand->value = bits_read_vbr(bits, 5);
    return operand->value <= MAX_WIDTH && (encoding != VBR || operand->value >= 2);
}

/* Reads an abbreviation, behind DEFINE_ABBREV. */
static bool define(struct block_reader *reader)
{
    uint64_t count = bits_read_vbr(&reader->bits, 5);

    if (count == 0 || count > MAX_OPERANDS || reader->abbreviation_count == MAX_ABBREVS)
        return false;
    if (!reader->abbreviations)
        reader->abbreviations = allocate(MAX_ABBREVS * sizeof *reader->abbreviations);
    struct abbreviation *abbreviation = &reader->abbreviations[reader->abbreviation_count++];
    abbreviation->count = (size_t)count;
    for (size_t i = 0; i < count; i++) {
        if (!read_encoding(&reader->bits, &abbreviation->operands[i]))
            return false;
    }
    return !reader->bits.bad;
}

static uint64_t read_operand(struct bits *bits, const struct operand *operand)
{
    static const char char6[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

    switch (operand->encoding) {
    case LITERAL:
        return operand->value;
    case FIXED:
        return bits_read(bits, (unsigned)operand->value);
    case VBR:
        return bits_read_vbr(bits, (unsigned)operand->value);
    case CHAR6:
        return (unsigned char)char6[bits_read(bits, 6)];
    default:
        return 0;
    }
}

static bool add_value(struct block_reader *reader, uint64_t value)
{
    if (reader->bits.bad || reader->value_count == MAX_VALUES)
        return false;
    reader->values =
        grow(reader->values, reader->value_count, &reader->value_room, sizeof *reader->values);
    reader->values[reader->value_count++] = value;
    return true;
}

/* The element type of an array is the operand behind it. */
static bool read_array(struct block_reader *reader, const struct operand *element)
{
    uint64_t length = bits_read_vbr(&reader->bits, 6);
    bool takes_bits = element->encoding == CHAR6 || element->encoding == VBR ||
                      (element->encoding == FIXED && element->value > 0);

    /* Elements of no bits could be as many as a damaged file says. */
    if (!takes_bits || length > reader->bits.end - reader->bits.at)
        return false;
    for (uint64_t i = 0; i < length; i++) {
        if (!add_value(reader, read_operand(&reader->bits, element)))
            return false;
    }
    return !reader->bits.bad;
}

/* As in LLVM's reader, the record's code may not come from an array. */
static bool read_abbreviated(struct block_reader *reader, const struct abbreviation *abbreviation)
{
    for (size_t i = 0; i < abbreviation->count; i++) {
        const struct operand *operand = &abbreviation->operands[i];
        if (operand->encoding == BLOB)
            return false; /* no module path is written so */
        if (operand->encoding == ARRAY)
            return i > 0 && i + 2 == abbreviation->count && read_array(reader, operand + 1);
        if (!add_value(reader, read_operand(&reader->bits, operand)))
            return false;
    }
    return true;
}

static bool read_plain(struct block_reader *reader)
{
    struct bits *bits = &reader->bits;
    uint64_t code = bits_read_vbr(bits, RECORD_WIDTH), count = bits_read_vbr(bits, RECORD_WIDTH);

    if (!add_value(reader, code))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!add_value(reader, bits_read_vbr(bits, RECORD_WIDTH)))
            return false;
    }
    return true;
}

/* Reads the record with the abbreviation ID. */
static bool read_record(struct block_reader *reader, uint64_t id)
{
    bool good;

    reader->value_count = 0;
    if (id == UNABBREV_RECORD)
        good = read_plain(reader);
    else
        good = id - FIRST_ABBREV < reader->abbreviation_count &&
               read_abbreviated(reader, &reader->abbreviations[id - FIRST_ABBREV]);
    if (good)
        reader->record =
            (struct record){reader->values[0], reader->values + 1, reader->value_count - 1};
    return good;
}

void block_open(struct block_reader *reader, const struct bits *bits, struct block block)
{
    *reader = (struct block_reader){
        .bits = {.data = bits->data, .at = block.start, .end = block.end},
        .width = block.width,
    };
}

enum block_item block_next(struct block_reader *reader)
{
    struct bits *bits = &reader->bits;

    for (;;) {
        uint64_t id = bits_read(bits, reader->width);
        if (bits->bad)
            return BLOCK_DAMAGED;
        switch (id) {
        case END_BLOCK:
            align(bits);
            return bits->at == bits->end && !bits->bad ? BLOCK_END : BLOCK_DAMAGED;
        case ENTER_SUBBLOCK:
            return enter(bits, &reader->inner) ? BLOCK_INNER : BLOCK_DAMAGED;
        case DEFINE_ABBREV:
            if (!define(reader))
                return BLOCK_DAMAGED;
            break;
        default:
            return read_record(reader, id) ? BLOCK_RECORD : BLOCK_DAMAGED;
        }
    }
}

void block_close(struct block_reader *reader)
{
    free(reader->abbreviations);
    free(reader->values);
    *reader = (struct block_reader){0};
}

void bits_write(struct bit_writer *writer, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        if (writer->used == 0)
            text_putc(writer->text, 0);
        unsigned char *last = (unsigned char *)&writer->text->data[writer->text->length - 1];
        *last = (unsigned char)(*last | (value >> i & 1) << writer->used);
        writer->used = (writer->used + 1) % 8;
    }
}

void bits_write_vbr(struct bit_writer *writer, uint64_t value, unsigned width)
{
    uint64_t more = UINT64_C(1) << (width - 1);

    for (; value >= more; value >>= width - 1)
        bits_write(writer, (value & (more - 1)) | more, width);
    bits_write(writer, value, width);
}

void bits_write_record(struct bit_writer *writer, unsigned width, uint64_t code, size_t count)
{
    bits_write(writer, UNABBREV_RECORD, width);
    bits_write_vbr(writer, code, RECORD_WIDTH);
    bits_write_vbr(writer, count, RECORD_WIDTH);
}

void bits_write_operand(struct bit_writer *writer, uint64_t value)
{
    bits_write_vbr(writer, value, RECORD_WIDTH);
}

void bits_write_end(struct bit_writer *writer, unsigned width)
{
    bits_write(writer, END_BLOCK, width);
    writer->used = 0;
    while (writer->text->length * 8 % WORD != 0)
        text_putc(writer->text, 0);
}

/* LLVM's IndexBitcodeWriter gives each value of a shard a number and writes the summaries by
 * module, but within a module in the order of a hash table of GUIDs (GVSummaryMapTy, an
 * llvm::DenseMap). Where GUIDs collide there, it is the order in which they were put in: that of
 * the import list, which goes back to a hash table of the modules' paths that the thin link runs
 * over. So the same link has other shards in another folder, and other ones each time where members
 * of archives take part, as their paths have lld's process id: with LLVM 22, 5 of 36 shards of a
 * small program.
 *
 * To clang the order does not matter. It reads the summaries into a map by GUID; in it the
 * summaries of one GUID are in the order of their modules, which stays. The numbers of values are
 * of use within the block only.
 *
 * The block has, in this order: the version, the flags, the values with their GUIDs, the summaries
 * of functions and variables with type tests in front of their functions, the summaries of aliases,
 * and the rest. What the records are is said with GlobalValueSummarySymtabCodes in LLVM's
 * include/llvm/Bitcode/LLVMBitCodes.h. */
#include "summary.h"

#include <stdint.h>
#include <stdlib.h>

#include "memory.h"

enum {
    FS_COMBINED_PROFILE = 5,             /* a function: see VALUES_OF_FUNCTION */
    FS_COMBINED_GLOBALVAR_INIT_REFS = 6, /* [value, module, flags, flags, value ...] */
    FS_COMBINED_ALIAS = 8,               /* [value, module, flags, value] */
    FS_VERSION = 10,                     /* [version] */
    FS_TYPE_TESTS = 11,                  /* of GUIDs, as the three that follow it */
    FS_TYPE_CHECKED_LOAD_CONST_VCALL = 15,
    FS_VALUE_GUID = 16,        /* [value, high half, low half of its GUID] */
    FS_CFI_FUNCTION_DEFS = 17, /* of places in the string table, as FS_TYPE_ID */
    FS_CFI_FUNCTION_DECLS = 18,
    FS_FLAGS = 20,
    FS_TYPE_ID = 21,
    FS_BLOCK_COUNT = 24,

    KNOWN_VERSION = 12,

    /* A function: [value, module, flags, instructions, flags, count, number of references, how many
     * of them only read, or write, value ..., then each callee: value, kind of call] */
    REFERENCE_COUNT = 6,
    VALUES_OF_FUNCTION = 9,
    VALUES_OF_VARIABLE = 4,
    ALIASEE = 3,

    BYTE_BITS = 8,
    CHUNK = 64,
    /* Real blocks become longer by some hundredths, as they lose their abbreviations. */
    MOST_GROWTH = 4,
    SMALL = 256,
};

/* A value's number in the linker's order, and by its GUID. */
struct value {
    uint64_t number, rank;
};

/* Whole records, not yet in their place. */
struct piece {
    bool alias;
    uint64_t module, rank;
    size_t start; /* in bytes */
    size_t bits;
};

enum part { START, VALUES, SUMMARIES, REST };

struct summary {
    unsigned width; /* of the abbreviation ids */
    size_t limit;   /* in bytes, of all texts */
    enum part part; /* of the block that is being read */
    uint64_t last_guid;
    struct value *values; /* owned; by their numbers, once there are summaries */
    size_t value_count, value_room;
    struct piece *pieces; /* owned */
    size_t piece_count, piece_room;
    bool open;                    /* type tests wait for their function */
    struct text summaries, rest;  /* owned */
    struct bit_writer to_content; /* up to the values */
    struct bit_writer to_summaries, to_rest;
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_values(const void *a, const void *b)
{
    return compare(((const struct value *)a)->number, ((const struct value *)b)->number);
}

/* Aliases are behind all that they may be an alias of. */
static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->alias != y->alias)
        return x->alias - y->alias;
    return x->module != y->module ? compare(x->module, y->module) : compare(x->rank, y->rank);
}

/* Sorts COUNT ITEMS of SIZE bytes. Returns whether no two are the same. */
static bool sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count > 0)
        qsort(items, count, size, order);
    for (size_t i = 1; i < count; i++) {
        const char *item = (const char *)items + i * size;
        if (order(item - size, item) == 0)
            return false;
    }
    return true;
}

static bool find_rank(const struct summary *summary, uint64_t number, uint64_t *rank)
{
    struct value key = {number, 0};
    const struct value *found = NULL;

    if (summary->value_count > 0)
        found = bsearch(&key, summary->values, summary->value_count, sizeof key, compare_values);
    if (found)
        *rank = found->rank;
    return found;
}

static bool names_value(const struct record *record, size_t index)
{
    switch (record->code) {
    case FS_COMBINED_PROFILE: {
        size_t calls = VALUES_OF_FUNCTION + (size_t)record->operands[REFERENCE_COUNT];
        return index == 0 || (index >= VALUES_OF_FUNCTION && index < calls) ||
               (index >= calls && (index - calls) % 2 == 0);
    }
    case FS_COMBINED_GLOBALVAR_INIT_REFS:
        return index == 0 || index >= VALUES_OF_VARIABLE;
    case FS_COMBINED_ALIAS:
        return index == 0 || index == ALIASEE;
    default:
        return false;
    }
}

/* Writes the record with the ranks of the values that it names. */
static bool copy(struct summary *summary, struct bit_writer *writer, const struct record *record)
{
    bits_write_record(writer, summary->width, record->code, record->count);
    for (size_t i = 0; i < record->count; i++) {
        uint64_t operand = record->operands[i];
        if (names_value(record, i) && !find_rank(summary, operand, &operand))
            return false;
        bits_write_operand(writer, operand);
    }
    return summary->to_content.text->length + summary->summaries.length + summary->rest.length <=
           summary->limit;
}

static bool take_version(struct summary *summary, const struct record *record)
{
    if (summary->part != START || record->count != 1 || record->operands[0] != KNOWN_VERSION)
        return false;
    summary->part = VALUES;
    return copy(summary, &summary->to_content, record);
}

/* LLVM writes the values by their GUIDs. */
static bool take_value(struct summary *summary, const struct record *record)
{
    const uint64_t *operands = record->operands;

    if (summary->part != VALUES || record->count != 3 || operands[1] > UINT32_MAX ||
        operands[2] > UINT32_MAX)
        return false;
    uint64_t guid = operands[1] << 32 | operands[2], rank = summary->value_count + 1;
    if (summary->value_count > 0 && guid <= summary->last_guid)
        return false;
    summary->last_guid = guid;
    summary->values =
        grow(summary->values, summary->value_count, &summary->value_room, sizeof *summary->values);
    summary->values[summary->value_count++] = (struct value){operands[0], rank};
    return copy(summary, &summary->to_content,
                &(struct record){FS_VALUE_GUID, (uint64_t[]){rank, operands[1], operands[2]}, 3});
}

/* Where the values end, they get their order. */
static bool enter(struct summary *summary, enum part part)
{
    bool good = summary->part != START && summary->part <= part;

    if (good && summary->part == VALUES)
        good = sort(summary->values, summary->value_count, sizeof *summary->values, compare_values);
    summary->part = part;
    return good;
}

/* Opens the last piece, if it is not, and adds the record. */
static bool add_to_piece(struct summary *summary, const struct record *record)
{
    if (!enter(summary, SUMMARIES))
        return false;
    if (!summary->open) {
        summary->pieces = grow(summary->pieces, summary->piece_count, &summary->piece_room,
                               sizeof *summary->pieces);
        summary->pieces[summary->piece_count++] =
            (struct piece){.start = summary->summaries.length};
        summary->to_summaries = (struct bit_writer){.text = &summary->summaries};
        summary->open = true;
    }
    return copy(summary, &summary->to_summaries, record);
}

/* How many bits there are behind the byte START. */
static size_t bits_written(const struct bit_writer *writer, size_t start)
{
    size_t unused = writer->used == 0 ? 0 : BYTE_BITS - writer->used;
    return (writer->text->length - start) * BYTE_BITS - unused;
}

/* Adds the record of a summary to the last piece, and closes it. */
static bool add_summary(struct summary *summary, const struct record *record)
{
    if (!add_to_piece(summary, record))
        return false;
    struct piece *piece = &summary->pieces[summary->piece_count - 1];
    piece->alias = record->code == FS_COMBINED_ALIAS;
    piece->module = record->operands[1];
    piece->bits = bits_written(&summary->to_summaries, piece->start);
    summary->open = false;
    return find_rank(summary, record->operands[0], &piece->rank);
}

static bool take_function(struct summary *summary, const struct record *record)
{
    if (record->count < VALUES_OF_FUNCTION)
        return false;
    size_t values = record->count - VALUES_OF_FUNCTION;
    return record->operands[REFERENCE_COUNT] <= values &&
           (values - record->operands[REFERENCE_COUNT]) % 2 == 0 && add_summary(summary, record);
}

static bool take_record(struct summary *summary, const struct record *record)
{
    switch (record->code) {
    case FS_VERSION:
        return take_version(summary, record);
    case FS_FLAGS:
        return summary->part == VALUES && summary->value_count == 0 &&
               copy(summary, &summary->to_content, record);
    case FS_VALUE_GUID:
        return take_value(summary, record);
    case FS_COMBINED_PROFILE:
        return take_function(summary, record);
    case FS_COMBINED_GLOBALVAR_INIT_REFS:
        return !summary->open && record->count >= VALUES_OF_VARIABLE &&
               add_summary(summary, record);
    case FS_COMBINED_ALIAS:
        return !summary->open && record->count == ALIASEE + 1 && add_summary(summary, record);
    case FS_CFI_FUNCTION_DEFS:
    case FS_CFI_FUNCTION_DECLS:
    case FS_TYPE_ID:
    case FS_BLOCK_COUNT:
        return enter(summary, REST) && copy(summary, &summary->to_rest, record);
    default:
        return record->code >= FS_TYPE_TESTS && record->code <= FS_TYPE_CHECKED_LOAD_CONST_VCALL &&
               add_to_piece(summary, record);
    }
}

/* Appends the COUNT bits behind the byte START of TEXT. */
static void append(struct bit_writer *writer, const struct text *text, size_t start, size_t count)
{
    struct bits bits = {
        .data = (const unsigned char *)text->data,
        .at = start * BYTE_BITS,
        .end = start * BYTE_BITS + count,
    };

    while (bits.at < bits.end) {
        size_t left = bits.end - bits.at;
        unsigned width = left < CHUNK ? (unsigned)left : CHUNK;
        bits_write(writer, bits_read(&bits, width), width);
    }
}

/* Puts what was read together. */
static bool assemble(struct summary *summary)
{
    struct bit_writer *writer = &summary->to_content;

    if (!sort(summary->pieces, summary->piece_count, sizeof *summary->pieces, compare_pieces))
        return false;
    for (size_t i = 0; i < summary->piece_count; i++) {
        const struct piece *piece = &summary->pieces[i];
        append(writer, &summary->summaries, piece->start, piece->bits);
    }
    append(writer, &summary->rest, 0, bits_written(&summary->to_rest, 0));
    bits_write_end(writer, summary->width);
    return true;
}

bool summary_rewrite(const struct bits *bits, struct block block, struct text *content)
{
    struct summary summary = {
        .width = block.width,
        .limit = (block.end - block.start) / BYTE_BITS * MOST_GROWTH + SMALL,
    };
    struct block_reader reader;
    enum block_item item = BLOCK_RECORD;
    bool known = true;

    summary.to_content = (struct bit_writer){.text = content};
    summary.to_rest = (struct bit_writer){.text = &summary.rest};
    block_open(&reader, bits, block);
    while (known && (item = block_next(&reader)) == BLOCK_RECORD)
        known = take_record(&summary, &reader.record);
    block_close(&reader);
    known =
        known && item == BLOCK_END && !summary.open && enter(&summary, REST) && assemble(&summary);
    free(summary.values);
    free(summary.pieces);
    text_free(&summary.summaries);
    text_free(&summary.rest);
    return known;
}

/* In a combined index, LLVM's IndexBitcodeWriter (llvm/lib/Bitcode/Writer/BitcodeWriter.cpp) writes
 *
 *   MODULE_BLOCK
 *       MODULE_CODE_VERSION
 *       MODULE_STRTAB_BLOCK      the module paths: an entry each, and maybe a hash behind it
 *       GLOBALVAL_SUMMARY_BLOCK  names modules by their numbers, symbols by GUIDs and value ids
 *   STRTAB_BLOCK                 names of symbols, by offsets into its one blob
 *
 * and nothing else. None of it is a position in the file, so that a block may become longer or
 * shorter when the lengths of the blocks around it change with it. Positions are in what other
 * writers put into a module block: MODULE_CODE_VSTOFFSET, which the combined index had up to LLVM
 * 4, and the offsets of functions and metadata in modules. So the sequence above is all that is
 * taken.
 *
 * Blocks end, and their contents begin, at whole words of 32 bits, so that whatever is not
 * rewritten is copied byte by byte. */
#include "shard.h"

#include <stdint.h>
#include <string.h>

#include "bitstream.h"
#include "summary.h"

static const char unknown_layout[] = "this layout of an index shard is not known";
static const char damaged[] = "it is damaged or cut off";

enum { HASH_WORDS = 5, MODULE_VERSION = 2, WORD_BYTES = 4, BYTE_BITS = 8 };

/* A shard that is rewritten. */
struct rewriting {
    struct bits bits; /* the whole file */
    struct block module, names, summary;
    struct text new_names, new_summary; /* what is to be in the latter two */
    struct bit_writer writer;           /* to NEW_NAMES */
    bool may_hash;                      /* the last record was an entry */
    struct text path, name;             /* of a module, before and after */
    bool (*rename)(void *context, const char *path, size_t length, struct text *name);
    void *context;
};

static const char *rewrite_entry(struct rewriting *shard, const struct record *record)
{
    unsigned width = shard->names.width;

    if (record->count == 0)
        return unknown_layout;
    text_clear(&shard->path);
    text_clear(&shard->name);
    for (size_t i = 1; i < record->count; i++) {
        if (record->operands[i] == 0 || record->operands[i] > UINT8_MAX)
            return "a module path in it has a character that no path has";
        text_putc(&shard->path, (char)record->operands[i]);
    }
    if (!shard->rename(shard->context, shard->path.data, shard->path.length, &shard->name))
        return "it names a module that is not known";
    bits_write_record(&shard->writer, width, MST_CODE_ENTRY, shard->name.length + 1);
    bits_write_operand(&shard->writer, record->operands[0]);
    for (size_t i = 0; i < shard->name.length; i++)
        bits_write_operand(&shard->writer, (unsigned char)shard->name.data[i]);
    return NULL;
}

static const char *rewrite_hash(struct rewriting *shard, const struct record *record)
{
    if (!shard->may_hash || record->count != HASH_WORDS)
        return unknown_layout;
    bits_write_record(&shard->writer, shard->names.width, MST_CODE_HASH, HASH_WORDS);
    for (size_t i = 0; i < HASH_WORDS; i++) {
        if (record->operands[i] > UINT32_MAX)
            return unknown_layout;
        bits_write_operand(&shard->writer, record->operands[i]);
    }
    return NULL;
}

static const char *rewrite_record(struct rewriting *shard, const struct record *record)
{
    const char *trouble = unknown_layout;

    if (record->code == MST_CODE_ENTRY)
        trouble = rewrite_entry(shard, record);
    else if (record->code == MST_CODE_HASH)
        trouble = rewrite_hash(shard, record);
    shard->may_hash = record->code == MST_CODE_ENTRY;
    return trouble;
}

/* Makes the new content of the MODULE_STRTAB_BLOCK. LLVM's abbreviations for it, one for each kind
 * of characters, are not written again: what uses none of them is the same for all paths. */
static const char *rewrite_names(struct rewriting *shard)
{
    struct block_reader reader;
    enum block_item item;
    const char *trouble = NULL;

    shard->writer = (struct bit_writer){.text = &shard->new_names};
    block_open(&reader, &shard->bits, shard->names);
    while (!trouble && (item = block_next(&reader)) != BLOCK_END) {
        if (item == BLOCK_RECORD)
            trouble = rewrite_record(shard, &reader.record);
        else
            trouble = item == BLOCK_INNER ? unknown_layout : damaged;
    }
    block_close(&reader);
    bits_write_end(&shard->writer, shard->names.width);
    return trouble;
}

static bool is_version(const struct record *record)
{
    return record->code == MODULE_CODE_VERSION && record->count == 1 &&
           record->operands[0] == MODULE_VERSION;
}

/* Makes the new content of the GLOBALVAL_SUMMARY_BLOCK: the old one, where it is not known. */
static void rewrite_summary(struct rewriting *shard)
{
    size_t start = shard->summary.start / BYTE_BITS, end = shard->summary.end / BYTE_BITS;

    if (summary_rewrite(&shard->bits, shard->summary, &shard->new_summary))
        return;
    text_clear(&shard->new_summary);
    text_write(&shard->new_summary, (const char *)shard->bits.data + start, end - start);
}

/* Reads on in the module block. Returns whether the block ID is next; it is stored in BLOCK. */
static bool finds_block(struct block_reader *reader, unsigned id, struct block *block)
{
    if (block_next(reader) != BLOCK_INNER || reader->inner.id != id)
        return false;
    *block = reader->inner;
    return true;
}

/* Finds the blocks in the module block. */
static const char *find_inner(struct rewriting *shard)
{
    struct block_reader reader;

    block_open(&reader, &shard->bits, shard->module);
    bool known = block_next(&reader) == BLOCK_RECORD && is_version(&reader.record) &&
                 finds_block(&reader, MODULE_STRTAB_BLOCK, &shard->names) &&
                 finds_block(&reader, GLOBALVAL_SUMMARY_BLOCK, &shard->summary) &&
                 block_next(&reader) == BLOCK_END;
    bool bad = reader.bits.bad;
    block_close(&reader);
    if (known)
        return NULL;
    return bad ? damaged : unknown_layout;
}

/* Finds the blocks of the file. */
static const char *find_blocks(struct rewriting *shard)
{
    struct block strings;
    struct bits *bits = &shard->bits;

    if (!bits_read_block(bits, &shard->module) || !bits_read_block(bits, &strings))
        return bits->bad ? damaged : unknown_layout;
    if (shard->module.id != MODULE_BLOCK || strings.id != STRTAB_BLOCK || bits->at != bits->end)
        return unknown_layout;
    return find_inner(shard);
}

static void store_word(char *place, size_t value)
{
    for (size_t i = 0; i < WORD_BYTES; i++)
        place[i] = (char)(unsigned char)(value >> i * BYTE_BITS & UINT8_MAX);
}

static size_t bytes_in(struct block block)
{
    return (block.end - block.start) / BYTE_BITS;
}

/* Appends CONTENT to OUT, which ends in a block's head; the last word of that is its length. */
static void append_content(struct text *out, const struct text *content)
{
    store_word(out->data + out->length - WORD_BYTES, content->length / WORD_BYTES);
    text_write(out, content->data, content->length);
}

/* Appends the shard with the new contents to OUT. */
static const char *splice(const struct rewriting *shard, struct text *out)
{
    const char *data = (const char *)shard->bits.data;
    size_t module = shard->module.start / BYTE_BITS, names = shard->names.start / BYTE_BITS,
           names_end = shard->names.end / BYTE_BITS, summary = shard->summary.start / BYTE_BITS,
           summary_end = shard->summary.end / BYTE_BITS, end = shard->bits.end / BYTE_BITS;
    size_t before = out->length;
    size_t length = bytes_in(shard->module) - bytes_in(shard->names) - bytes_in(shard->summary) +
                    shard->new_names.length + shard->new_summary.length;

    /* The lengths of blocks have 32 bits. */
    if (length / WORD_BYTES > UINT32_MAX)
        return "it is too long with the new paths";
    text_write(out, data, names);
    append_content(out, &shard->new_names);
    text_write(out, data + names_end, summary - names_end);
    append_content(out, &shard->new_summary);
    text_write(out, data + summary_end, end - summary_end);
    store_word(out->data + before + module - WORD_BYTES, length / WORD_BYTES);
    return NULL;
}

/* Starts to read behind the magic number. A wrapper around the bitcode has another one; linkers put
 * none around a shard. */
static const char *start(struct bits *bits, const char *data, size_t length)
{
    static const char magic[MAGIC_BITS / BYTE_BITS] = {'B', 'C', '\300', '\336'};

    if (length < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
        return "it is not LLVM bitcode";
    if (length % WORD_BYTES != 0 || length > SIZE_MAX / BYTE_BITS)
        return damaged;
    *bits = (struct bits){
        .data = (const unsigned char *)data,
        .at = MAGIC_BITS,
        .end = length * BYTE_BITS,
    };
    return NULL;
}

const char *shard_rewrite(const char *data, size_t length,
                          bool (*rename)(void *context, const char *path, size_t length,
                                         struct text *name),
                          void *context, struct text *out)
{
    struct rewriting shard = {.rename = rename, .context = context};

    if (length == 0)
        return NULL;
    const char *trouble = start(&shard.bits, data, length);
    if (!trouble)
        trouble = find_blocks(&shard);
    if (!trouble)
        trouble = rewrite_names(&shard);
    if (!trouble)
        rewrite_summary(&shard);
    if (!trouble)
        trouble = splice(&shard, out);
    text_free(&shard.new_names);
    text_free(&shard.new_summary);
    text_free(&shard.path);
    text_free(&shard.name);
    return trouble;
}

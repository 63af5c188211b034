/* libFuzzer's target for the rewriter of index shards: whatever the bytes, it ends within its
 * bounds, and what it takes it treats as shard.h says. */
#include "shard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream.h"
#include "memory.h"
#include "message.h"

const char program_name[] = "fuzz-shard";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* How many times longer a shard may become: a bit of the input can be an element of an array, and
 * becomes a record's operand of up to 78 bits; and what is always there. */
enum { MOST_GROWTH = 80, SMALL = 4096 };

enum naming {
    KEEP,   /* the path that is there */
    NUMBER, /* m0000000, m0000001 ... in the order of the shard */
    OTHER,  /* the same with n */
    BACK,   /* the paths that were there at first */
};

/* The paths that a shard had. */
struct paths {
    enum naming naming;
    struct text *items; /* owned, with all in it */
    size_t count, room;
    size_t next; /* to be named */
};

/* Ends the program, as a bug: libFuzzer keeps the input. */
static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: expected: %s\n", program_name, what);
    abort();
}

static bool rename_module(void *context, const char *path, size_t length, struct text *name)
{
    struct paths *paths = context;

    expect(strlen(path) == length, "a path without NULs");
    switch (paths->naming) {
    case KEEP:
        paths->items = grow(paths->items, paths->count, &paths->room, sizeof *paths->items);
        paths->items[paths->count] = (struct text){0};
        text_write(&paths->items[paths->count++], path, length);
        text_write(name, path, length);
        break;
    case NUMBER:
    case OTHER:
        text_printf(name, "%c%07zu", paths->naming == NUMBER ? 'm' : 'n', paths->next);
        break;
    case BACK:
        expect(paths->next < paths->count, "as many modules as before");
        text_write(name, paths->items[paths->next].data, paths->items[paths->next].length);
        break;
    }
    paths->next++;
    return true;
}

/* Rewrites the LENGTH bytes at DATA to OUT, which is made empty before. */
static const char *rewrite(const char *data, size_t length, struct paths *paths, enum naming naming,
                           struct text *out)
{
    static const char before[] = "what is there";
    struct text all = {0};

    paths->naming = naming;
    paths->next = 0;
    text_clear(out);
    text_puts(&all, before);
    const char *trouble = shard_rewrite(data, length, rename_module, paths, &all);
    expect(memcmp(all.data, before, strlen(before)) == 0, "that what was there stays");
    expect(!trouble || all.length == strlen(before), "nothing added where it is refused");
    text_write(out, all.data + strlen(before), all.length - strlen(before));
    text_free(&all);
    return trouble;
}

static void expect_same(const struct text *a, const struct text *b, const char *what)
{
    expect(a->length == b->length && memcmp(a->data, b->data, a->length) == 0, what);
}

/* A shard's summaries as clang takes them, for a comparison. */
struct meaning {
    struct value {
        uint64_t number, guid;
    } *values; /* owned */
    size_t count, room;
    uint64_t sum;    /* of all records, whatever their order */
    uint64_t before; /* of the records that belong to the next summary */
};

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 31;
}

/* Whether operand INDEX of the record names a value, by LLVM's include/llvm/Bitcode/LLVMBitCodes.h:
 * of a function (5), a variable (6), an alias (8). */
static bool is_value(const struct record *record, size_t index)
{
    uint64_t calls = record->code == 5 && record->count > 6 ? 9 + record->operands[6] : 0;

    if (index == 0)
        return record->code == 5 || record->code == 6 || record->code == 8;
    if (record->code == 5 && index >= 9)
        return index < calls || (index - calls) % 2 == 0;
    return (record->code == 6 && index >= 4) || (record->code == 8 && index == 3);
}

static uint64_t meaning_of(const struct meaning *meaning, uint64_t number)
{
    for (size_t i = 0; i < meaning->count; i++) {
        if (meaning->values[i].number == number)
            return meaning->values[i].guid;
    }
    return number;
}

static void take_record(struct meaning *meaning, const struct record *record)
{
    uint64_t sum = mix(0, record->code);

    if (record->code == 16 && record->count == 3) { /* a value, with the halves of its GUID */
        meaning->values =
            grow(meaning->values, meaning->count, &meaning->room, sizeof *meaning->values);
        meaning->values[meaning->count++] =
            (struct value){record->operands[0], record->operands[1] << 32 | record->operands[2]};
        return;
    }
    for (size_t i = 0; i < record->count; i++)
        sum = mix(sum, is_value(record, i) ? meaning_of(meaning, record->operands[i])
                                           : record->operands[i]);
    if (record->code >= 11 && record->code <= 15) { /* type tests, of the function behind them */
        meaning->before = mix(meaning->before, sum);
        return;
    }
    meaning->sum += mix(meaning->before, sum);
    meaning->before = 0;
}

/* Of a shard that was taken. */
static uint64_t meaning(const struct text *shard)
{
    struct bits bits = {
        .data = (const unsigned char *)shard->data, .at = MAGIC_BITS, .end = shard->length * 8};
    struct block module;
    struct block_reader reader, summary;
    struct meaning meaning = {0};
    enum block_item item;

    if (shard->length == 0)
        return 0;
    expect(bits_read_block(&bits, &module), "a block");
    block_open(&reader, &bits, module);
    while ((item = block_next(&reader)) != BLOCK_END) {
        expect(item != BLOCK_DAMAGED, "a whole shard");
        if (item != BLOCK_INNER || reader.inner.id != GLOBALVAL_SUMMARY_BLOCK)
            continue;
        block_open(&summary, &bits, reader.inner);
        while (block_next(&summary) == BLOCK_RECORD)
            take_record(&meaning, &summary.record);
        block_close(&summary);
    }
    block_close(&reader);
    free(meaning.values);
    return meaning.sum;
}

static void forget(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        text_free(&paths->items[i]);
    free(paths->items);
    *paths = (struct paths){0};
}

/* KEPT is the rewritten shard, with the paths that it had, PATHS. */
static void check(const char *data, size_t length, struct paths *paths, const struct text *kept)
{
    struct text numbered = {0}, other = {0}, old = {0};
    struct paths again = {0};

    text_write(&old, data, length);
    expect(meaning(&old) == meaning(kept), "summaries that say the same");
    text_free(&old);
    expect(kept->length <= length * MOST_GROWTH + SMALL, "a length within bounds");
    expect(!rewrite(kept->data, kept->length, &again, KEEP, &other), "that its result is taken");
    expect_same(kept, &other, "the same, rewritten once more");
    expect(again.count == paths->count, "the same number of paths");
    for (size_t i = 0; i < again.count; i++)
        expect_same(&again.items[i], &paths->items[i], "the same paths");
    forget(&again);

    expect(!rewrite(data, length, paths, NUMBER, &numbered), "that any names will do");
    expect(paths->next == paths->count, "all modules named");
    expect(!rewrite(kept->data, kept->length, paths, NUMBER, &other), "the same of its result");
    expect_same(&numbered, &other, "a result that depends on the new names only");
    expect(!rewrite(data, length, paths, OTHER, &other), "that other names will do");
    expect(numbered.length == other.length, "the same length with names of the same length");
    expect(!rewrite(numbered.data, numbered.length, paths, BACK, &other), "a way back");
    expect_same(kept, &other, "the same there and back");
    text_free(&numbered);
    text_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct paths paths = {0}, again = {0};
    struct text kept = {0}, second = {0};
    const char *trouble = rewrite((const char *)data, size, &paths, KEEP, &kept);

    expect(rewrite((const char *)data, size, &again, KEEP, &second) == trouble, "the same answer");
    expect_same(&kept, &second, "the same result, made twice");
    forget(&again);
    if (!trouble)
        check((const char *)data, size, &paths, &kept);
    forget(&paths);
    text_free(&kept);
    text_free(&second);
    return 0;
}

/* The lengths of blocks go wrong with most changes of the length, and the next thing behind them is
 * not looked at. So half of the changes are of bits, in their place. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    enum { MOST_BITS = 4 };
    uint64_t random = seed;

    if (size == 0 || seed % 2 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (unsigned i = 0; i <= seed / 2 % MOST_BITS; i++) {
        /* Knuth's MMIX. */
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[(random >> 16) % size] ^= (uint8_t)(1U << (random >> 61));
    }
    return size;
}

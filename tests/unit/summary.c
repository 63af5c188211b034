/* Summaries of an index shard in an order of their own: what linkers may number and place otherwise
 * comes out the same, and what is not known is left alone. */
#include "summary.h"

#include "shards.h"

/* The values of the example, by their GUIDs. */
enum { VARIABLE, FUNCTION, TESTED, OTHER, ALIAS, DECLARED, VALUES };

/* A way to write the example down. */
struct way {
    uint64_t numbers[VALUES]; /* of the values */
    const char *order;        /* of the summaries, a letter each */
    bool abbreviated;
};

static const struct way canonical = {{1, 2, 3, 4, 5, 6}, "VFTOA", false};

/* As LLVM does: a value's number in parts, the halves of its GUID whole. */
static void define_value(struct writer *w)
{
    put(w, 2, 3);
    put_vbr(w, 4, 5);
    put_literal(w, 16);
    put_encoding(w, VBR, 6);
    put_encoding(w, FIXED, 32);
    put_encoding(w, FIXED, 32);
}

/* And a record of CODE with numbers in parts of 8 bits. */
static void define_numbers(struct writer *w, unsigned code)
{
    put(w, 2, 3);
    put_vbr(w, 3, 5);
    put_literal(w, code);
    put_encoding(w, ARRAY, 0);
    put_encoding(w, VBR, 8);
}

/* Puts a record of VALUES, with the abbreviation ID unless it is 0. */
static void put_numbers(struct writer *w, unsigned id, uint64_t code, size_t count,
                        const uint64_t *values)
{
    if (id == 0) {
        put_record(w, code, count, values);
        return;
    }
    put(w, id, 3);
    put_vbr(w, count, 6);
    for (size_t i = 0; i < count; i++)
        put_vbr(w, values[i], 8);
}

#define NUMBERS(...)                                                                               \
    LENGTH(((const uint64_t[]){__VA_ARGS__})), (const uint64_t[])                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void put_value(struct writer *w, const struct way *way, unsigned value)
{
    uint64_t high = value < 3 ? 7 : UINT32_MAX, low = 0x80000000 + value;

    if (!way->abbreviated) {
        put_record(w, 16, NUMBERS(way->numbers[value], high, low));
        return;
    }
    put(w, 4, 3);
    put_vbr(w, way->numbers[value], 6);
    put(w, high, 32);
    put(w, low, 32);
}

static void put_summary(struct writer *w, const struct way *way, char which)
{
    const uint64_t *n = way->numbers;
    unsigned function = way->abbreviated ? 5 : 0, variable = way->abbreviated ? 6 : 0;

    switch (which) {
    case 'V':
        put_numbers(w, variable, 6, NUMBERS(n[VARIABLE], 0, 97, 4, n[DECLARED], n[FUNCTION]));
        break;
    case 'F': /* with references to two values, and calls of two */
        put_numbers(w, function, 5,
                    NUMBERS(n[FUNCTION], 0, 96, 300, 64, 0, 2, 1, 0, n[VARIABLE], n[OTHER],
                            n[DECLARED], 2, n[TESTED], 8));
        break;
    case 'T':
        put_record(w, 11, NUMBERS(UINT64_MAX, 2));
        put_record(w, 15, NUMBERS(UINT64_MAX, 2, 3));
        put_numbers(w, function, 5, NUMBERS(n[TESTED], 0, 96, 1, 64, 0, 0, 0, 0));
        break;
    case 'O': /* the same value has a summary in another module */
        put_numbers(w, function, 5, NUMBERS(n[FUNCTION], 1, 96, 1, 64, 0, 0, 0, 0, n[OTHER], 3));
        put_numbers(w, variable, 6, NUMBERS(n[OTHER], 1, 97, 4));
        break;
    default:
        put_record(w, 8, NUMBERS(n[ALIAS], 1, 96, n[FUNCTION]));
    }
}

static void put_start(struct writer *w)
{
    put_record(w, 10, NUMBERS(12));
    put_record(w, 20, NUMBERS(1121));
}

/* The block that holds the example, at the top level. */
static struct text example(const struct way *way)
{
    struct writer w = {0};
    size_t block = begin_block(&w, 2, 20);

    put_start(&w);
    if (way->abbreviated)
        define_value(&w);
    for (unsigned value = 0; value < VALUES; value++)
        put_value(&w, way, value);
    if (way->abbreviated) {
        define_numbers(&w, 5);
        define_numbers(&w, 6);
    }
    for (const char *which = way->order; *which; which++)
        put_summary(&w, way, *which);
    put_record(&w, 17, NUMBERS(12, 3));
    put_record(&w, 18, NUMBERS(15, 3));
    put_record(&w, 21, NUMBERS(0, 3, 1, 2, 3));
    put_record(&w, 24, NUMBERS(1000));
    end_block(&w, block);
    return w.bytes;
}

/* Rewrites the block that is all of SHARD, and frees that. */
static bool rewrite(struct text shard, struct text *content)
{
    struct bits bits = {.data = (const unsigned char *)shard.data, .end = shard.length * 8};
    struct block block;

    assert_true(bits_read_block(&bits, &block));
    bool known = summary_rewrite(&bits, block, content);
    text_free(&shard);
    return known;
}

/* What is in the block that is all of SHARD becomes what is in EXPECTED; both are freed. */
static void assert_becomes(struct text shard, struct text expected)
{
    struct text content = {0};

    assert_true(rewrite(shard, &content));
    assert_int_equal(content.length, expected.length - 8); /* the head has two words */
    assert_memory_equal(content.data, expected.data + 8, content.length);
    text_free(&expected);
    text_free(&content);
}

static void what_is_in_order_stays(void **state)
{
    (void)state;
    assert_becomes(example(&canonical), example(&canonical));
}

static void ways_to_write_do_not_matter(void **state)
{
    static const struct way ways[] = {
        {{1, 2, 3, 4, 5, 6}, "VFTOA", true},  {{6, 5, 4, 3, 2, 1}, "VFTOA", false},
        {{3, 1, 2, 9, 8, 7}, "TFVOA", true},  {{32, 1000, 31, 1, 4, UINT64_MAX}, "FTVOA", true},
        {{0, 2, 1, 3, 5, 4}, "OAVTF", false}, {{100, 200, 300, 400, 500, 600}, "AOTFV", false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(ways); i++)
        assert_becomes(example(&ways[i]), example(&canonical));
}

static void the_version(struct writer *w, char letter)
{
    if (letter == 'W')
        put_record(w, 10, NUMBERS(12, 0));
    else
        put_record(w, 10, NUMBERS(letter == 'v' ? 12 : 13));
}

/* The value that LETTER says, each with a GUID above those before: 3 has the number of 1. */
static void a_value(struct writer *w, char letter)
{
    switch (letter) {
    case '3':
        put_record(w, 16, NUMBERS(1, 1, 0));
        break;
    case '4': /* a long half */
        put_record(w, 16, NUMBERS(4, 1, UINT64_C(1) << 32));
        break;
    case '5': /* the other one */
        put_record(w, 16, NUMBERS(5, UINT64_C(1) << 32, 1));
        break;
    case '6': /* a record that is too long */
        put_record(w, 16, NUMBERS(6, 2, 2, 2));
        break;
    default:
        put_record(w, 16, NUMBERS((uint64_t)(letter - '0'), 0, (uint64_t)letter));
    }
}

/* A function with value 1, and what is wrong with others. */
static void a_function(struct writer *w, char letter)
{
    switch (letter) {
    case 'g': /* refers to a value without GUID */
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, 1, 0, 0, 9, 2, 8));
        break;
    case 'h': /* calls it */
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, 1, 0, 0, 2, 9, 8));
        break;
    case 'i': /* more references than there are */
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, 5, 0, 0, 2, 2, 2));
        break;
    case 'j':
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, UINT64_MAX, 0, 0, 2, 2, 8));
        break;
    case 'k': /* half a call */
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, 0, 0, 0, 2, 2, 2));
        break;
    case 'm': /* cut off */
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, 0, 0));
        break;
    default:
        put_record(w, 5, NUMBERS(1, 0, 96, 1, 64, 0, 1, 0, 0, 2, 2, 8));
    }
}

/* Another record. */
static void a_record(struct writer *w, char letter)
{
    switch (letter) {
    case 'l': /* the flags */
        put_record(w, 20, NUMBERS(1121));
        break;
    case 'x': /* a variable, and other ones */
        put_record(w, 6, NUMBERS(2, 0, 97, 4));
        break;
    case 'y':
        put_record(w, 6, NUMBERS(9, 0, 97, 4));
        break;
    case 'z':
        put_record(w, 6, NUMBERS(2, 0, 97));
        break;
    case 'a': /* an alias, and other ones */
        put_record(w, 8, NUMBERS(2, 0, 96, 1));
        break;
    case 'b':
        put_record(w, 8, NUMBERS(2, 0, 96, 0));
        break;
    case 'c':
        put_record(w, 8, NUMBERS(2, 0, 96, 1, 1));
        break;
    case 't': /* type tests */
        put_record(w, 13, NUMBERS(1, 2));
        break;
    case 'r': /* the rest */
        put_record(w, 24, NUMBERS(7));
        break;
    case 'o': /* FS_COMBINED_ORIGINAL_NAME, FS_PARAM_ACCESS, FS_STACK_IDS */
        put_record(w, 9, NUMBERS(7));
        break;
    case 'p':
        put_record(w, 25, NUMBERS(0, 0, 0, 0));
        break;
    case 's':
        put_record(w, 30, NUMBERS(1, 2));
        break;
    case 'u': /* a code of more than 32 bits */
        put_record(w, (UINT64_C(1) << 32) + 24, NUMBERS(7));
        break;
    default: /* a block inside */
        end_block(w, begin_block(w, 3, 20));
    }
}

/* A block of the records that LAYOUT names. */
static struct text lay_out(const char *layout)
{
    struct writer w = {0};
    size_t block = begin_block(&w, 2, 20);

    for (; *layout; layout++) {
        if (strchr("vwW", *layout))
            the_version(&w, *layout);
        else if (*layout >= '1' && *layout <= '6')
            a_value(&w, *layout);
        else if (strchr("fghijkm", *layout))
            a_function(&w, *layout);
        else
            a_record(&w, *layout);
    }
    end_block(&w, block);
    return w.bytes;
}

static void what_is_not_known_is_left_alone(void **state)
{
    static const char *const layouts[] = {
        "",      "l12",    "w12",    "W12",    "vv12",   "1v2",    "vl21",   "vl11",   "vl13",
        "vl13x", "vl4",    "vl5",    "vl6",    "v1l2f",  "vl12lf", "vl12g",  "vl12h",  "vl12i",
        "vl12j", "vl12k",  "vl12m",  "vl12y",  "vl12z",  "vl12b",  "vl12c",  "vl12tx", "vl12ta",
        "vl12t", "vl12tr", "vl1f2",  "vl12f1", "vl12rf", "vl12rt", "vl12ff", "vl12xx", "vl12aa",
        "vl12o", "vl12p",  "vl12s",  "vl12u",  "vl12of", "vl12pf", "vl12sf", "vl12uf", "vl12B",
        "Bvl12", "vl1x",   "vl12fv", "tvl12f", "vlt12f", "vl12rtf"};
    (void)state;
    for (size_t i = 0; i < LENGTH(layouts); i++) {
        struct text content = {0};
        if (rewrite(lay_out(layouts[i]), &content))
            fail_msg("%s is taken for known", layouts[i]);
        text_free(&content);
    }
}

/* These are in order already. */
static void parts_may_be_missing(void **state)
{
    static const char *const layouts[] = {"v",     "vl",         "vl12",  "v12fx",
                                          "vl12f", "vl12x",      "vl12a", "vl12r",
                                          "vr",    "vl12tfxarr", "v1",    "vl12ttfxa"};
    (void)state;
    for (size_t i = 0; i < LENGTH(layouts); i++)
        assert_becomes(lay_out(layouts[i]), lay_out(layouts[i]));
}

/* Few bits that stand for many numbers: what becomes of them is bounded. */
static bool is_bounded(void *context)
{
    struct writer w = {0};
    struct text content = {0};
    size_t block = begin_block(&w, 2, 20);

    (void)context;
    put_start(&w);
    put(&w, 2, 3); /* nothing but literals */
    put_vbr(&w, 64, 5);
    put_literal(&w, 24);
    for (int i = 1; i < 64; i++)
        put_literal(&w, UINT64_MAX);
    for (int i = 0; i < 1000000; i++)
        put(&w, 4, 3);
    end_block(&w, block);
    return !rewrite(w.bytes, &content);
}

static void little_does_not_become_much(void **state)
{
    (void)state;
    assert_int_equal(in_child(is_bounded, NULL, 20), 0);
}

/* Every bit and some other values of each byte of the content: only coming back counts. */
static bool survives_changes(void *context)
{
    const struct text *shard = context;

    for (size_t i = 8; i < shard->length; i++) {
        for (unsigned change = 0; change < 24; change++) {
            struct text damaged = {0}, content = {0};
            text_write(&damaged, shard->data, shard->length);
            unsigned by = change < 8 ? 1U << change : random_below(256);
            damaged.data[i] = (char)(unsigned char)((unsigned char)damaged.data[i] ^ by);
            rewrite(damaged, &content);
            text_free(&content);
        }
    }
    return true;
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    for (int abbreviated = 0; abbreviated < 2; abbreviated++) {
        struct text shard = example(&(struct way){{3, 1, 2, 9, 8, 7}, "TFVOA", abbreviated});
        assert_int_equal(in_child(survives_changes, &shard, 60), 0);
        text_free(&shard);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_order_stays),
        cmocka_unit_test(ways_to_write_do_not_matter),
        cmocka_unit_test(what_is_not_known_is_left_alone),
        cmocka_unit_test(parts_may_be_missing),
        cmocka_unit_test(little_does_not_become_much),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

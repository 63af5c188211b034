/* Index shards that are not rewritten: everything out of the ordinary, and what is damaged. */
#include "shard.h"

#include "shards.h"

static const char unknown_layout[] = "this layout of an index shard is not known";
static const char damaged[] = "it is damaged or cut off";

static bool keep(void *context, const char *path, size_t length, struct text *name)
{
    (void)context;
    text_write(name, path, length);
    return true;
}

/* Knows the module a.o. */
static bool know_one(void *context, const char *path, size_t length, struct text *name)
{
    return strcmp(path, "a.o") == 0 && keep(context, path, length, name);
}

/* Fails where the SHARD is rewritten, another reason is given, or something is written; and frees
 * it. */
static void assert_refused(const char *what, struct text shard, const char *reason)
{
    struct text result = {0};

    text_puts(&result, "before");
    const char *trouble = shard_rewrite(shard.data, shard.length, know_one, NULL, &result);
    if (!trouble || strcmp(trouble, reason) != 0)
        print_message("# %s: %s\n", what, trouble ? trouble : "rewritten");
    assert_non_null(trouble);
    assert_string_equal(trouble, reason);
    assert_string_equal(result.data, "before");
    text_free(&shard);
    text_free(&result);
}

static void odd_records_are_refused(void **state)
{
    static const char character[] = "a module path in it has a character that no path has";
    static const struct {
        const char *what;
        uint64_t code;
        size_t count;
        uint64_t values[6];
        const char *reason;
    } records[] = {
        {"an unknown record", 3, 2, {1, 'a'}, unknown_layout},
        {"a code of 33 bits", (UINT64_C(1) << 32) + 1, 4, {1, 'a', '.', 'o'}, unknown_layout},
        {"an unknown module", 1, 4, {1, 'b', '.', 'o'}, "it names a module that is not known"},
        {"an entry of nothing", 1, 0, {0}, unknown_layout},
        {"NUL", 1, 5, {1, 'a', '.', 'o', 0}, character},
        {"a character of 9 bits", 1, 4, {1, 'a', '.', 256 + 'o'}, character},
        {"a character of 33 bits", 1, 4, {1, 'a', '.', (UINT64_C(1) << 32) + 'o'}, character},
        {"a hash of 4 words", 2, 4, {1, 2, 3, 4}, unknown_layout},
        {"a hash of 6 words", 2, 6, {1, 2, 3, 4, 5, 6}, unknown_layout},
        {"a hash of 33 bits", 2, 5, {1, 2, 3, 4, UINT64_C(1) << 32}, unknown_layout},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(records); i++) {
        struct writer w = {0};
        struct places places = begin_shard(&w);
        put_plain(&w, 1, 0, "a.o");
        put_record(&w, records[i].code, records[i].count, records[i].values);
        finish_shard(&w, places);
        assert_refused(records[i].what, w.bytes, records[i].reason);
    }
}

static void a_hash_without_an_entry_is_refused(void **state)
{
    (void)state;
    for (int entry = 0; entry < 2; entry++) {
        struct writer w = {0};
        struct places places = begin_shard(&w);
        if (entry) {
            put_plain(&w, 1, 0, "a.o");
            put_record(&w, 2, LENGTH(hash), hash);
        }
        put_record(&w, 2, LENGTH(hash), hash);
        finish_shard(&w, places);
        assert_refused("a hash", w.bytes, unknown_layout);
    }
}

/* What makes no sense in the MODULE_STRTAB_BLOCK, or is not for it. */

static void a_block_inside(struct writer *w)
{
    end_block(w, begin_block(w, 3, 19));
}

static void a_blob(struct writer *w)
{
    put(w, 2, 3);
    put_vbr(w, 3, 5);
    put_literal(w, 1);
    put_encoding(w, VBR, 8);
    put_encoding(w, BLOB, 0);
    put(w, 4, 3);
    put_vbr(w, 1, 8);
    put_vbr(w, 3, 6);
    put_align(w);
    text_write(&w->bytes, "b.o", 4);
}

static void no_such_abbreviation(struct writer *w)
{
    put(w, 4, 3);
    put_vbr(w, 1, 8);
}

static void an_array_for_the_code(struct writer *w)
{
    put(w, 2, 3);
    put_vbr(w, 2, 5);
    put_encoding(w, ARRAY, 0);
    put_encoding(w, FIXED, 8);
    put(w, 4, 3);
    put_vbr(w, 3, 6);
    for (int i = 0; i < 3; i++)
        put(w, (unsigned char)"\1\1b"[i], 8);
}

static void an_array_in_front(struct writer *w)
{
    put(w, 2, 3);
    put_vbr(w, 4, 5);
    put_literal(w, 1);
    put_encoding(w, ARRAY, 0);
    put_encoding(w, FIXED, 8);
    put_encoding(w, FIXED, 8);
    put(w, 4, 3);
    put_vbr(w, 1, 6);
    put(w, 'b', 8);
    put(w, 'b', 8);
}

static void an_endless_number(struct writer *w)
{
    put(w, 3, 3);
    put_vbr(w, 1, 6);
    put_vbr(w, 1, 6);
    for (int i = 0; i < 100; i++)
        put(w, 32, 6);
}

/* A number of 65 bits, whose highest must not get lost. */
static void a_number_too_large(struct writer *w)
{
    put(w, 3, 3);
    put_vbr(w, 1, 6);
    put_vbr(w, 1, 6);
    for (int i = 0; i < 12; i++)
        put(w, 33, 6);
    put(w, 16, 6);
}

static void too_many_operands(struct writer *w)
{
    put(w, 3, 3);
    put_vbr(w, 1, 6);
    put_vbr(w, 1000, 6);
}

static void an_end_before_the_end(struct writer *w)
{
    put(w, 0, 3);
    put_align(w);
}

static void odd_contents_are_refused(void **state)
{
    static const struct {
        const char *what;
        void (*put)(struct writer *w);
        const char *reason;
    } contents[] = {
        {"a block inside", a_block_inside, unknown_layout},
        {"a blob", a_blob, damaged},
        {"no such abbreviation", no_such_abbreviation, damaged},
        {"an array for the code", an_array_for_the_code, damaged},
        {"an array in front", an_array_in_front, damaged},
        {"an endless number", an_endless_number, damaged},
        {"a number of 65 bits", a_number_too_large, damaged},
        {"too many operands", too_many_operands, damaged},
        {"an end before the end", an_end_before_the_end, damaged},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(contents); i++) {
        struct writer w = {0};
        struct places places = begin_shard(&w);
        contents[i].put(&w);
        finish_shard(&w, places);
        assert_refused(contents[i].what, w.bytes, contents[i].reason);
    }
}

/* Puts a block of no content in one whose abbreviation ids have OUTER bits. */
static void put_block(struct writer *w, unsigned outer, uint64_t id)
{
    end_block(w, begin_block(w, outer, id));
}

/* A MODULE_CODE_VSTOFFSET as LLVM writes it, with an abbreviation of its own. */
static void put_offset(struct writer *w)
{
    put(w, 2, 3);
    put_vbr(w, 2, 5);
    put_literal(w, 13);
    put_encoding(w, FIXED, 32);
    put(w, 4, 3);
    put(w, 20, 32);
}

/* Builds a shard of the parts that LAYOUT names, a letter each: M, or m for one of another number,
 * begins the module block, and "." ends it. */
static struct text lay_out(const char *layout)
{
    struct writer w = {0};
    size_t module = 0;

    text_write(&w.bytes, "BC\300\336", 4);
    for (; *layout; layout++) {
        switch (*layout) {
        case 'M':
        case 'm':
            module = begin_block(&w, 2, *layout == 'M' ? 8 : 13);
            break;
        case 'v':
        case 'u': /* the version, or the one before it */
            put_record(&w, 1, 1, &(uint64_t){*layout == 'v' ? 2 : 1});
            break;
        case 'w': /* a version with something more */
            put_record(&w, 1, 2, (uint64_t[]){2, 0});
            break;
        case 'o': /* MODULE_CODE_VSTOFFSET */
            put_record(&w, 13, 1, &(uint64_t){20});
            break;
        case 'O':
            put_offset(&w);
            break;
        case 'n': /* the names */
            put_block(&w, 3, 19);
            break;
        case 'N': /* a number that is that one in 32 bits */
            put_block(&w, 3, (UINT64_C(1) << 32) + 19);
            break;
        case 's': /* the summary */
            put_block(&w, 3, 20);
            break;
        case 'b': /* BLOCKINFO */
            put_block(&w, 3, 0);
            break;
        case 'y': /* VALUE_SYMTAB_BLOCK */
            put_block(&w, 3, 14);
            break;
        case '.':
            end_block(&w, module);
            break;
        case 'T': /* the string table */
            put_block(&w, 2, 23);
            break;
        case 'S': /* SYMTAB_BLOCK */
            put_block(&w, 2, 25);
            break;
        default: /* IDENTIFICATION_BLOCK */
            put_block(&w, 2, 13);
        }
    }
    return w.bytes;
}

static void odd_layouts_are_refused(void **state)
{
    static const char *const layouts[] = {
        "Mns.T",   "Muns.T",  "Mwns.T",  "Mvvns.T", "Mnvs.T",  "Mvons.T",     "MvOns.T",
        "MOvns.T", "Mvnos.T", "Mvnso.T", "MvnOs.T", "MvnsO.T", "Mvbns.T",     "Mbvns.T",
        "Mvnns.T", "Mvnsn.T", "Mvnsy.T", "Mvnys.T", "Mvnss.T", "Mvs.T",       "Mvn.T",
        "Mvsn.T",  "M.T",     "mvns.T",  "Mvns.S",  "IMvns.T", "Mvns.TT",     "Mvns.ST",
        "Mvns.TS", "TMvns.",  "IT",      "TM.",     "TT",      "Mvns.Mvns.T",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(layouts); i++)
        assert_refused(layouts[i], lay_out(layouts[i]), unknown_layout);
    assert_refused("no string table", lay_out("Mvns."), damaged);
    assert_refused("a block id of 33 bits", lay_out("MvNs.T"), damaged);
}

/* And the one that is right. */
static void the_layout_is_known(void **state)
{
    struct text shard = lay_out("Mvns.T"), result = {0};

    (void)state;
    assert_ptr_equal(shard_rewrite(shard.data, shard.length, keep, NULL, &result), NULL);
    assert_int_equal(result.length, shard.length);
    assert_memory_equal(result.data, shard.data, shard.length);
    text_free(&shard);
    text_free(&result);
}

static void what_is_behind_is_refused(void **state)
{
    (void)state;
    for (int count = 1; count < 12; count++) {
        struct text shard = lay_out("Mvns.T");
        for (int i = 0; i < count; i++)
            text_putc(&shard, 0);
        assert_refused("zeros behind", shard, count % 4 == 0 ? unknown_layout : damaged);
    }
}

static void what_is_no_shard_is_refused(void **state)
{
    static const char foreign[] = "it is not LLVM bitcode";
    static const struct {
        const char *bytes;
        size_t length;
        const char *reason;
    } files[] = {
        {"B", 1, foreign},
        {"BC\300", 3, foreign},
        {"BC\300\337", 4, foreign},
        {"\177ELF\2\1\1", 8, foreign},
        {"\0\0\0\0\0\0\0", 8, foreign},
        {"\336\300\27\v\0\0\0\0\24\0\0\0\0\0\0\0\377\377\377\377BC\300\336", 24, foreign},
        {"BC\300\336", 4, damaged},
        {"BC\300\336\0\0\0\0", 8, unknown_layout},
        {"BC\300\336\377\377\377\377", 8, unknown_layout},
        {"BC\300\336text", 8, unknown_layout},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(files); i++) {
        struct text shard = {0};
        text_write(&shard, files[i].bytes, files[i].length);
        assert_refused("no shard", shard, files[i].reason);
    }
}

static void a_real_module_is_refused(void **state)
{
    (void)state;
    need_program("clang-22");
    compile("int f(int x) { return x + 1; }", "-g", "module.o");
    assert_refused("a module", read_file("module.o"), unknown_layout);
}

/* Rewrites a copy of the first SIZE bytes of SHARD that lies at its end of memory, so that a
 * sanitizer sees a read behind it. Returns whether the shard was taken. */
static bool takes(const char *shard, size_t size)
{
    char *copy = malloc(size + !size);
    struct text result = {0};

    memcpy(copy, shard, size);
    const char *trouble = shard_rewrite(copy, size, keep, NULL, &result);
    bool good = trouble ? result.length == 0 : result.length % 4 == 0;
    free(copy);
    text_free(&result);
    if (!good)
        abort();
    return !trouble;
}

static bool refuses_cuts(void *context)
{
    const struct text *shard = context;

    for (size_t size = 1; size < shard->length; size++) {
        if (takes(shard->data, size))
            return false;
    }
    return takes(shard->data, 0) && takes(shard->data, shard->length);
}

/* Every bit, and some other values of each byte. */
static bool survives_changes(void *context)
{
    const struct text *shard = context;

    for (size_t i = 0; i < shard->length; i++) {
        char was = shard->data[i];
        for (unsigned change = 0; change < 16; change++) {
            shard->data[i] = (char)(unsigned char)((unsigned char)was ^
                                                   (change < 8 ? 1U << change : random_below(256)));
            takes(shard->data, shard->length);
        }
        shard->data[i] = was;
    }
    return true;
}

/* Several bytes at once. */
static bool survives_many_changes(void *context)
{
    const struct text *shard = context;
    struct text copy = {0};

    for (int round = 0; round < 3000; round++) {
        text_clear(&copy);
        text_write(&copy, shard->data, shard->length);
        for (int i = 0; i < 4; i++)
            copy.data[random_below((unsigned)copy.length)] = (char)(unsigned char)random_below(256);
        takes(copy.data, copy.length);
    }
    text_free(&copy);
    return true;
}

static void assert_survives(struct text *shard)
{
    assert_int_equal(in_child(refuses_cuts, shard, 60), 0);
    assert_int_equal(in_child(survives_changes, shard, 60), 0);
    assert_int_equal(in_child(survives_many_changes, shard, 60), 0);
    text_free(shard);
}

static void damage_does_no_harm(void **state)
{
    struct writer w = ordinary_shard(LIST("a.o", "b c.o", "d\303\251.o"));

    (void)state;
    assert_survives(&w.bytes);
}

static void damage_of_a_real_shard_does_no_harm(void **state)
{
    (void)state;
    need_shards();
    make_shards(LIST("f.o", "g b.o", "h.o"));
    struct text shard = read_file("main.shard");
    assert_survives(&shard);
}

static bool is_refused(void *context)
{
    const struct text *shard = context;

    return !takes(shard->data, shard->length);
}

/* Where a few bytes say that much is there, no memory is taken for it. */
static void much_of_nothing_is_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct writer w = {0};
        struct places places = begin_shard(&w);
        define_entry(&w);
        put_encoding(&w, FIXED, kind == 0 ? 0 : 1);
        put(&w, 4, 3);
        put_vbr(&w, 0, 8);
        put_vbr(&w, kind == 2 ? UINT64_C(1) << 22 : UINT64_MAX, 6);
        for (size_t i = 0; i < (kind == 2 ? (size_t)1 << 19 : 0); i++)
            text_putc(&w.bytes, '\377');
        finish_shard(&w, places);
        assert_int_equal(in_child(is_refused, &w.bytes, 20), 0);
        text_free(&w.bytes);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(odd_records_are_refused),     TEST(a_hash_without_an_entry_is_refused),
        TEST(odd_contents_are_refused),    TEST(odd_layouts_are_refused),
        TEST(the_layout_is_known),         TEST(what_is_behind_is_refused),
        TEST(what_is_no_shard_is_refused), TEST(a_real_module_is_refused),
        TEST(damage_does_no_harm),         TEST(damage_of_a_real_shard_does_no_harm),
        TEST(much_of_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Index shards with other module paths: what is written, and that nothing of the old paths is left
 * in it. */
#include "shard.h"

#include "bitcode.h"
#include "shards.h"

/* The paths that are known, up to a null pointer; the new ones are their numbers. */
static bool number(void *context, const char *path, size_t length, struct text *name)
{
    const char *const *known = context;

    assert_int_equal(strlen(path), length);
    assert_int_equal(name->length, 0);
    for (int i = 0; known[i]; i++) {
        if (strcmp(known[i], path) != 0)
            continue;
        text_printf(name, "m%07d", i);
        return true;
    }
    return false;
}

static bool keep(void *context, const char *path, size_t length, struct text *name)
{
    (void)context;
    text_write(name, path, length);
    return true;
}

static void assert_same(const struct text *found, const struct text *expected)
{
    assert_int_equal(found->length, expected->length);
    assert_memory_equal(found->data, expected->data, expected->length);
}

/* SHARD with numbers instead of the paths KNOWN. The caller frees it. */
static struct text rewrite(const struct text *shard, const char *const *known)
{
    struct text result = {0};

    const char *trouble =
        shard_rewrite(shard->data, shard->length, number, (void *)(uintptr_t)known, &result);
    assert_ptr_equal(trouble, NULL);
    return result;
}

/* Rewrites the SHARD that is built, and frees it; the result must be EXPECTED, and is freed too. */
static void assert_rewritten(struct writer *shard, const char *const *known, struct text expected)
{
    struct text result = rewrite(&shard->bytes, known);

    assert_same(&result, &expected);
    text_free(&shard->bytes);
    text_free(&expected);
    text_free(&result);
}

/* What is to become of it: the same without abbreviations. */
static struct text plain_shard(const char *const *names)
{
    struct writer w = {0};
    struct places places = begin_shard(&w);

    put_plain(&w, 1, 0, names[0]);
    put_record(&w, 2, LENGTH(hash), hash);
    put_plain(&w, 1, 1, names[1]);
    put_plain(&w, 1, 2, names[2]);
    put_record(&w, 2, LENGTH(hash), hash);
    finish_shard(&w, places);
    return w.bytes;
}

#define PATHS   LIST("a.o", "b c.o", "d\303\251.o")
#define NUMBERS LIST("m0000000", "m0000001", "m0000002")

static void paths_are_replaced(void **state)
{
    struct writer w = ordinary_shard(PATHS);

    (void)state;
    assert_rewritten(&w, PATHS, plain_shard(NUMBERS));
}

static void lengths_of_paths_do_not_matter(void **state)
{
    const char *const *const long_paths =
        LIST("a.folder.whose.name.is.long.and.another.one.below.it.a.o",
             "/an absolute/path to/b c.o", "/an absolute/path to/d\303\251.o");
    struct writer w = ordinary_shard(long_paths);

    (void)state;
    assert_rewritten(&w, long_paths, plain_shard(NUMBERS));
    w = ordinary_shard(LIST("", " ", "x"));
    assert_rewritten(&w, LIST("", " ", "x"), plain_shard(NUMBERS));
}

/* One more digit in a number, as in the names that lld gives to members of archives. */
static void a_digit_more_does_not_matter(void **state)
{
    (void)state;
    for (unsigned pid = 9; pid < 4000000; pid = pid * 10 + 9) {
        struct text name = {0};
        text_printf(&name, "lib.a(d.o at 68).3.%u.o", pid);
        const char *const *names = LIST("a.o", "b c.o", name.data);
        struct writer w = ordinary_shard(names);
        assert_rewritten(&w, names, plain_shard(NUMBERS));
        text_free(&name);
    }
}

static void encodings_do_not_matter(void **state)
{
    struct writer w = {0};
    struct places places = begin_shard(&w);

    (void)state;
    put(&w, 2, 3); /* the code in 3 bits, module 0, and characters in parts of 5 bits */
    put_vbr(&w, 4, 5);
    put_encoding(&w, FIXED, 3);
    put_literal(&w, 0);
    put_encoding(&w, ARRAY, 0);
    put_encoding(&w, VBR, 5);
    put(&w, 4, 3);
    put(&w, 1, 3);
    put_vbr(&w, 3, 6);
    for (int i = 0; i < 3; i++)
        put_vbr(&w, (unsigned char)"a.o"[i], 5);
    put_record(&w, 2, LENGTH(hash), hash);
    put_plain(&w, 1, 1, "b c.o");
    define_entry(&w);
    put_encoding(&w, FIXED, 32);
    put_entry(&w, 5, 2, "d\303\251.o", 32, false);
    put_record(&w, 2, LENGTH(hash), hash);
    finish_shard(&w, places);
    assert_rewritten(&w, PATHS, plain_shard(NUMBERS));
}

static void what_is_rewritten_stays(void **state)
{
    struct text shard = plain_shard(NUMBERS), result = {0};

    (void)state;
    assert_ptr_equal(shard_rewrite(shard.data, shard.length, keep, NULL, &result), NULL);
    assert_same(&result, &shard);
    text_free(&shard);
    text_free(&result);
}

static bool note(void *context, const char *module)
{
    struct text *names = context;

    text_printf(names, "%s\n", module);
    return true;
}

/* The other reader finds the new paths, and the lengths of all blocks right. */
static void the_result_can_be_read(void **state)
{
    struct writer w = ordinary_shard(PATHS);
    struct text result = rewrite(&w.bytes, PATHS), names = {0};

    (void)state;
    write_file("rewritten", result.data, result.length);
    assert_int_equal(bitcode_examine("rewritten"), BITCODE_WHOLE);
    assert_true(bitcode_each_module("rewritten", note, &names));
    assert_string_equal(names.data, "m0000000\nm0000001\nm0000002\n");
    text_free(&w.bytes);
    text_free(&result);
    text_free(&names);
}

static void numbers_of_modules_stay(void **state)
{
    static const uint64_t numbers[] = {0, 31, 32, UINT32_MAX, UINT64_MAX};
    struct writer from = {0}, to = {0};
    struct places places_from = begin_shard(&from), places_to = begin_shard(&to);

    (void)state;
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        put_plain(&from, 1, numbers[i], "a.o");
        put_plain(&to, 1, numbers[i], "m0000000");
    }
    finish_shard(&from, places_from);
    finish_shard(&to, places_to);
    assert_rewritten(&from, LIST("a.o"), to.bytes);
}

static void a_path_may_have_all_characters_and_any_length(void **state)
{
    struct text path = {0};
    struct writer from = {0}, to = {0};
    struct places places = begin_shard(&from);

    (void)state;
    for (int i = 0; i < 100000; i++)
        text_putc(&path, (char)(unsigned char)(i % 255 + 1));
    define_entry(&from);
    put_encoding(&from, FIXED, 8);
    put_entry(&from, 4, 0, path.data, 8, false);
    finish_shard(&from, places);
    places = begin_shard(&to);
    put_plain(&to, 1, 0, path.data);
    finish_shard(&to, places);

    struct text result = {0};
    assert_ptr_equal(shard_rewrite(from.bytes.data, from.bytes.length, keep, NULL, &result), NULL);
    assert_same(&result, &to.bytes);
    text_free(&path);
    text_free(&from.bytes);
    text_free(&to.bytes);
    text_free(&result);
}

static void a_shard_may_name_nothing(void **state)
{
    struct writer from = {0}, to = {0};
    struct places places = begin_shard(&from);

    (void)state;
    define_all(&from);
    finish_shard(&from, places);
    finish_shard(&to, begin_shard(&to));
    assert_rewritten(&from, NONE, to.bytes);
}

static void an_empty_shard_stays_empty(void **state)
{
    struct text empty = {0}, result = {0};

    (void)state;
    text_puts(&result, "before");
    assert_ptr_equal(shard_rewrite("", 0, number, NULL, &result), NULL);
    assert_ptr_equal(shard_rewrite(empty.data, 0, number, NULL, &result), NULL);
    assert_string_equal(result.data, "before");
    text_free(&result);
}

/* The lengths inside do not count from the start of the text, nor do the words. */
static void the_shard_is_appended(void **state)
{
    struct writer w = ordinary_shard(PATHS);
    struct text expected = {0}, plain = plain_shard(NUMBERS), result = {0};

    (void)state;
    text_puts(&expected, "before");
    text_write(&expected, plain.data, plain.length);
    text_puts(&result, "before");
    assert_ptr_equal(
        shard_rewrite(w.bytes.data, w.bytes.length, number, (void *)(uintptr_t)PATHS, &result),
        NULL);
    assert_same(&result, &expected);
    text_free(&w.bytes);
    text_free(&expected);
    text_free(&plain);
    text_free(&result);
}

/* Rewrites the shard PATH in place, with numbers for the paths KNOWN. */
static void rewrite_file(const char *path, const char *const *known)
{
    struct text shard = read_file(path), result = rewrite(&shard, known);

    write_file(path, result.data, result.length);
    text_free(&shard);
    text_free(&result);
}

static void assert_names(const char *path, const char *expected)
{
    struct text names = {0};

    assert_int_equal(bitcode_examine(path), BITCODE_WHOLE);
    assert_true(bitcode_each_module(path, note, &names));
    assert_string_equal(names.data, expected);
    text_free(&names);
}

/* The modules that main.o imports from, with a name in each encoding; then under longer names. */
static void real_shards_are_the_same_after_it(void **state)
{
    (void)state;
    need_shards();
    make_shards(LIST("f.o", "g (1)+b.o", "h-%$'.o"));
    rewrite_file("main.shard", LIST("f.o", "g (1)+b.o", "h-%$'.o", "main.o"));
    assert_names("main.shard", "m0000000\nm0000001\nm0000002\nm0000003\n");
    rewrite_file("f.shard", LIST("f.o"));
    assert_names("f.shard", "m0000000\n");

    struct text first = read_file("main.shard");
    make_directories("a folder");
    make_shards(LIST("a folder/f.o", "g.o", "h.o"));
    rewrite_file("main.shard", LIST("a folder/f.o", "g.o", "h.o", "main.o"));
    struct text second = read_file("main.shard");
    assert_same(&second, &first);
    text_free(&first);
    text_free(&second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(paths_are_replaced),           TEST(lengths_of_paths_do_not_matter),
        TEST(a_digit_more_does_not_matter), TEST(encodings_do_not_matter),
        TEST(what_is_rewritten_stays),      TEST(the_result_can_be_read),
        TEST(numbers_of_modules_stay),      TEST(a_path_may_have_all_characters_and_any_length),
        TEST(a_shard_may_name_nothing),     TEST(an_empty_shard_stays_empty),
        TEST(the_shard_is_appended),        TEST(real_shards_are_the_same_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

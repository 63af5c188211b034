/* Bitcode, real and made up: whole, cut anywhere, and damaged. */
#include "bitcode.h"

#include "shards.h"

static void assert_is(const char *path, enum bitcode expected)
{
    assert_int_equal(bitcode_examine(path), expected);
}

static const char source[] = "int puts(const char *);\n"
                             "static int n;\n"
                             "int f(int x) { return x + n++; }\n"
                             "int main(int c, char **v) { return puts(v[0]) + f(c); }\n";

static void real_modules_are_whole(void **state)
{
    static const char *const options[] = {
        "-O2",
        "-g",
        "-O0",
        "-flto=full",
        "-ffunction-sections",
        "--target=aarch64-linux-gnu",
        "--target=x86_64-apple-macos" /* in a wrapper */,
    };
    (void)state;
    need_program("clang-22");
    for (size_t i = 0; i < LENGTH(options); i++) {
        compile(source, options[i], "whole.o");
        assert_is("whole.o", BITCODE_WHOLE);
    }
}

/* The number of bytes that make the file whole: behind them, a wrapped one is only filled up. */
static size_t whole_size(const struct text *file)
{
    const unsigned char *data = (const unsigned char *)file->data;
    size_t end = 0;

    if (memcmp(data, "\336\300\027\013", 4) != 0)
        return file->length;
    for (int word = 8; word <= 12; word += 4) /* where the bitcode is, and its size */
        end += data[word] | (size_t)data[word + 1] << 8 | (size_t)data[word + 2] << 16;
    return end;
}

/* Cuts the file NAME shorter and shorter. */
static void assert_cut_is_not_whole(const char *name)
{
    struct text file = read_file(name);
    size_t missed = 0;

    assert_is(name, BITCODE_WHOLE);
    for (size_t size = whole_size(&file) - 1; size > 0; size--) {
        assert_int_equal(truncate(name, (off_t)size), 0);
        enum bitcode found = bitcode_examine(name);
        if (found != BITCODE_TRUNCATED && ++missed < 10)
            print_message("# cut to %zu of %zu bytes: %d\n", size, file.length, found);
    }
    assert_int_equal(missed, 0);
    assert_int_equal(truncate(name, 0), 0);
    assert_is(name, BITCODE_EMPTY);
    text_free(&file);
}

static void a_module_cut_anywhere_is_truncated(void **state)
{
    (void)state;
    need_program("clang-22");
    compile(source, "-g", "cut.o");
    assert_cut_is_not_whole("cut.o");
}

static void a_wrapped_module_cut_anywhere_is_truncated(void **state)
{
    (void)state;
    need_program("clang-22");
    compile(source, "--target=x86_64-apple-macos", "cut.o");
    assert_cut_is_not_whole("cut.o");
}

static void what_is_no_bitcode_is_told(void **state)
{
    static const char elf[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\076\0\1\0\0\0";

    (void)state;
    write_string("text", "int main(void) { return 0; }\n");
    assert_is("text", BITCODE_FOREIGN);
    write_file("elf.o", elf, sizeof elf);
    assert_is("elf.o", BITCODE_FOREIGN);
    write_file("zeros", (char[64]){0}, 64);
    assert_is("zeros", BITCODE_FOREIGN);
    write_file("empty", "", 0);
    assert_is("empty", BITCODE_EMPTY);
    assert_is("/dev/null", BITCODE_EMPTY);
    /* The magic number and nothing behind it. */
    write_file("magic", "BC\300\336", 4);
    assert_is("magic", BITCODE_TRUNCATED);
    write_string("text-behind", "BC\300\336 and some text behind it");
    assert_is("text-behind", BITCODE_TRUNCATED);
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    write_string("file", "text");
    assert_is("missing", BITCODE_MISSING);
    assert_is("no/folder", BITCODE_MISSING);
    assert_is("file/below", BITCODE_MISSING);
    assert_int_equal(symlink("missing", "dangling"), 0);
    assert_is("dangling", BITCODE_MISSING);
    assert_int_equal(symlink("round", "round"), 0);
    assert_is("round", BITCODE_UNREADABLE);
    if (geteuid() != 0) { /* root may read it */
        assert_int_equal(chmod("file", 0), 0);
        assert_is("file", BITCODE_UNREADABLE);
    }
}

/* Opening a fifo without a writer would wait. */
static void a_fifo_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0666), 0);
    alarm(10);
    assert_true(bitcode_examine("fifo") != BITCODE_WHOLE);
    alarm(0);
}

/* Names that were found. */
struct found {
    struct words names;
    struct text storage; /* each with its NUL */
    size_t most;         /* stop at so many */
};

static bool note(void *context, const char *module)
{
    struct found *found = context;

    text_write(&found->storage, module, strlen(module) + 1);
    words_add(&found->names, NULL); /* counted; set_names puts the pointers in */
    return found->names.count < found->most;
}

/* Sorts what was found: the order in the shard is LLVM's affair. */
static void sort_names(struct found *found)
{
    const char *name = found->storage.data;

    for (size_t i = 0; i < found->names.count; i++) {
        found->names.items[i] = name;
        name += strlen(name) + 1;
    }
    if (found->names.count > 0)
        qsort((void *)found->names.items, found->names.count, sizeof *found->names.items,
              compare_strings);
}

static void free_found(struct found *found)
{
    words_free(&found->names);
    text_free(&found->storage);
}

/* The names in the shard PATH are EXPECTED, which is sorted. */
static void assert_modules(const char *path, const char *const *expected)
{
    struct found found = {.most = SIZE_MAX};

    assert_true(bitcode_each_module(path, note, &found));
    sort_names(&found);
    assert_words(&found.names, expected);
    free_found(&found);
}

static void assert_unreadable(const char *path)
{
    struct found found = {.most = SIZE_MAX};

    assert_false(bitcode_each_module(path, note, &found));
    free_found(&found);
}

static void modules_of_a_real_shard(void **state)
{
    (void)state;
    need_shards();
    /* lld writes the first with 6 bits a character, the other two with 7. */
    make_shards(LIST("f.o", "g (1)+b.o", "h-%$'.o"));
    assert_is("main.shard", BITCODE_WHOLE);
    assert_modules("main.shard", LIST("f.o", "g (1)+b.o", "h-%$'.o", "main.o"));
    assert_modules("f.shard", LIST("f.o"));
    assert_modules("g (1)+b.shard", LIST("g (1)+b.o"));
}

static void modules_in_folders(void **state)
{
    (void)state;
    need_shards();
    make_directories("one/two");
    make_directories("a b");
    make_shards(LIST("one/x.o", "one/two/y.o", "a b/../z.o"));
    assert_modules("main.shard", LIST("a b/../z.o", "main.o", "one/two/y.o", "one/x.o"));
}

static void a_real_shard_cut_anywhere_is_truncated(void **state)
{
    (void)state;
    need_shards();
    make_shards(LIST("f.o", "g.o", "h.o"));
    assert_cut_is_not_whole("main.shard");
}

/* Ends the shard and writes it into the file "made". */
static void end_shard(struct writer *w, struct places places)
{
    finish_shard(w, places);
    write_file("made", w->bytes.data, w->bytes.length);
    text_free(&w->bytes);
}

/* With all ways to write a name. */
static void make_mixed_shard(void)
{
    struct writer w = {0};
    struct places places = begin_shard(&w);

    define_entry(&w);
    put_encoding(&w, FIXED, 8);
    define_entry(&w);
    put_encoding(&w, FIXED, 7);
    define_entry(&w);
    put_encoding(&w, CHAR6, 0);
    define_entry(&w);
    put_encoding(&w, VBR, 5);
    put_entry(&w, 4, 7, "caf\303\251 \377.o", 8, false);
    put_plain(&w, 2, 300, "a record of another kind");
    put_entry(&w, 5, 7, "a b:(c).o", 7, false);
    put_entry(&w, 6, 7, "azAZ09._", 6, true);
    put_plain(&w, 1, 300, "plain \303\251");
    put_entry(&w, 5, 7, "", 7, false);
    put(&w, 7, 3); /* each character in parts of 5 bits, which hold 4 */
    put_vbr(&w, 1, 8);
    put_vbr(&w, 3, 6);
    for (int i = 0; i < 3; i++)
        put_vbr(&w, (unsigned char)"v-w"[i], 5);
    end_shard(&w, places);
}

static void names_in_all_encodings(void **state)
{
    (void)state;
    make_mixed_shard();
    assert_is("made", BITCODE_WHOLE);
    assert_modules(
        "made", LIST("", "a b:(c).o", "azAZ09._", "caf\303\251 \377.o", "plain \303\251", "v-w"));
}

static void names_longer_than_any_buffer(void **state)
{
    struct writer w = {0};
    struct places places = begin_shard(&w);
    struct text name = {0};

    (void)state;
    for (int i = 0; i < 20000; i++)
        text_printf(&name, "%d/", i);
    define_entry(&w);
    put_encoding(&w, FIXED, 8);
    put_entry(&w, 4, 7, name.data, 8, false);
    end_shard(&w, places);
    assert_modules("made", LIST(name.data));
    text_free(&name);
}

static void a_shard_without_modules(void **state)
{
    struct writer w = {0};

    (void)state;
    end_shard(&w, begin_shard(&w));
    assert_is("made", BITCODE_WHOLE);
    assert_modules("made", NONE);
}

static void the_caller_may_stop(void **state)
{
    struct found found = {.most = 2};

    (void)state;
    make_mixed_shard();
    bitcode_each_module("made", note, &found);
    sort_names(&found);
    assert_words(&found.names, LIST("a b:(c).o", "caf\303\251 \377.o"));
    free_found(&found);
}

static void what_is_no_shard_has_no_modules(void **state)
{
    (void)state;
    write_string("text", "int main(void) { return 0; }\n");
    write_file("empty", "", 0);
    write_file("magic", "BC\300\336", 4);
    assert_unreadable("text");
    assert_unreadable("empty");
    assert_unreadable("missing");
    assert_unreadable("/dev/null");
    assert_unreadable(".");
}

static void a_module_has_no_names_of_modules(void **state)
{
    struct found found = {.most = SIZE_MAX};

    (void)state;
    need_program("clang-22");
    compile(source, "-O2", "whole.o");
    bitcode_each_module("whole.o", note, &found);
    assert_int_equal(found.names.count, 0);
    free_found(&found);
}

static bool is_refused(void *context)
{
    struct found found = {.most = SIZE_MAX};

    (void)context;
    return !bitcode_each_module("made", note, &found);
}

/* Elements without any bits: nothing in the file bounds their number. */
static void an_array_of_nothing_is_refused(void **state)
{
    (void)state;
    for (int literal = 0; literal < 2; literal++) {
        struct writer w = {0};
        struct places places = begin_shard(&w);
        define_entry(&w);
        if (literal)
            put_literal(&w, 'x');
        else
            put_encoding(&w, FIXED, 0);
        put(&w, 4, 3);
        put_vbr(&w, 0, 8);
        put_vbr(&w, UINT64_C(1) << 40, 6);
        end_shard(&w, places);
        assert_int_equal(in_child(is_refused, NULL, 3), 0);
    }
}

/* Lengths and abbreviations that the file does not have room for, or that make no sense. */
static void nonsense_is_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < 9; kind++) {
        struct writer w = {0};
        struct places places = begin_shard(&w);
        if (kind == 0) { /* an abbreviation that is not defined */
            put(&w, 5, 3);
        } else if (kind == 1) { /* one of no operands */
            put(&w, 2, 3);
            put_vbr(&w, 0, 5);
        } else if (kind == 2) { /* an array of arrays */
            define_entry(&w);
            put_encoding(&w, ARRAY, 0);
            put_entry(&w, 4, 7, "a", 8, false);
        } else if (kind == 3) { /* too wide */
            define_entry(&w);
            put_encoding(&w, FIXED, 65);
        } else if (kind == 4) { /* a record of too many operands */
            put(&w, 3, 3);
            put_vbr(&w, 1, 6);
            put_vbr(&w, UINT64_MAX, 6);
        } else if (kind == 5) { /* a name that is too long */
            define_entry(&w);
            put_encoding(&w, FIXED, 8);
            put(&w, 4, 3);
            put_vbr(&w, 0, 8);
            put_vbr(&w, UINT64_MAX, 6);
        } else if (kind == 6) { /* an unknown encoding */
            define_entry(&w);
            put_encoding(&w, 7, 0);
        } else if (kind == 7) { /* more abbreviations than anybody writes */
            for (int i = 0; i < 1000; i++) {
                define_entry(&w);
                put_encoding(&w, FIXED, 8);
            }
        } else { /* variable parts of one bit, which never end */
            define_entry(&w);
            put_encoding(&w, VBR, 1);
            put_entry(&w, 4, 7, "a", 8, false);
        }
        end_shard(&w, places);
        assert_int_equal(in_child(is_refused, NULL, 3), 0);
    }
}

/* Reads the file "damaged" in all ways; only coming back counts. */
static void read_damaged(void)
{
    struct found found = {.most = SIZE_MAX};

    bitcode_examine("damaged");
    bitcode_each_module("damaged", note, &found);
    free_found(&found);
}

static bool survives_cuts(void *context)
{
    const struct text *file = context;

    for (size_t size = file->length; size-- > 0;) {
        if (truncate("damaged", (off_t)size) != 0)
            return false;
        read_damaged();
    }
    return true;
}

/* Every bit, and some other values of each byte. */
static bool survives_changes(void *context)
{
    const struct text *file = context;
    int fd = open("damaged", O_WRONLY);

    for (size_t i = 0; i < file->length; i++) {
        for (int change = 0; change < 24; change++) {
            unsigned char byte = (unsigned char)file->data[i];
            byte = (unsigned char)(byte ^ (change < 8 ? 1U << change : random_below(256)));
            if (pwrite(fd, &byte, 1, (off_t)i) != 1)
                return false;
            read_damaged();
        }
        if (pwrite(fd, &file->data[i], 1, (off_t)i) != 1)
            return false;
    }
    close(fd);
    return true;
}

/* Several bytes at once. */
static bool survives_many_changes(void *context)
{
    const struct text *file = context;
    int fd = open("damaged", O_WRONLY);

    for (int round = 0; round < 3000; round++) {
        size_t places[4];
        for (size_t i = 0; i < LENGTH(places); i++) {
            char byte = (char)random_below(256);
            places[i] = random_below((unsigned)file->length);
            if (pwrite(fd, &byte, 1, (off_t)places[i]) != 1)
                return false;
        }
        read_damaged();
        for (size_t i = 0; i < LENGTH(places); i++) {
            if (pwrite(fd, &file->data[places[i]], 1, (off_t)places[i]) != 1)
                return false;
        }
    }
    close(fd);
    return true;
}

/* Says what the damage was that a child did not survive. */
static void show_damage(const struct text *file)
{
    struct text damaged = read_file("damaged");

    print_message("# %zu of %zu bytes", damaged.length, file->length);
    for (size_t i = 0; i < damaged.length && i < file->length; i++) {
        if (damaged.data[i] != file->data[i])
            print_message(", byte %zu is 0x%02x instead of 0x%02x", i,
                          (unsigned char)damaged.data[i], (unsigned char)file->data[i]);
    }
    print_message("\n");
    text_free(&damaged);
}

static void assert_survives(const char *name, bool (*attack)(void *context))
{
    struct text file = read_file(name);

    write_file("damaged", file.data, file.length);
    int status = in_child(attack, &file, 20);
    if (status != 0)
        show_damage(&file);
    text_free(&file);
    assert_int_equal(status, 0);
}

static void damaged_shards_do_no_harm(void **state)
{
    (void)state;
    make_mixed_shard();
    assert_survives("made", survives_cuts);
    assert_survives("made", survives_changes);
    assert_survives("made", survives_many_changes);
}

static void damaged_real_shards_do_no_harm(void **state)
{
    (void)state;
    need_shards();
    make_shards(LIST("f.o", "g b.o", "h.o"));
    assert_survives("main.shard", survives_cuts);
    assert_survives("main.shard", survives_changes);
    assert_survives("main.shard", survives_many_changes);
}

static void damaged_modules_do_no_harm(void **state)
{
    (void)state;
    need_program("clang-22");
    compile(source, "-O2", "whole.o");
    assert_survives("whole.o", survives_cuts);
    assert_survives("whole.o", survives_many_changes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(real_modules_are_whole),
        TEST(a_module_cut_anywhere_is_truncated),
        TEST(a_wrapped_module_cut_anywhere_is_truncated),
        TEST(what_is_no_bitcode_is_told),
        TEST(what_cannot_be_read_is_told),
        TEST(a_fifo_is_not_waited_for),
        TEST(modules_of_a_real_shard),
        TEST(modules_in_folders),
        TEST(a_real_shard_cut_anywhere_is_truncated),
        TEST(names_in_all_encodings),
        TEST(names_longer_than_any_buffer),
        TEST(a_shard_without_modules),
        TEST(the_caller_may_stop),
        TEST(what_is_no_shard_has_no_modules),
        TEST(a_module_has_no_names_of_modules),
        TEST(an_array_of_nothing_is_refused),
        TEST(nonsense_is_refused),
        TEST(damaged_shards_do_no_harm),
        TEST(damaged_real_shards_do_no_harm),
        TEST(damaged_modules_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

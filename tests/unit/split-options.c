/* Splitting of option strings: what exactly comes out, and whether a real shell agrees. */
#include "quote.h"

#include "unit.h"

static void options_are_split_like_words_of_a_shell(void **state)
{
    const struct {
        const char *options;
        const char *const *words;
    } examples[] = {
        {"", NONE},
        {" \t\n ", NONE},
        {"-j4", LIST("-j4")},
        {"  -j  4\t--keep\n", LIST("-j", "4", "--keep")},
        {"'a  b' \"c\td\" e\\ f", LIST("a  b", "c\td", "e f")},
        {"'a'\"b\"c\\d", LIST("abcd")},
        {"''", LIST("")},
        {"a '' \"\" b", LIST("a", "", "", "b")},
        {"--ninja='/x y/ninja'", LIST("--ninja=/x y/ninja")},
        {"\"a\\\"b\" 'a\"b' \"it's\"", LIST("a\"b", "a\"b", "it's")},
        {"\"\\$x \\`y \\\\z\"", LIST("$x `y \\z")},
        {"\"\\a\\n\\'\"", LIST("\\a\\n\\'")},
        {"'\\a\\'", LIST("\\a\\")},
        {"\\\\ \\' \\\"", LIST("\\", "'", "\"")},
        {"$HOME *.c `x` #y", LIST("$HOME", "*.c", "`x`", "#y")},
        {"caf\303\251 \r", LIST("caf\303\251", "\r")},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        struct text storage = {0};
        struct words words = {0};
        assert_true(split_options(examples[i].options, &storage, &words));
        assert_words(&words, examples[i].words);
        words_free(&words);
        text_free(&storage);
    }
}

static void open_quotes_are_refused(void **state)
{
    static const char *const options[] = {"'",   "\"",      "\\",    "a 'b",        "a \"b c",
                                          "a\\", "\"a\\\"", "\"a\\", "'a' 'b\\'c'", "a''\"'"};
    (void)state;
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct text storage = {0};
        struct words words = {0};
        assert_false(split_options(options[i], &storage, &words));
        words_free(&words);
        text_free(&storage);
    }
}

/* Words are added behind those that are there: the program's name stands in front of options. */
static void options_are_added_to_the_list(void **state)
{
    struct text storage = {0};
    struct words words = {0};

    (void)state;
    words_add(&words, "first");
    assert_true(split_options("a 'b c'", &storage, &words));
    assert_words(&words, LIST("first", "a", "b c"));
    words_free(&words);
    text_free(&storage);
}

/* Splits random strings of quotes as the shell does, or refuses them as the shell does. */
static void the_shell_splits_alike(void **state)
{
    static const char letters[] = "ab \t''\"\"\\\\=";

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct text command = {0}, storage = {0}, output, expected = {0};
        struct words words = {0};
        text_puts(&command, "printf '%s\\0' x ");
        size_t start = command.length;
        for (unsigned length = random_below(14); length > 0; length--)
            text_putc(&command, letters[random_below(sizeof letters - 1)]);
        bool split = split_options(command.data + start, &storage, &words);
        int status = run(LIST("/bin/sh", "-c", command.data), &output);
        text_write(&expected, "x", 2);
        for (size_t j = 0; j < words.count; j++)
            text_write(&expected, words.items[j], strlen(words.items[j]) + 1);
        /* POSIX leaves open what a backslash at the end is; here it is refused. */
        bool open_end = command.data[command.length - 1] == '\\' && !split;
        if (!open_end) {
            assert_int_equal(split, status == 0);
            if (split) {
                assert_int_equal(output.length, expected.length);
                assert_memory_equal(output.data, expected.data, expected.length);
            }
        }
        words_free(&words);
        text_free(&command);
        text_free(&storage);
        text_free(&output);
        text_free(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_split_like_words_of_a_shell),
        cmocka_unit_test(open_quotes_are_refused),
        cmocka_unit_test(options_are_added_to_the_list),
        cmocka_unit_test(the_shell_splits_alike),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

/* Quoting: what exactly comes out, and what real shells, ninja and clang make of it. */
#include "quote.h"

#include "memory.h"
#include "unit.h"

/* Words that end in a NUL each, as `printf '%s\0'` prints them. */
static struct text hostile;
static size_t hostile_count;

static void add_hostile(const char *word, size_t length)
{
    text_write(&hostile, word, length);
    text_putc(&hostile, '\0');
    hostile_count++;
}

/* What is special to a shell, ninja, printf or clang, and some that is not. */
static const char special[] =
    "\n\r \t'\"$`\\|&;<>()#*?[]{}!~=%^:,.-+@a0\001\177\200\201\210\303\377";

static void make_hostile_words(void)
{
    static const char *const words[] = {
        "",
        "\n\n\n",
        "a\n",
        "\na",
        "a\n\n",
        "a\r\n",
        "\r\r",
        "\r\n\r\n",
        "'\n'",
        "\"\r\"",
        "$(echo x)",
        "`echo x`",
        "${IFS#??}",
        "$IFS",
        "\"${IFS#??}\"",
        "a'\\''b",
        "$'a\\nb'",
        "\\n",
        "\\012",
        "%s%n",
        "-n",
        "-e",
        "--",
        "~root",
        "a=~",
        "{a,b}",
        "/*",
        "caf\303\251",
        "\342\200\250",
        "if",
        "out/lib.a(m.o at 78).2.7BC7.o",
        "-DX=\"a b\"",
        "@file",
        "$in $out",
    };
    char word[64];

    for (size_t i = 0; i < LENGTH(words); i++)
        add_hostile(words[i], strlen(words[i]));
    for (int c = 1; c <= 255; c++) {
        word[0] = (char)c;
        add_hostile(word, 1);
    }
    for (size_t i = 0; i + 1 < sizeof special; i++) {
        for (size_t j = 0; j + 1 < sizeof special; j++)
            add_hostile((const char[]){special[i], special[j]}, 2);
    }
    for (int i = 0; i < 1500; i++) {
        size_t length = random_below(24);
        for (size_t j = 0; j < length; j++)
            word[j] = random_below(2) ? special[random_below(sizeof special - 1)]
                                      : (char)(1 + random_below(255));
        add_hostile(word, length);
    }
}

static int set_up(void **state)
{
    make_hostile_words();
    return enter_folder(state);
}

static int tear_down(void **state)
{
    text_free(&hostile);
    return leave_folder(state);
}

/* Calls the statement behind it with each hostile word. */
#define EACH_HOSTILE(word)                                                                         \
    for (const char *word = hostile.data; word < hostile.data + hostile.length;                    \
         word += strlen(word) + 1)

typedef void quoter(struct text *out, const char *word);

struct example {
    const char *word, *quoted;
};

static void assert_examples(quoter *quote, const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text out = {0};
        text_clear(&out);
        quote(&out, examples[i].word);
        assert_string_equal(out.data, examples[i].quoted);
        assert_int_equal(out.length, strlen(out.data));
        text_free(&out);
    }
}

static void shell_words_are_quoted_only_where_they_must_be(void **state)
{
    static const struct example examples[] = {
        {"abc", "abc"},
        {"-O2", "-O2"},
        {"-", "-"},
        {"out/a-b_c.1.native.o", "out/a-b_c.1.native.o"},
        {"-fthinlto-index=a.o", "-fthinlto-index=a.o"},
        {"1=2", "1=2"},
        {"a,b:c%d@e+f", "a,b:c%d@e+f"},
        {"", "''"},
        {"a=b", "'a=b'"},
        {"_A1=", "'_A1='"},
        {"a b", "'a b'"},
        {"a\tb", "'a\tb'"},
        {"$x", "'$x'"},
        {"a\\b", "'a\\b'"},
        {"\"", "'\"'"},
        {"~", "'~'"},
        {"#", "'#'"},
        {"*.o", "'*.o'"},
        {"caf\303\251", "'caf\303\251'"},
        {"'", "\\'"},
        {"''", "\\'\\'"},
        {"it's", "'it'\\''s'"},
        {"'a'", "\\''a'\\'"},
        {"a\nb", "'a'\"${IFS#??}\"'b'"},
        {"\n", "\"${IFS#??}\""},
        {"a\n", "'a'\"${IFS#??}\""},
        {"\r", "\"$(printf '\\015')\""},
        {"a\r\nb", "'a'\"$(printf '\\015')\"\"${IFS#??}\"'b'"},
    };
    (void)state;
    assert_examples(quote_shell, examples, LENGTH(examples));
}

static void commands_are_no_reserved_words(void **state)
{
    static const struct example examples[] = {
        {"if", "'if'"},
        {"clang", "'clang'"},
        {"a=b", "'a=b'"},
        {"\n", "\"${IFS#??}\""},
        {"/usr/bin/clang", "/usr/bin/clang"},
        {"a=b/clang", "'a=b/clang'"},
        {"a b/clang", "'a b/clang'"},
    };
    (void)state;
    assert_examples(quote_command, examples, LENGTH(examples));
}

static void lists_have_blanks_between(void **state)
{
    struct text out = {0};

    (void)state;
    text_puts(&out, "[");
    quote_shell_words(&out, NONE, 0);
    text_puts(&out, "][");
    quote_shell_words(&out, LIST("a"), 1);
    text_puts(&out, "][");
    quote_shell_words(&out, LIST("a", "", "b c", "d"), 4);
    text_puts(&out, "]");
    assert_string_equal(out.data, "[][a][a '' 'b c' d]");
    text_free(&out);
}

static void no_quoted_word_has_a_line_end(void **state)
{
    struct text out = {0};

    (void)state;
    assert_true(hostile_count > 3000);
    EACH_HOSTILE(word)
    {
        text_clear(&out);
        quote_shell(&out, word);
        assert_true(out.length > 0);
        assert_null(memchr(out.data, '\n', out.length));
        assert_null(memchr(out.data, '\r', out.length));
        assert_int_equal(out.length, strlen(out.data));
        assert_true(quotable_value(out.data));
    }
    text_free(&out);
}

/* Lets SHELL print all hostile words, some at a time, since a command may have 128 KiB. */
static void assert_shell_returns(const char *shell)
{
    struct text command = {0}, returned = {0};

    EACH_HOSTILE(word)
    {
        if (command.length == 0)
            text_puts(&command, "printf '%s\\0'");
        text_putc(&command, ' ');
        quote_shell(&command, word);
        bool is_last = word + strlen(word) + 1 == hostile.data + hostile.length;
        if (command.length < 100000 && !is_last)
            continue;
        struct text output;
        assert_int_equal(run(LIST(shell, "-c", command.data), &output), 0);
        text_write(&returned, output.data, output.length);
        text_free(&output);
        command.length = 0;
    }
    assert_int_equal(returned.length, hostile.length);
    assert_memory_equal(returned.data, hostile.data, hostile.length);
    text_free(&command);
    text_free(&returned);
}

static void the_shell_returns_every_word(void **state)
{
    (void)state;
    assert_shell_returns("/bin/sh");
}

/* What IFS holds in the environment is nothing to a POSIX shell, which quote_shell counts on. */
static void the_shell_ignores_ifs_of_the_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("IFS", "abc", 1), 0);
    assert_shell_returns("/bin/sh");
    unsetenv("IFS");
}

/* Others that may be somebody's /bin/sh. */
static void other_shells_return_every_word(void **state)
{
    static const char *const shells[] = {"bash", "dash", "ksh", "mksh", "yash"};

    (void)state;
    for (size_t i = 0; i < LENGTH(shells); i++) {
        if (have_program(shells[i]))
            assert_shell_returns(shells[i]);
    }
}

/* Makes the program NAME, in a folder if the name has one, which prints its own name. */
static void make_program(const char *name)
{
    const char *slash = strrchr(name, '/');

    if (slash) {
        struct text folder = {0};
        text_write(&folder, name, (size_t)(slash - name));
        make_directories(folder.data);
        text_free(&folder);
    }
    /* The name may begin with a dash, and is then no option. */
    write_string(name, "#!/bin/sh --\nprintf %s \"$0\"\n");
    assert_int_equal(chmod(name, 0755), 0);
}

/* Whether SHELL, given the quoted command as ninja does it, runs the program NAME; says so where it
 * does not. */
static bool shell_runs(const char *shell, const char *name)
{
    struct text command = {0}, output;
    size_t length = strlen(name);

    quote_command(&command, name);
    int status = run(LIST(shell, "-c", command.data), &output);
    bool ran = status == 0 && output.length >= length &&
               strcmp(output.data + output.length - length, name) == 0;
    if (!ran)
        print_message("# %s -c \"%s\" does not run '%s'\n", shell, command.data, name);
    text_free(&output);
    text_free(&command);
    return ran;
}

static void assert_shell_runs_all(const char *shell)
{
    static const char *const names[] = {
        "if",     "then",     "{",         "!",    "case",     "while", "for",    "function",
        "select", "time",     "[[",        "a=b",  "a+=b",     "a b",   "-x",     "#x",
        "~x",     "c=d/prog", "c+=d/prog", "./if", "c d/it's", "./$x",  "./a\nb", "./caf\303\251",
        "-/prog", "+/prog",
    };
    struct text path = {0};
    const char *old = getenv("PATH");

    make_directories("programs");
    text_printf(&path, "%s/programs:%s", unit_folder, old ? old : "/usr/bin:/bin");
    char *saved = old ? duplicate(old) : NULL;
    assert_int_equal(chdir("programs"), 0);
    for (size_t i = 0; i < LENGTH(names); i++)
        make_program(names[i]);
    assert_int_equal(setenv("PATH", path.data, 1), 0);
    size_t ran = 0;
    for (size_t i = 0; i < LENGTH(names); i++)
        ran += shell_runs(shell, names[i]);
    if (saved)
        setenv("PATH", saved, 1);
    free(saved);
    text_free(&path);
    assert_int_equal(chdir(unit_folder), 0);
    assert_int_equal(ran, LENGTH(names));
}

static void the_shell_runs_every_command(void **state)
{
    (void)state;
    assert_shell_runs_all("/bin/sh");
}

static void bash_runs_every_command(void **state)
{
    (void)state;
    if (!have_program("bash")) {
        print_message("# skipped: bash is missing\n");
        skip();
    }
    assert_shell_runs_all("bash");
}

static void values_have_dollars_doubled(void **state)
{
    static const struct example examples[] = {
        {"", ""},
        {"a", "a"},
        {"$", "$$"},
        {"a$b", "a$$b"},
        {"${a} $b", "$${a} $$b"},
        {" a", "$ a"},
        {"  a ", "$  a$ "},
        {"a ", "a$ "},
        {"a$ ", "a$$$ "},
        {" ", "$ "},
        {"a b:c|d", "a b:c|d"},
        {"\ta", "\ta"},
        {"caf\303\251", "caf\303\251"},
    };
    (void)state;
    assert_examples(quote_value, examples, LENGTH(examples));
}

static void paths_have_blanks_and_colons_escaped(void **state)
{
    static const struct example examples[] = {
        {"a.o", "a.o"},       {"out/lib.a(m.o at 78).o", "out/lib.a(m.o$ at$ 78).o"},
        {"a:b", "a$:b"},      {"a$b", "a$$b"},
        {" $: ", "$ $$$:$ "}, {"a\tb'\"\\#", "a\tb'\"\\#"},
    };
    (void)state;
    assert_examples(quote_path, examples, LENGTH(examples));
}

/* What ninja prints for a manifest. */
static struct text ninja_prints(const struct text *manifest, const char *tool, const char *argument)
{
    struct text output;

    write_file("test.ninja", manifest->data, manifest->length);
    int status = run_both(LIST("ninja", "-f", "test.ninja", "-t", tool, argument), &output, true);
    if (status != 0)
        print_message("# ninja: %.300s\n", output.data);
    assert_int_equal(status, 0);
    return output;
}

static void assert_ninja_returns(struct text *manifest, struct text *expected, const char *tool,
                                 const char *argument)
{
    struct text output = ninja_prints(manifest, tool, argument);
    sort_lines(&output);
    sort_lines(expected);
    assert_int_equal(output.length, expected->length);
    assert_memory_equal(output.data, expected->data, expected->length);
    text_free(&output);
}

/* Adds an edge whose command is its number, and VALUE in angle brackets, and what ninja is to print
 * for it. */
static void add_value(struct text *manifest, struct text *expected, const char *value)
{
    size_t number = manifest->length;

    text_printf(manifest, "build %zu: r\n  v = ", number);
    quote_value(manifest, value);
    text_putc(manifest, '\n');
    text_printf(expected, "%zu <%s>\n", number, value);
}

static void ninja_returns_every_value(void **state)
{
    struct text manifest = {0}, expected = {0}, word_quoted = {0};

    (void)state;
    need_program("ninja");
    text_puts(&manifest, "rule r\n  command = $out <$v>\n");
    EACH_HOSTILE(word)
    {
        if (quotable_value(word))
            add_value(&manifest, &expected, word);
        text_clear(&word_quoted);
        quote_shell(&word_quoted, word);
        add_value(&manifest, &expected, word_quoted.data);
    }
    assert_ninja_returns(&manifest, &expected, "commands", NULL);
    text_free(&manifest);
    text_free(&expected);
    text_free(&word_quoted);
}

static void ninja_returns_every_path(void **state)
{
    struct text manifest = {0}, expected = {0}, path = {0};
    size_t count = 0;

    (void)state;
    need_program("ninja");
    text_puts(&manifest, "rule r\n  command = :\n");
    EACH_HOSTILE(word)
    {
        /* ninja makes paths canonical, which is a test of paths.c; and each may be there once. */
        bool alone = strlen(word) == 1 && *word != '.';
        if (!quotable_path(word) || strchr(word, '/'))
            continue;
        text_clear(&path);
        if (!alone || count > 255)
            text_printf(&path, "%zu_", count);
        text_puts(&path, word);
        text_puts(&manifest, "build ");
        quote_path(&manifest, path.data);
        text_puts(&manifest, ": r\n");
        text_printf(&expected, "%s: r\n", path.data);
        count++;
    }
    assert_true(count > 2000);
    assert_ninja_returns(&manifest, &expected, "targets", "all");
    text_free(&manifest);
    text_free(&expected);
    text_free(&path);
}

static void what_ninja_cannot_say_is_told(void **state)
{
    (void)state;
    assert_true(quotable_value(""));
    assert_true(quotable_value("a b$c:d|e\t\001\377"));
    assert_false(quotable_value("a\n"));
    assert_false(quotable_value("\ra"));

    assert_true(quotable_path("a b$c:d"));
    assert_true(quotable_path(" \t\001\377#"));
    assert_false(quotable_path(""));
    assert_false(quotable_path("a|b"));
    assert_false(quotable_path("a\nb"));
    assert_false(quotable_path("a\r"));
}

static void response_words_have_backslashes(void **state)
{
    static const struct example examples[] = {
        {"", "\"\""},
        {"-O2", "-O2"},
        {"a b", "a\\ b"},
        {"a\tb\nc\rd\ve\ff", "a\\\tb\\\nc\\\rd\\\ve\\\ff"},
        {"a\\b", "a\\\\b"},
        {"it's", "it\\'s"},
        {"\"", "\\\""},
        {"$x #y", "$x\\ #y"},
        {"caf\303\251", "caf\303\251"},
    };
    (void)state;
    assert_examples(quote_response, examples, LENGTH(examples));
}

/* The next argument as `clang -###` prints it, in double quotes with backslashes (LLVM's printArg);
 * false at the end. *AT moves behind it. */
static bool next_argument(const char **at, struct text *argument)
{
    const char *c = *at;

    c += strspn(c, " \n");
    if (*c++ != '"')
        return false;
    text_clear(argument);
    for (; *c && *c != '"'; c++) {
        c += *c == '\\';
        text_putc(argument, *c);
    }
    *at = c + 1;
    return *c == '"';
}

/* Moves *AT behind the "-D" in front of a definition. */
static bool find_definition(const char **at, struct text *argument)
{
    while (next_argument(at, argument)) {
        if (strcmp(argument->data, "-D") == 0)
            return true;
    }
    return false;
}

static void clang_returns_every_response_word(void **state)
{
    struct text response = {0}, output, argument = {0};

    (void)state;
    need_program("clang-22");
    EACH_HOSTILE(word)
    {
        struct text option = {0};
        text_printf(&option, "-DX%s", word);
        quote_response(&response, option.data);
        text_putc(&response, '\n');
        text_free(&option);
    }
    write_file("response", response.data, response.length);
    write_string("x.c", "");
    int status = run_both(LIST("clang-22", "-###", "-c", "x.c", "@response"), &output, true);
    assert_int_equal(status, 0);
    const char *at = strstr(output.data, "\"-cc1\"");
    assert_non_null(at);
    EACH_HOSTILE(word)
    {
        assert_true(find_definition(&at, &argument));
        assert_true(next_argument(&at, &argument));
        assert_string_equal(argument.data + 1, word);
    }
    assert_false(find_definition(&at, &argument));
    text_free(&response);
    text_free(&output);
    text_free(&argument);
}

/* Splitting undoes quoting, where that makes no character with an expansion. */
static void quoted_words_are_split_again(void **state)
{
    struct text line = {0}, storage = {0};
    struct words words = {0};
    size_t count = 0;

    (void)state;
    EACH_HOSTILE(word)
    {
        if (!quotable_value(word))
            continue;
        quote_shell(&line, word);
        text_putc(&line, ' ');
        count++;
    }
    assert_true(split_options(line.data, &storage, &words));
    assert_int_equal(words.count, count);
    size_t i = 0;
    EACH_HOSTILE(word)
    {
        if (quotable_value(word))
            assert_string_equal(words.items[i++], word);
    }
    words_free(&words);
    text_free(&storage);
    text_free(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shell_words_are_quoted_only_where_they_must_be),
        cmocka_unit_test(commands_are_no_reserved_words),
        cmocka_unit_test(lists_have_blanks_between),
        cmocka_unit_test(no_quoted_word_has_a_line_end),
        cmocka_unit_test(the_shell_returns_every_word),
        cmocka_unit_test(the_shell_ignores_ifs_of_the_environment),
        cmocka_unit_test(other_shells_return_every_word),
        cmocka_unit_test(the_shell_runs_every_command),
        cmocka_unit_test(bash_runs_every_command),
        cmocka_unit_test(values_have_dollars_doubled),
        cmocka_unit_test(paths_have_blanks_and_colons_escaped),
        cmocka_unit_test(ninja_returns_every_value),
        cmocka_unit_test(ninja_returns_every_path),
        cmocka_unit_test(what_ninja_cannot_say_is_told),
        cmocka_unit_test(response_words_have_backslashes),
        cmocka_unit_test(clang_returns_every_response_word),
        cmocka_unit_test(quoted_words_are_split_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

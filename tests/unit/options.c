/* The command line and $DTLTO_NINJA_OPTIONS. */
#include "options.h"

#include "unit.h"

/* The variable is part of what each test gives, and so is the folder with its files. */
static int set_up(void **state)
{
    unsetenv("DTLTO_NINJA_OPTIONS");
    return enter_folder(state);
}

static int tear_down(void **state)
{
    unsetenv("DTLTO_NINJA_OPTIONS");
    return leave_folder(state);
}

static struct options options;

/* Reads the words behind the program's name, which end in a null pointer; *PRINTED gets what that
 * printed. */
static enum status read_options(const char *const *words, struct text *printed)
{
    char *argv[32] = {(char *)(uintptr_t)program_name};
    int argc = 1;

    while (words[argc - 1]) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
        argc++;
    }
    capture_start();
    enum status status = options_read(&options, argc, argv);
    *printed = capture_end();
    return status;
}

/* The options are in OPTIONS, to be freed with options_free. */
static void assert_taken(const char *const *words)
{
    struct text printed;
    enum status status = read_options(words, &printed);

    assert_printed(printed, "");
    assert_int_equal(status, STATUS_OK);
}

static void assert_refused(const char *const *words, const char *complaint)
{
    struct text printed, expected = {0};
    enum status status = read_options(words, &printed);

    text_printf(&expected, "dtlto-ninja: %s\n", complaint);
    assert_printed(printed, expected.data);
    assert_int_equal(status, STATUS_USAGE);
    text_free(&expected);
    options_free(&options);
}

static void assert_string(const char *found, const char *expected)
{
    if (!expected)
        assert_null(found);
    else
        assert_string_equal(found, expected);
}

static void without_options(void **state)
{
    (void)state;
    assert_taken(LIST("d.json"));
    assert_int_equal(options.action, RUN);
    assert_string(options.description, "d.json");
    assert_string(options.template, NULL);
    assert_string(options.ninja, NULL);
    assert_string(options.output, NULL);
    assert_string(options.jobs, NULL);
    assert_string(options.load, NULL);
    assert_string(options.keep_going, NULL);
    assert_false(options.verbose);
    assert_false(options.quiet);
    assert_false(options.keep);
    options_free(&options);
}

static void assert_all_taken(const char *const *words)
{
    assert_taken(words);
    assert_int_equal(options.action, GENERATE);
    assert_string(options.description, "d.json");
    assert_string(options.template, "farm");
    assert_string(options.ninja, "/x y/ninja");
    assert_string(options.output, "-");
    assert_string(options.jobs, "4");
    assert_string(options.load, "2.5");
    assert_string(options.keep_going, "0");
    assert_true(options.verbose);
    assert_false(options.quiet);
    assert_true(options.keep);
    options_free(&options);
}

static void options_in_all_spellings(void **state)
{
    (void)state;
    assert_all_taken(LIST("-j4", "-l", "2.5", "-k", "0", "-v", "-o-", "-tfarm",
                          "--ninja=/x y/ninja", "--generate", "--keep", "d.json"));
    assert_all_taken(LIST("--jobs=4", "--load=2.5", "--keep-going=0", "--verbose", "--output=-",
                          "--template=farm", "--ninja", "/x y/ninja", "--generate", "--keep", "--",
                          "d.json"));
    assert_all_taken(LIST("--jobs", "4", "--load", "2.5", "--keep-going", "0", "-vj", "4",
                          "--output", "-", "--templ", "farm", "--ninja", "/x y/ninja", "--gen",
                          "--keep", "d.json"));
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS",
                            " -j4 --load=2.5 -k '0' \"-v\" --output=- -t farm\t"
                            "--ninja='/x y/ninja' --generate\n--keep ",
                            1),
                     0);
    assert_all_taken(LIST("d.json"));
}

static void the_later_option_wins(void **state)
{
    (void)state;
    assert_taken(LIST("-j1", "-q", "-v", "-j", "2", "-ta", "-tb", "d.json"));
    assert_string(options.jobs, "2");
    assert_string(options.template, "b");
    assert_true(options.verbose);
    assert_false(options.quiet);
    options_free(&options);

    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "-j3 -l4 -v --keep", 1), 0);
    assert_taken(LIST("-j5", "-q", "d.json"));
    assert_string(options.jobs, "5");
    assert_string(options.load, "4");
    assert_false(options.verbose);
    assert_true(options.quiet);
    assert_true(options.keep);
    options_free(&options);
}

static void actions_without_a_description(void **state)
{
    static const struct {
        const char *word;
        enum action action;
    } examples[] = {
        {"-h", HELP},
        {"--help", HELP},
        {"-V", SHOW_VERSION},
        {"--version", SHOW_VERSION},
        {"--list-templates", LIST_TEMPLATES},
        {"--print-template=local", PRINT_TEMPLATE},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        assert_taken(LIST(examples[i].word));
        assert_int_equal(options.action, examples[i].action);
        assert_string(options.description, NULL);
        assert_string(options.template, examples[i].action == PRINT_TEMPLATE ? "local" : NULL);
        options_free(&options);
    }
}

static void an_empty_variable_is_none(void **state)
{
    (void)state;
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "", 1), 0);
    assert_taken(LIST("-j2", "d.json"));
    assert_string(options.jobs, "2");
    options_free(&options);
}

static void a_description_is_needed(void **state)
{
    static const char none[] =
        "expected a job description as the last argument, found none; --help tells more";
    (void)state;
    assert_refused(NONE, none);
    assert_refused(LIST("-j4"), none);
    assert_refused(LIST("--generate", "--"), none);
    assert_refused(LIST("a", "b"), "expected one job description as the last argument, found 'b' "
                                   "besides 'a'");
    assert_refused(LIST("d.json", "-v"), "expected one job description as the last argument, "
                                         "found '-v' besides 'd.json'");
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "-v d.json", 1), 0);
    assert_refused(LIST("d.json"), "DTLTO_NINJA_OPTIONS: expected only options, found 'd.json'");
}

/* ld.lld -o - names its files after the dash. */
static void a_description_may_begin_with_a_dash(void **state)
{
    (void)state;
    write_string("-.123.dist-file.json", "");
    assert_taken(LIST("-j2", "-.123.dist-file.json"));
    assert_string(options.description, "-.123.dist-file.json");
    assert_string(options.jobs, "2");
    options_free(&options);
    assert_taken(LIST("--", "-.124.dist-file.json"));
    assert_string(options.description, "-.124.dist-file.json");
    options_free(&options);
    assert_refused(LIST("-.124.dist-file.json"), "unknown option '-.'; did you mean '--version'?");
    assert_refused(LIST("a", "-.123.dist-file.json"),
                   "expected one job description as the last argument, found 'a' besides "
                   "'-.123.dist-file.json'");
}

static void numbers_are_checked(void **state)
{
    static const char *const good[] = {"-j0",  "-j1", "-j2147483647", "-k0",
                                       "-k10", "-l0", "-l0.5",        "-l12"};
    static const char *const bad[][2] = {
        {"-jx", "-j: expected a whole number, found 'x'"},
        {"-j-1", "-j: expected a whole number, found '-1'"},
        {"-j1.5", "-j: expected a whole number, found '1.5'"},
        {"-j4x", "-j: expected a whole number, found '4x'"},
        {"-j 4", "-j: expected a whole number, found ' 4'"},
        {"-j+4", "-j: expected a whole number, found '+4'"},
        {"--jobs=", "-j: expected a whole number, found ''"},
        {"-j2147483648", "-j: expected a whole number, found '2147483648'"},
        {"-j99999999999999999999", "-j: expected a whole number, found '99999999999999999999'"},
        {"-kinf", "-k: expected a whole number, found 'inf'"},
        {"--load=nan", "-l: expected a number, found 'nan'"},
        {"-l1e999", "-l: expected a number, found '1e999'"},
        {"-l-1", "-l: expected a number, found '-1'"},
        {"-l1,5", "-l: expected a number, found '1,5'"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        assert_taken(LIST(good[i], "d.json"));
        options_free(&options);
    }
    for (size_t i = 0; i < LENGTH(bad); i++)
        assert_refused(LIST(bad[i][0], "d.json"), bad[i][1]);
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "-j x", 1), 0);
    assert_refused(LIST("d.json"), "DTLTO_NINJA_OPTIONS: -j: expected a whole number, found 'x'");
}

static void unknown_options_are_named(void **state)
{
    static const char *const examples[][2] = {
        {"-x", "unknown option '-x'; did you mean '--help'?"},
        {"-keep", "unknown option '-keep'; did you mean '--keep'?"},
        {"-jobs=4", "unknown option '-jobs=4'; did you mean '--jobs'?"},
        {"-verbose", "unknown option '-verbose'; did you mean '--verbose'?"},
        {"-J4", "unknown option '-J'; did you mean '-j'?"},
        {"-vx", "unknown option '-x'; did you mean '--help'?"},
        {"--jbos=3", "unknown option '--jbos=3'; did you mean '--jobs'?"},
        {"--genrate", "unknown option '--genrate'; did you mean '--generate'?"},
        {"--templete=x", "unknown option '--templete=x'; did you mean '--template'?"},
        {"--keepgoing", "unknown option '--keepgoing'; did you mean '--keep-going'?"},
        {"--ke", "unknown option '--ke'; did you mean '--keep'?"},
        {"--keep=3", "the option '--keep=3' takes no value"},
        {"--help=x", "the option '--help=x' takes no value"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++)
        assert_refused(LIST(examples[i][0], "d.json"), examples[i][1]);
    assert_refused(LIST("-v", "--generate", "--quite", "d.json"),
                   "unknown option '--quite'; did you mean '--quiet'?");
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "-v --quite", 1), 0);
    assert_refused(LIST("d.json"), "DTLTO_NINJA_OPTIONS: unknown option '--quite'; did you mean "
                                   "'--quiet'?");
}

/* Longer than any option that there is. */
static void a_long_unknown_option(void **state)
{
    static const char word[] = "--print-template-print-template-print-template-print-template";

    (void)state;
    assert_refused(LIST(word, "d.json"),
                   "unknown option '--print-template-print-template-print-template-print-template';"
                   " did you mean '--print-template'?");
}

static void values_are_needed(void **state)
{
    (void)state;
    assert_refused(LIST("-v", "-j"), "the option '-j' needs a value");
    assert_refused(LIST("--jobs"), "the option '--jobs' needs a value");
    assert_refused(LIST("--generate", "--output"), "the option '--output' needs a value");
    assert_refused(LIST("--output=x", "d.json"), "--output goes with --generate");
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "-v -j", 1), 0);
    assert_refused(LIST("4", "d.json"), "DTLTO_NINJA_OPTIONS: the option '-j' needs a value");
}

static void open_quotes_in_the_variable(void **state)
{
    static const char complaint[] = "DTLTO_NINJA_OPTIONS: expected words for a shell, found an "
                                    "open quote or a backslash at the end: -v 'x";
    (void)state;
    assert_int_equal(setenv("DTLTO_NINJA_OPTIONS", "-v 'x", 1), 0);
    assert_refused(LIST("d.json"), complaint);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_options),
        TEST(options_in_all_spellings),
        TEST(the_later_option_wins),
        TEST(actions_without_a_description),
        TEST(an_empty_variable_is_none),
        TEST(a_description_is_needed),
        TEST(a_description_may_begin_with_a_dash),
        TEST(numbers_are_checked),
        TEST(unknown_options_are_named),
        TEST(a_long_unknown_option),
        TEST(values_are_needed),
        TEST(open_quotes_in_the_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

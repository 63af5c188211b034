/* The command line and $DTLTO_NINJA_OPTIONS. */
#include "options.h"

#include "unit.h"

/* What the command line and the variable are read as. */
struct example {
    const char *const *words; /* behind the program's name, ending in a null pointer */
    const char *variable;     /* a null pointer where it is not set */
    const char *complaint;    /* a null pointer where there is none; then EXPECTED counts */
    struct options expected;
};

static void assert_string(const char *found, const char *expected)
{
    if (!expected)
        assert_null(found);
    else
        assert_string_equal(found, expected);
}

static void assert_options(const struct options *found, const struct options *expected)
{
    assert_int_equal(found->action, expected->action);
    assert_string(found->description, expected->description);
    assert_string(found->template, expected->template);
    assert_string(found->ninja, expected->ninja);
    assert_string(found->output, expected->output);
    assert_string(found->jobs, expected->jobs);
    assert_string(found->load, expected->load);
    assert_string(found->keep_going, expected->keep_going);
    assert_true(found->memory == expected->memory);
    assert_int_equal(found->verbose, expected->verbose);
    assert_int_equal(found->quiet, expected->quiet);
    assert_int_equal(found->keep, expected->keep);
    assert_string(found->trace, expected->trace);
    assert_string(found->report, expected->report);
    assert_int_equal(found->warm, expected->warm);
    assert_string(found->repro, expected->repro);
    assert_string(found->explain, expected->explain);
    assert_int_equal(found->repro_failed, expected->repro_failed);
    assert_int_equal(found->dry_run, expected->dry_run);
}

/* *PRINTED gets what reading the example printed. */
static enum status read_options(struct options *options, const struct example *example,
                                struct text *printed)
{
    char *argv[32] = {(char *)(uintptr_t)program_name};
    int argc = 1;

    if (example->variable)
        setenv("DTLTO_NINJA_OPTIONS", example->variable, 1);
    else
        unsetenv("DTLTO_NINJA_OPTIONS");
    for (const char *const *word = example->words; *word; word++)
        argv[argc++] = (char *)(uintptr_t)*word;
    capture_start();
    enum status status = options_read(options, argc, argv);
    *printed = capture_end();
    return status;
}

static void assert_examples(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct options options;
        struct text printed, expected = {0};
        enum status status = read_options(&options, &examples[i], &printed);

        text_clear(&expected);
        if (examples[i].complaint)
            text_printf(&expected, "dtlto-ninja: %s\n", examples[i].complaint);
        assert_printed(printed, expected.data);
        text_free(&expected);
        assert_int_equal(status, examples[i].complaint ? STATUS_USAGE : STATUS_OK);
        if (status == STATUS_OK)
            assert_options(&options, &examples[i].expected);
        options_free(&options);
    }
}

static void without_options(void **state)
{
    const struct example examples[] = {
        {.words = LIST("d.json"), .expected = {.description = "d.json"}},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void options_in_all_spellings(void **state)
{
    const struct options all = {
        .action = GENERATE,
        .description = "d.json",
        .template = "farm",
        .ninja = "/x y/ninja",
        .output = "-",
        .jobs = "4",
        .load = "2.5",
        .keep_going = "0",
        .verbose = true,
        .keep = true,
    };
    const struct example examples[] = {
        {.words = LIST("-j4", "-l", "2.5", "-k", "0", "-v", "-o-", "-tfarm", "--ninja=/x y/ninja",
                       "--generate", "--keep", "d.json"),
         .expected = all},
        {.words = LIST("--jobs=4", "--load=2.5", "--keep-going=0", "--verbose", "--output=-",
                       "--template=farm", "--ninja", "/x y/ninja", "--generate", "--keep", "--",
                       "d.json"),
         .expected = all},
        {.words =
             LIST("--jobs", "4", "--load", "2.5", "--keep-going", "0", "-vj", "4", "--output", "-",
                  "--templ", "farm", "--ninja", "/x y/ninja", "--gen", "--keep", "d.json"),
         .expected = all},
        {.words = LIST("d.json"),
         .variable = " -j4 --load=2.5 -k '0' \"-v\" --output=- -t farm\t"
                     "--ninja='/x y/ninja' --generate\n--keep ",
         .expected = all},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void the_later_option_wins(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-j1", "-q", "-v", "-j", "2", "-ta", "-tb", "d.json"),
         .expected = {.description = "d.json", .jobs = "2", .template = "b", .verbose = true}},
        {.words = LIST("-j5", "-q", "d.json"),
         .variable = "-j3 -l4 -v --keep",
         .expected =
             {.description = "d.json", .jobs = "5", .load = "4", .quiet = true, .keep = true}},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void a_compiler_is_warm_or_not(void **state)
{
    const struct example examples[] = {
        {.words = LIST("--warm", "d"), .expected = {.description = "d", .warm = WARM_ALWAYS}},
        {.words = LIST("--no-warm", "d"), .expected = {.description = "d", .warm = WARM_NEVER}},
        {.words = LIST("--no-warm", "--warm", "d"),
         .expected = {.description = "d", .warm = WARM_ALWAYS}},
        {.words = LIST("--no-warm", "d"),
         .variable = "--warm",
         .expected = {.description = "d", .warm = WARM_NEVER}},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void memory_has_units(void **state)
{
    const struct example examples[] = {
        {.words = LIST("--memory=none", "d"),
         .expected = {.description = "d", .memory = NO_MEMORY_LIMIT}},
        {.words = LIST("--memory=1500M", "d"),
         .expected = {.description = "d", .memory = 1500.0 * (1 << 20)}},
        {.words = LIST("--memory", "8G", "d"),
         .expected = {.description = "d", .memory = 8.0 * (1 << 30)}},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void files_about_the_run(void **state)
{
    const struct example examples[] = {
        {.words = LIST("--trace=t.json", "--report", "r.html", "d"),
         .expected = {.description = "d", .trace = "t.json", .report = "r.html"}},
        {.words = LIST("--generate", "--keep", "--trace=b", "d"),
         .variable = "--trace=a",
         .expected = {.action = GENERATE, .description = "d", .keep = true, .trace = "b"}},
        {.words = LIST("--trace=-", "d"), .complaint = "--trace: expected a file, found '-'"},
        {.words = LIST("--report=", "d"), .complaint = "--report: expected a file, found ''"},
        {.words = LIST("d"),
         .variable = "--report=-",
         .complaint = "DTLTO_NINJA_OPTIONS: --report: expected a file, found '-'"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void actions_without_a_description(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-h"), .expected = {.action = HELP}},
        {.words = LIST("--help"), .expected = {.action = HELP}},
        {.words = LIST("-V"), .expected = {.action = SHOW_VERSION}},
        {.words = LIST("--version"), .expected = {.action = SHOW_VERSION}},
        {.words = LIST("--list-templates"), .expected = {.action = LIST_TEMPLATES}},
        {.words = LIST("--print-template=local"),
         .expected = {.action = PRINT_TEMPLATE, .template = "local"}},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void a_link_can_be_packed_or_explained(void **state)
{
    const struct example examples[] = {
        {.words = LIST("--repro=r", "d.json"), .expected = {.description = "d.json", .repro = "r"}},
        {.words = LIST("--repro", "a.tar/b.tar", "--repro-failed", "d.json"),
         .expected = {.description = "d.json", .repro = "a.tar/b.tar", .repro_failed = true}},
        {.words = LIST("--repro=x.tar.d/r", "-n", "d.json"),
         .expected = {.description = "d.json", .repro = "x.tar.d/r", .dry_run = true}},
        {.words = LIST("--explain=a.o", "d.json"),
         .expected = {.action = EXPLAIN, .description = "d.json", .explain = "a.o"}},
        {.words = LIST("--repro-failed", "d.json"),
         .complaint = "--repro-failed goes with --repro"},
        {.words = LIST("--repro=.tar", "d.json"),
         .complaint = "--repro: expected a folder or a FILE.tar, found '.tar'"},
        {.words = LIST("d.json"),
         .variable = "--repro=r.tgz",
         .complaint =
             "DTLTO_NINJA_OPTIONS: --repro: expected a folder or a FILE.tar, found 'r.tgz'"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void an_empty_variable_is_none(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-j2", "d.json"),
         .variable = "",
         .expected = {.description = "d.json", .jobs = "2"}},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void a_description_is_needed(void **state)
{
    static const char none[] =
        "expected a job description as the last argument, found none; --help tells more";
    const struct example examples[] = {
        {.words = NONE, .complaint = none},
        {.words = LIST("-j4"), .complaint = none},
        {.words = LIST("--generate", "--"), .complaint = none},
        {.words = LIST("a", "b"),
         .complaint = "expected one job description as the last argument, found 'b' besides 'a'"},
        {.words = LIST("d.json", "-v"),
         .complaint = "expected one job description as the last argument, found '-v' besides "
                      "'d.json'"},
        {.words = LIST("d.json"),
         .variable = "-v d.json",
         .complaint = "DTLTO_NINJA_OPTIONS: expected only options, found 'd.json'"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

/* ld.lld -o - names its files after the dash. */
static void a_description_may_begin_with_a_dash(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-j2", "-.123.dist-file.json"),
         .expected = {.description = "-.123.dist-file.json", .jobs = "2"}},
        {.words = LIST("--", "-.124.dist-file.json"),
         .expected = {.description = "-.124.dist-file.json"}},
        {.words = LIST("-.124.dist-file.json"),
         .complaint = "unknown option '-.'; did you mean '--version'?"},
        {.words = LIST("a", "-.123.dist-file.json"),
         .complaint = "expected one job description as the last argument, found 'a' besides "
                      "'-.123.dist-file.json'"},
    };
    (void)state;
    write_string("-.123.dist-file.json", "");
    assert_examples(examples, LENGTH(examples));
}

static void numbers_are_checked(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-j0", "d.json"), .expected = {.description = "d.json", .jobs = "0"}},
        {.words = LIST("-j1", "d.json"), .expected = {.description = "d.json", .jobs = "1"}},
        {.words = LIST("-j2147483647", "d.json"),
         .expected = {.description = "d.json", .jobs = "2147483647"}},
        {.words = LIST("-k0", "d.json"), .expected = {.description = "d.json", .keep_going = "0"}},
        {.words = LIST("-k10", "d.json"),
         .expected = {.description = "d.json", .keep_going = "10"}},
        {.words = LIST("-l0", "d.json"), .expected = {.description = "d.json", .load = "0"}},
        {.words = LIST("-l0.5", "d.json"), .expected = {.description = "d.json", .load = "0.5"}},
        {.words = LIST("-l12", "d.json"), .expected = {.description = "d.json", .load = "12"}},
        {.words = LIST("-jx", "d.json"), .complaint = "-j: expected a whole number, found 'x'"},
        {.words = LIST("-j-1", "d.json"), .complaint = "-j: expected a whole number, found '-1'"},
        {.words = LIST("-j1.5", "d.json"), .complaint = "-j: expected a whole number, found '1.5'"},
        {.words = LIST("-j4x", "d.json"), .complaint = "-j: expected a whole number, found '4x'"},
        {.words = LIST("-j 4", "d.json"), .complaint = "-j: expected a whole number, found ' 4'"},
        {.words = LIST("-j+4", "d.json"), .complaint = "-j: expected a whole number, found '+4'"},
        {.words = LIST("--jobs=", "d.json"), .complaint = "-j: expected a whole number, found ''"},
        {.words = LIST("-j2147483648", "d.json"),
         .complaint = "-j: expected a whole number, found '2147483648'"},
        {.words = LIST("-j99999999999999999999", "d.json"),
         .complaint = "-j: expected a whole number, found '99999999999999999999'"},
        {.words = LIST("-kinf", "d.json"), .complaint = "-k: expected a whole number, found 'inf'"},
        {.words = LIST("--load=nan", "d.json"), .complaint = "-l: expected a number, found 'nan'"},
        {.words = LIST("-l1e999", "d.json"), .complaint = "-l: expected a number, found '1e999'"},
        {.words = LIST("-l-1", "d.json"), .complaint = "-l: expected a number, found '-1'"},
        {.words = LIST("-l1,5", "d.json"), .complaint = "-l: expected a number, found '1,5'"},
        {.words = LIST("d.json"),
         .variable = "-j x",
         .complaint = "DTLTO_NINJA_OPTIONS: -j: expected a whole number, found 'x'"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void unknown_options_are_named(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-x", "d.json"), .complaint = "unknown option '-x'; did you mean '--help'?"},
        {.words = LIST("-keep", "d.json"),
         .complaint = "unknown option '-keep'; did you mean '--keep'?"},
        {.words = LIST("-jobs=4", "d.json"),
         .complaint = "unknown option '-jobs=4'; did you mean '--jobs'?"},
        {.words = LIST("-verbose", "d.json"),
         .complaint = "unknown option '-verbose'; did you mean '--verbose'?"},
        {.words = LIST("-J4", "d.json"), .complaint = "unknown option '-J'; did you mean '-j'?"},
        {.words = LIST("-vx", "d.json"),
         .complaint = "unknown option '-x'; did you mean '--help'?"},
        {.words = LIST("--jbos=3", "d.json"),
         .complaint = "unknown option '--jbos=3'; did you mean '--jobs'?"},
        {.words = LIST("--genrate", "d.json"),
         .complaint = "unknown option '--genrate'; did you mean '--generate'?"},
        {.words = LIST("--templete=x", "d.json"),
         .complaint = "unknown option '--templete=x'; did you mean '--template'?"},
        {.words = LIST("--keepgoing", "d.json"),
         .complaint = "unknown option '--keepgoing'; did you mean '--keep-going'?"},
        {.words = LIST("--ke", "d.json"),
         .complaint = "unknown option '--ke'; did you mean '--keep'?"},
        {.words = LIST("--keep=3", "d.json"), .complaint = "the option '--keep=3' takes no value"},
        {.words = LIST("--help=x", "d.json"), .complaint = "the option '--help=x' takes no value"},
        {.words = LIST("-v", "--generate", "--quite", "d.json"),
         .complaint = "unknown option '--quite'; did you mean '--quiet'?"},
        {.words = LIST("d.json"),
         .variable = "-v --quite",
         .complaint = "DTLTO_NINJA_OPTIONS: unknown option '--quite'; did you mean '--quiet'?"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

/* Longer than any option that there is. */
static void a_long_unknown_option(void **state)
{
    const struct example examples[] = {
        {.words = LIST("--print-template-print-template-print-template-print-template", "d.json"),
         .complaint = "unknown option '--print-template-print-template-print-template-print-"
                      "template'; did you mean '--print-template'?"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void values_are_needed(void **state)
{
    const struct example examples[] = {
        {.words = LIST("-v", "-j"), .complaint = "the option '-j' needs a value"},
        {.words = LIST("--jobs"), .complaint = "the option '--jobs' needs a value"},
        {.words = LIST("--generate", "--output"),
         .complaint = "the option '--output' needs a value"},
        {.words = LIST("--output=x", "d.json"), .complaint = "--output goes with --generate"},
        {.words = LIST("4", "d.json"),
         .variable = "-v -j",
         .complaint = "DTLTO_NINJA_OPTIONS: the option '-j' needs a value"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void open_quotes_in_the_variable(void **state)
{
    const struct example examples[] = {
        {.words = LIST("d.json"),
         .variable = "-v 'x",
         .complaint = "DTLTO_NINJA_OPTIONS: expected words for a shell, found an open quote or a "
                      "backslash at the end: -v 'x"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_options),
        TEST(options_in_all_spellings),
        TEST(the_later_option_wins),
        TEST(a_compiler_is_warm_or_not),
        TEST(memory_has_units),
        TEST(files_about_the_run),
        TEST(actions_without_a_description),
        TEST(a_link_can_be_packed_or_explained),
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

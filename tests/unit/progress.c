/* What is picked out of the text that ninja and samurai print. */
#include "progress.h"

#include "unit.h"

#include <json-c/linkhash.h>

static size_t failure_count(const struct progress *progress)
{
    return progress->count + (progress->edges ? (size_t)lh_table_length(progress->edges) : 0);
}

/* Compares the failures, and frees PROGRESS: edges by their names, commands by samurai's line. */
static void assert_failures(struct progress *progress, const char *const *expected)
{
    size_t count = 0, commands = 0;

    for (; expected[count]; count++) {
        if (strstr(expected[count], ": job "))
            assert_string_equal(progress->commands[commands++], expected[count]);
        else
            assert_true(progress_has_failed(progress, expected[count]));
    }
    assert_int_equal(failure_count(progress), count);
    assert_int_equal(progress->any_failed, count > 0);
    progress_free(progress);
    assert_int_equal(failure_count(progress), 0);
}

static void assert_scanned(const char *printed, const char *const *expected)
{
    struct progress progress = {0};

    progress_scan(&progress, printed, strlen(printed));
    assert_failures(&progress, expected);
}

static void failures_of_ninja(void **state)
{
    (void)state;
    /* As 1.11 and 1.12, and as 1.13 print it, with stdout no terminal. */
    assert_scanned("[1/2] clang -c a.o\nFAILED: a.native.o \nclang -c a.o\nerror: x\n",
                   LIST("a.native.o"));
    assert_scanned("FAILED: [code=1] a.native.o \nclang\n", LIST("a.native.o"));
    assert_scanned("FAILED: a b.o c.txt \n[2/3] x\nFAILED: d.o \nninja: build stopped: x.\n",
                   LIST("a b.o c.txt", "d.o"));
}

static void failures_of_ninja_on_a_terminal(void **state)
{
    (void)state;
    assert_scanned("\r[0/2] clang -c a.o\033[K\r[1/2] clang -c a.o\033[K\n"
                   "\033[31mFAILED: \033[0ma.o \nclang -c a.o\n",
                   LIST("a.o"));
    assert_scanned("\033[31mFAILED: [code=1] \033[0ma.o \r\n", LIST("a.o"));
    assert_scanned("\r[1/2] x\rFAILED: a.o \r\n", LIST("a.o"));
    assert_scanned("\033[1;31;40mFAILED: \033[ma.o\033[?25h\n", LIST("a.o"));
}

/* As 1.3, and up to 1.2, print it. */
static void failures_of_samurai(void **state)
{
    (void)state;
    assert_scanned("[1/2] clang -c a.o -o x.o\nsamu: job failed with status 1: clang -o x.o\n",
                   LIST("samu: job failed with status 1: clang -o x.o"));
    assert_scanned("samu: job failed: clang -c 'a b.o' -o 'x y.o'\n",
                   LIST("samu: job failed: clang -c 'a b.o' -o 'x y.o'"));
    assert_scanned("samu: job terminated due to signal 9: clang -o x.o\n",
                   LIST("samu: job terminated due to signal 9: clang -o x.o"));
}

/* Its name is the one that it is called by: on some systems it is the ninja that there is. */
static void failures_of_samurai_called_ninja(void **state)
{
    (void)state;
    assert_scanned("ninja: job failed with status 1: clang -o x.o\n",
                   LIST("ninja: job failed with status 1: clang -o x.o"));
    assert_scanned("ninja: job failed: clang -o x.o\n", LIST("ninja: job failed: clang -o x.o"));
    assert_scanned("ninja: job terminated due to signal 11: clang -o x.o\n",
                   LIST("ninja: job terminated due to signal 11: clang -o x.o"));
}

static void assert_killed(const char *printed, bool killed)
{
    struct progress progress = {0};

    progress_scan(&progress, printed, strlen(printed));
    assert_int_equal(progress.killed, killed);
    progress_free(&progress);
}

/* ninja 1.13, samurai, and the shell that ran the job. */
static void killed_jobs_are_noticed(void **state)
{
    (void)state;
    assert_killed("FAILED: [code=137] a.o \nclang -o a.o\n", true);
    assert_killed("\033[31mFAILED: [code=137] \033[0ma.o \n", true);
    assert_killed("samu: job terminated due to signal 9: clang -o x.o\n", true);
    assert_killed("FAILED: a.o \nclang -o a.o\nKilled\n", true);
    assert_killed("FAILED: [code=1] a.o \nclang -o a.o\n", false);
    assert_killed("FAILED: [code=13] a.o \n", false);
    assert_killed("FAILED: [code=139] 137.o \n", false);
    assert_killed("samu: job terminated due to signal 11: clang -o x.o\n", false);
    assert_killed("samu: job failed with status 9: clang -o x.o\n", false);
    assert_killed("Killed by something\nnot Killed\nkilled\n", false);
    assert_killed("Killed", false); /* the line may go on */
}

static void lines_that_only_look_like_failures(void **state)
{
    static const char *const lines[] = {
        "not FAILED: x.o\n",
        " FAILED: x.o\n",
        "FAILED:x.o\n",
        "FAILED\n",
        "FAILE: x.o\n",
        "failed: x.o\n",
        "[1/2] FAILED: x.o\n",
        "error: job failed with status 1\n",
        "clang: samu: job failed with status 1: x\n",
        "samu: jobs: subcommand failed\n",
        "ninja: build stopped: subcommand failed.\n",
        "samu: cannot make progress due to previous errors\n",
        "samu: job fail\n",
        "\n\r\n\r",
        "\033[31m\n",
        "\033[",
        "\033",
        "",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(lines); i++)
        assert_scanned(lines[i], NONE);
}

/* A line counts when it has come to its end: what is printed may be cut anywhere. */
static void lines_come_in_parts(void **state)
{
    static const char printed[] = "\r[0/2] a\033[K\r[1/2] b\033[K\n\033[31mFAILED: \033[0ma.o \n"
                                  "clang -o a.o\nnot FAILED: b.o\r\nFAILED: [code=1] c d.o\n"
                                  "samu: job failed with status 1: clang -o e.o\nFAILED: f.o";
    const char *const *expected =
        LIST("a.o", "c d.o", "samu: job failed with status 1: clang -o e.o");
    size_t length = sizeof printed - 1;

    (void)state;
    for (size_t i = 0; i <= length; i++) {
        struct progress progress = {0};
        progress_scan(&progress, printed, i);
        progress_scan(&progress, printed + i, length - i);
        assert_failures(&progress, expected);
    }
    struct progress progress = {0};
    for (size_t i = 0; i < length; i++)
        progress_scan(&progress, printed + i, 1);
    assert_int_equal(failure_count(&progress), 3);
    progress_scan(&progress, "\n", 1);
    assert_failures(&progress,
                    LIST("a.o", "c d.o", "samu: job failed with status 1: clang -o e.o", "f.o"));
}

/* A compiler may print what it likes. */
static void endless_lines_are_cut(void **state)
{
    struct progress progress = {0};
    static char part[65536];

    (void)state;
    memset(part, 'x', sizeof part);
    progress_scan(&progress, "FAILED: ", 8);
    for (int i = 0; i < 256; i++)
        progress_scan(&progress, part, sizeof part);
    assert_true(progress.line.room <= 4 << 20);
    progress_scan(&progress, "\nFAILED: a.o\n", 13);
    assert_int_equal(failure_count(&progress), 2);
    assert_true(progress_has_failed(&progress, "a.o"));
    progress_free(&progress);
}

static void failures_are_counted_once(void **state)
{
    struct progress progress = {0};

    (void)state;
    for (int i = 0; i < 5000; i++) {
        struct text line = {0};
        text_printf(&line, "FAILED: %d.o \n", i % 2500);
        progress_scan(&progress, line.data, line.length);
        text_free(&line);
    }
    assert_int_equal(failure_count(&progress), 2500);
    assert_true(progress_has_failed(&progress, "2499.o"));
    assert_false(progress_has_failed(&progress, "2500.o"));
    progress_free(&progress);
}

static void output_is_passed_on_as_it_is(void **state)
{
    static const char printed[] = "\r[1/2] a\033[K\n\033[31mred: \033[0ma.o \n\0\377x\n";
    struct progress progress = {0};

    (void)state;
    capture_start();
    progress_output(&progress, printed, 10);
    progress_output(&progress, printed + 10, sizeof printed - 1 - 10);
    progress_output(&progress, "", 0);
    progress_end(&progress);
    struct text captured = capture_end();
    assert_int_equal(captured.length, sizeof printed - 1);
    assert_memory_equal(captured.data, printed, sizeof printed - 1);
    text_free(&captured);
    assert_failures(&progress, NONE);
}

/* Much more than comes from a pipe at once. */
static void much_output_is_passed_on(void **state)
{
    struct progress progress = {0};
    struct text printed = {0};

    (void)state;
    for (int i = 0; i < 50000; i++)
        text_printf(&printed, "line %d\n", i);
    capture_start();
    progress_output(&progress, printed.data, printed.length);
    progress_end(&progress);
    struct text captured = capture_end();
    assert_int_equal(captured.length, printed.length);
    assert_memory_equal(captured.data, printed.data, printed.length);
    text_free(&captured);
    text_free(&printed);
    assert_failures(&progress, NONE);
}

/* What is shown of what ninja PRINTED, in parts of SIZE bytes, with the failures at the end. */
static void assert_shown(const char *printed, size_t size, const struct progress *start,
                         const char *expected)
{
    struct progress progress = *start;
    size_t length = strlen(printed);

    capture_start();
    for (size_t i = 0; i < length; i += size)
        progress_output(&progress, printed + i, length - i < size ? length - i : size);
    progress_end(&progress);
    progress_release(&progress);
    struct text captured = capture_end();
    text_putc(&captured, '\0');
    assert_string_equal(captured.data, expected);
    text_free(&captured);
    progress_free(&progress);
}

static void failures_are_held_back(void **state)
{
    static const char printed[] = "\001[1/3] a\nnoise of a\n\001[2/3] b\nFAILED: b.o \ncc b.o\n"
                                  "error: b\n\001[3/3] c\nninja: build stopped: x.\n";
    static const char expected[] = "[1/3] a\nnoise of a\n[2/3] b\nFAILED: b.o \n[3/3] c\n"
                                   "ninja: build stopped: x.\nerror: b\n";
    const struct progress start = {0}, quiet = {.quiet = true}, commands = {.with_commands = true};

    (void)state;
    for (size_t size = 1; size < sizeof printed; size++)
        assert_shown(printed, size, &start, expected);
    assert_shown(printed, 1000, &quiet, "noise of a\nninja: build stopped: x.\nerror: b\n");
    assert_shown(printed, 1000, &commands,
                 "[1/3] a\nnoise of a\n[2/3] b\nFAILED: b.o \n[3/3] c\n"
                 "ninja: build stopped: x.\ncc b.o\nerror: b\n");
    assert_shown("\001[1/1] b\nFAILED: [code=1] b.o \ncc\nerror: b\nninja: build stopped: x.\n", 7,
                 &start, "[1/1] b\nFAILED: [code=1] b.o \nninja: build stopped: x.\nerror: b\n");
}

static void a_terminal_stays_alive(void **state)
{
    static const char printed[] = "\r\001[0/2] a\033[K\r\001[1/2] a\033[K\nwarning: x\n"
                                  "\r\001[2/2] b\033[K\nwarning: x\n\r\001[2/2] c\033[K\n"
                                  "\033[31mFAILED: \033[0mc.o \ncc c.o\nbad\n";
    const struct progress start = {0}, quiet = {.quiet = true};

    (void)state;
    for (size_t size = 1; size < sizeof printed; size++)
        assert_shown(printed, size, &start,
                     "\r[0/2] a\033[K\r[1/2] a\033[K\nwarning: x\n\r[2/2] b\033[K"
                     "\r[2/2] c\033[K\n\033[31mFAILED: \033[0mc.o \n"
                     "dtlto-ninja: 1 more time: warning: x\nbad\n");
    assert_shown(printed, 100, &quiet, "warning: x\ndtlto-ninja: 1 more time: warning: x\nbad\n");
}

/* What is too much is shown at once, and so are more failures than are held. */
static void what_is_held_is_bounded(void **state)
{
    struct progress progress = {0};
    struct text printed = {0};
    static char part[65536];

    (void)state;
    memset(part, 'x', sizeof part);
    for (int i = 0; i < 100; i++)
        text_printf(&printed, "\001[%d]\nFAILED: %d.o \ncc\nerror %d\n", i, i, i);
    text_puts(&printed, "\001[x]\nFAILED: large.o \ncc\n");
    for (int i = 0; i < 20; i++)
        text_write(&printed, part, sizeof part);
    capture_start();
    progress_output(&progress, printed.data, printed.length);
    progress_end(&progress);
    struct text captured = capture_end();
    text_putc(&captured, '\0');
    assert_non_null(strstr(captured.data, "error 20\n"));
    assert_null(strstr(captured.data, "error 19\n"));
    assert_true(captured.length > 20 * sizeof part);
    assert_non_null(progress_failure(&progress, "19.o"));
    assert_null(progress_failure(&progress, "20.o"));
    assert_null(progress_failure(&progress, "large.o"));
    assert_true(progress_has_failed(&progress, "large.o"));
    assert_true(progress_has_failed(&progress, "99.o"));
    text_free(&captured);
    text_free(&printed);
    progress_free(&progress);
}

static void commands_name_outputs(void **state)
{
    static const struct {
        const char *command, *output;
        bool named;
    } examples[] = {
        {"samu: job failed: cc x.o ", "x.o", true},
        {"samu: job failed: cc x.o", "x.o", true},
        {"samu: job failed: cc x.o ", "x.o", true},
        {"samu: job failed: cc y.o x.o ", "x.o", true},
        {"samu: job failed: cc y.o x.o ", "y.o", true},
        {"samu: job failed: cc a b.o ", "a b.o", true},
        {"samu: job failed: cc out/lib.a(m.o at 78).o ", "out/lib.a(m.o at 78).o", true},
        {"samu: job failed: cc xx.o x.o ", "x.o", true},
        {"samu: job failed: cc x.o.o x.o ", "x.o", true},
        {"samu: job failed with status 1: clang -o x.o", "x.o", true},
        {"samu: job failed with status 1: clang -o 'a b.o'", "a b.o", true},
        {"samu: job failed with status 1: clang -o \"a b.o\" -c", "a b.o", true},
        {"samu: job failed: cc xx.o ", "x.o", false},
        {"samu: job failed: cc x.oo ", "x.o", false},
        {"samu: job failed: cc x.o.tmp ", "x.o", false},
        {"samu: job failed: cc d/x.o ", "x.o", false},
        {"samu: job failed: cc x.o/y ", "x.o", false},
        {"samu: job failed: cc x-x.o ", "x.o", false},
        {"samu: job failed: cc x ", "x.o", false},
        {"samu: job failed: cc ", "x.o", false},
        {"samu: job failed: cc x.o ", "", false},
        {"", "x.o", false},
        {"x.o", "x.o", false},
        {"samu: job failed with status 1: clang -ox.o", "x.o", false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++)
        assert_int_equal(progress_names(examples[i].command, examples[i].output),
                         examples[i].named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_of_ninja),
        cmocka_unit_test(failures_of_ninja_on_a_terminal),
        cmocka_unit_test(failures_of_samurai),
        cmocka_unit_test(failures_of_samurai_called_ninja),
        cmocka_unit_test(killed_jobs_are_noticed),
        cmocka_unit_test(lines_that_only_look_like_failures),
        cmocka_unit_test(lines_come_in_parts),
        cmocka_unit_test(endless_lines_are_cut),
        cmocka_unit_test(failures_are_counted_once),
        cmocka_unit_test(output_is_passed_on_as_it_is),
        cmocka_unit_test(much_output_is_passed_on),
        cmocka_unit_test(failures_are_held_back),
        cmocka_unit_test(a_terminal_stays_alive),
        cmocka_unit_test(what_is_held_is_bounded),
        cmocka_unit_test(commands_name_outputs),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

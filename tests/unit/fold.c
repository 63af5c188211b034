/* Warnings that many compilations print. */
#include "fold.h"

#include "unit.h"

static const char w1[] = "a.c:1:2: warning: one [-Wone]\n    1 | int x;\n      | ^\n";
static const char w2[] = "warning: two\n";
static const char error[] = "a.c:1:2: error: bad\n    1 | int x;\n";

/* What is shown of TEXT. */
static void assert_shown(struct fold *fold, const char *text, const char *expected)
{
    struct text out = {0};

    text_clear(&out);
    fold_take(fold, text, strlen(text), &out);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

/* Joins strings; the result is good until the call after the next. */
static const char *join(const char *a, const char *b, const char *c)
{
    static char joined[2][1024];
    static size_t next;

    next = !next;
    snprintf(joined[next], sizeof *joined, "%s%s%s", a, b, c);
    return joined[next];
}

static void assert_report(struct fold *fold, const char *expected)
{
    capture_start();
    fold_report(fold);
    struct text captured = capture_end();
    text_putc(&captured, '\0');
    assert_string_equal(captured.data, expected);
    text_free(&captured);
    fold_free(fold);
}

static void a_warning_is_shown_once_and_counted(void **state)
{
    struct fold fold = {0};

    (void)state;
    assert_shown(&fold, w1, w1);
    for (int i = 0; i < 99; i++)
        assert_shown(&fold, w1, "");
    assert_shown(&fold, w2, w2);
    assert_shown(&fold, join(w2, w1, w2), "");
    assert_report(&fold, "dtlto-ninja: 100 more times: a.c:1:2: warning: one [-Wone]\n"
                         "dtlto-ninja: 2 more times: warning: two\n");
}

static void what_differs_is_shown(void **state)
{
    struct fold fold = {0};

    (void)state;
    assert_shown(&fold, w1, w1);
    assert_shown(&fold, "a.c:1:2: warning: one [-Wone]\n    1 | int y;\n      | ^\n",
                 "a.c:1:2: warning: one [-Wone]\n    1 | int y;\n      | ^\n");
    assert_shown(&fold, join(w1, "note: more\n", ""), join(w1, "note: more\n", ""));
    assert_shown(&fold, "a.c:1:3: warning: one [-Wone]\n", "a.c:1:3: warning: one [-Wone]\n");
    assert_report(&fold, "");
}

static void errors_are_shown_each_time(void **state)
{
    static const char *const always[] = {
        error,
        "error: x\n",
        "fatal error: x\n",
        "clang: error: unable to execute command: Killed\n",
        "LLVM ERROR: out of memory\n",
        "PLEASE submit a bug report\nStack dump:\n0.\twarning\n",
        "no diagnostic at all\n",
        "error: this quotes warning: x\n",
        "no newline",
        "\n",
    };
    struct fold fold = {0};

    (void)state;
    for (size_t i = 0; i < LENGTH(always) * 3; i++)
        assert_shown(&fold, always[i / 3], always[i / 3]);
    assert_shown(&fold, join(w2, error, w2), join(w2, error, ""));
    assert_shown(&fold, join(w2, error, w2), error);
    assert_report(&fold, "dtlto-ninja: 3 more times: warning: two\n");
}

static void counts_of_warnings_go_with_them(void **state)
{
    struct fold fold = {0};

    (void)state;
    assert_shown(&fold, join(w2, "1 warning generated.\n", ""),
                 join(w2, "1 warning generated.\n", ""));
    assert_shown(&fold, join(w2, "1 warning generated.\n", ""), "");
    assert_shown(&fold, join(w2, w1, "2 warnings generated.\n"), w1);
    assert_shown(&fold, join(w2, error, "1 warning and 1 error generated.\n"),
                 join(error, "1 warning and 1 error generated.\n", ""));
    fold_free(&fold);
}

static bool is_module(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "a.o") == 0 || strcmp(name, "b.o") == 0 ||
           strcmp(name, "lib.a(c.o at 7).o") == 0;
}

static void names_of_modules_do_not_matter(void **state)
{
    static const struct {
        const char *first, *same;
    } pairs[] = {
        {"warning: bad 'a.o'\n", "warning: bad 'b.o'\n"},
        {"a.o: warning: one\n", "lib.a(c.o at 7).o: warning: one\n"},
        {"warning: in a.o: two\n", "warning: in b.o: two\n"},
        {"warning: (a.o) and \"a.o\"\n", "warning: (b.o) and \"lib.a(c.o at 7).o\"\n"},
        {"warning: at the end a.o\n", "warning: at the end b.o\n"},
    };
    static const char *const others[] = {"warning: bad 'd.o'\n", "warning: bad 'xa.o'\n",
                                         "warning: bad 'a.oo'\n"};
    struct fold fold = {.is_name = is_module};

    (void)state;
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        assert_shown(&fold, pairs[i].first, pairs[i].first);
        assert_shown(&fold, pairs[i].same, "");
    }
    for (size_t i = 0; i < LENGTH(others); i++)
        assert_shown(&fold, others[i], others[i]);
    fold_free(&fold);
}

static void colours_are_kept_and_do_not_get_into_the_report(void **state)
{
    static const char coloured[] =
        "\033[1ma.c: \033[0m\033[0;1;35mwarning: \033[0m\033[1mx\033[0m\n";
    struct fold fold = {0};

    (void)state;
    assert_shown(&fold, coloured, coloured);
    assert_shown(&fold, coloured, "");
    assert_report(&fold, "dtlto-ninja: 1 more time: a.c: warning: x\n");
}

/* Memory is bounded; then everything is shown. */
static void too_many_are_all_shown(void **state)
{
    struct fold fold = {0};
    struct text text = {0}, out = {0};
    size_t shown = 0;

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 10000; i++) {
            text_clear(&text);
            text_clear(&out);
            text_printf(&text, "warning: number %d\n", i);
            fold_take(&fold, text.data, text.length, &out);
            shown += out.length > 0;
        }
    }
    assert_true(shown > 10000 && shown < 20000);
    assert_true(fold.bytes <= 2 << 20);
    capture_start();
    fold_report(&fold);
    struct text captured = capture_end();
    text_putc(&captured, '\0');
    assert_non_null(strstr(captured.data, " other warnings; -v shows each\n"));
    text_free(&captured);
    text_free(&text);
    text_free(&out);
    fold_free(&fold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warning_is_shown_once_and_counted),
        cmocka_unit_test(what_differs_is_shown),
        cmocka_unit_test(errors_are_shown_each_time),
        cmocka_unit_test(counts_of_warnings_go_with_them),
        cmocka_unit_test(names_of_modules_do_not_matter),
        cmocka_unit_test(colours_are_kept_and_do_not_get_into_the_report),
        cmocka_unit_test(too_many_are_all_shown),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

/* Reading ninja's log. */
#include "ninja-log.h"

#include "edge.h"

#include <unistd.h>

#include "unit.h"

static bool read_text(struct ninja_log *log, const char *content)
{
    char path[] = "/tmp/ninja-log-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    *log = (struct ninja_log){0};
    bool good = ninja_log_read(log, path);
    unlink(path);
    return good;
}

static void assert_time(const struct ninja_log *log, const char *output, long start, long end)
{
    const struct ninja_time *time = ninja_log_find(log, output);

    assert_non_null(time);
    assert_int_equal(time->start, start);
    assert_int_equal(time->end, end);
}

static void the_later_of_two_lines_holds(void **state)
{
    (void)state;
    struct ninja_log log;

    assert_true(read_text(&log, "# ninja log v5\n1\t20\t0\ta.o\tff\n2\t30\t0\tb c.o\tfe\n"
                                "5\t6\t0\ta.o\tff\n"));
    assert_int_equal(log.count, 2);
    assert_time(&log, "a.o", 5, 6);
    assert_time(&log, "b c.o", 2, 30);
    assert_null(ninja_log_find(&log, "c.o"));
    ninja_log_free(&log);
}

static void a_name_may_hold_a_tab(void **state)
{
    (void)state;
    struct ninja_log log;

    assert_true(read_text(&log, "# ninja log v7\n1\t2\t3\ta\tb.o\tff\n"));
    assert_time(&log, "a\tb.o", 1, 2);
    ninja_log_free(&log);
}

static void lines_that_make_no_sense_do_not_count(void **state)
{
    (void)state;
    struct ninja_log log;

    assert_true(read_text(&log, "# ninja log v6\n\n1\t2\t3\n1\t2\t3\ta.o\nx\t2\t3\ta.o\tff\n"
                                "1 2 3 a.o ff\n7\t8\t9\tb.o\t"));
    assert_int_equal(log.count, 1);
    assert_time(&log, "b.o", 7, 8);
    ninja_log_free(&log);
}

static void what_is_no_log_is_empty(void **state)
{
    (void)state;
    struct ninja_log log;

    assert_false(read_text(&log, ""));
    assert_false(read_text(&log, "1\t2\t3\ta.o\tff\n"));
    assert_null(ninja_log_find(&log, "a.o"));
    assert_false(ninja_log_read(&log, "/nowhere"));
    assert_null(ninja_log_find(&log, "a.o"));
}

/* The names that an edge has, where ninja can be told all of its outputs, some, or none. */
static void edges_have_names(void **state)
{
    (void)state;
    struct path plain = {.text = "./a//b.o", .sayable = true},
                other = {.text = "c.dwo", .sayable = true}, odd = {.text = "x|y", .sayable = false};
    struct promise promises[] = {{&odd, 0}, {&plain, 0}, {&other, 0}, {&odd, 1}, {&plain, 2}};
    const struct files files = {.promises = promises, .promise_count = 5};
    static const char *const expected[][2] = {
        {"a/b.o", "a/b.o c.dwo"}, {"dtlto-ninja:job-1", "dtlto-ninja:job-1"}, {"a/b.o", "a/b.o"}};
    static const size_t firsts[] = {0, 3, 4};

    for (size_t i = 0; i < 3; i++) {
        char *logged = edge_in_log(&files, &promises[firsts[i]]);
        char *said = edge_in_messages(&files, &promises[firsts[i]]);
        assert_string_equal(logged, expected[i][0]);
        assert_string_equal(said, expected[i][1]);
        free(logged);
        free(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_later_of_two_lines_holds),
        cmocka_unit_test(a_name_may_hold_a_tab),
        cmocka_unit_test(lines_that_make_no_sense_do_not_count),
        cmocka_unit_test(what_is_no_log_is_empty),
        cmocka_unit_test(edges_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

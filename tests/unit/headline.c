/* The line that sums up a run. */
#include "headline.h"

#include "unit.h"

static void assert_headline(struct record *record, int64_t processor_time, size_t processors,
                            const char *slowest, const char *expected)
{
    struct text out = {0};

    record->processor_time = processor_time;
    headline_say(&out, record, processors, slowest);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

static void runs_of_all_kinds(void **state)
{
    struct entry entries[] = {{.start = 0, .end = 1500000}, {.start = 0, .end = 4100000}};
    size_t order[] = {0, 1};
    struct record record = {
        .entries = entries,
        .count = 2,
        .order = order,
        .timed = 2,
        .done = 2,
        .slots = 8,
        .began = 1000000,
        .started = 2000000,
        .ended = 6000000,
        .busy = 5600000,
    };

    (void)state;
    assert_headline(&record, 5000000, 2, "sql.o",
                    "2 of 2 modules in 5.0 s, 1.2 of 2 processors kept busy, the slowest took 4.1 "
                    "s: 'sql.o'");
    assert_headline(&record, 3600000, 1, NULL,
                    "2 of 2 modules in 5.0 s, 0.9 of 1 processor kept busy");
    record.remote = 1;
    record.done = 1;
    assert_headline(&record, 5000000, 2, "sql.o",
                    "1 of 2 modules in 5.0 s, 1.4 of 8 at a time, the slowest took 4.1 s: 'sql.o'");
    /* With samurai, and a template that leaves no notes, no times are known. */
    record.remote = 0;
    record.timed = 0;
    record.count = record.done = 1;
    assert_headline(&record, 5000000, 2, "sql.o",
                    "1 of 1 module in 5.0 s, 1.2 of 2 processors kept busy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_of_all_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

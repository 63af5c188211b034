/* The best schedule of jobs. */
#include "schedule.h"

#include "unit.h"

static void assert_best(const double *times, size_t count, size_t slots, double bound, double lpt)
{
    double copy[16];

    memcpy(copy, times, count * sizeof *copy);
    struct schedule best = schedule_best(copy, count, slots);
    assert_true(best.bound == bound);
    assert_true(best.lpt == lpt);
}

#define ASSERT_BEST(slots, bound, lpt, ...)                                                        \
    assert_best((const double[]){__VA_ARGS__},                                                     \
                sizeof(const double[]){__VA_ARGS__} / sizeof(double), slots, bound, lpt)

static void known_schedules(void **state)
{
    (void)state;
    ASSERT_BEST(1, 6, 6, 1, 2, 3);
    ASSERT_BEST(2, 10, 10, 10, 5, 5);
    /* No schedule is shorter than the longest job. */
    ASSERT_BEST(2, 10, 10, 10, 1);
    ASSERT_BEST(100, 10, 10, 10, 1, 1);
    /* The bound that no schedule reaches. */
    ASSERT_BEST(2, 3, 4, 2, 2, 2);
    /* Graham's example of LPT at its worst: the best is 9. */
    ASSERT_BEST(3, 9, 11, 5, 5, 4, 4, 3, 3, 3);
    ASSERT_BEST(2, 6, 7, 3, 3, 2, 2, 2);
}

static void nothing_to_do(void **state)
{
    (void)state;
    struct schedule best = schedule_best(NULL, 0, 4);
    assert_true(best.bound == 0 && best.lpt == 0);
    ASSERT_BEST(2, 0, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_schedules),
        cmocka_unit_test(nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

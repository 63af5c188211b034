/* What is said of where backend compilations ran. */
#include "tally.h"

#include "note.h"

#include "unit.h"

/* Each of the LINES is the kind of a note, and its reason. */
static void assert_tally(const char *lines, size_t jobs, const char *through, const char *expected)
{
    struct text out = {0}, notes = {0};
    char *copy = strdup(lines);

    text_clear(&out);
    text_clear(&notes);
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) {
        char *reason = line + strcspn(line, " ");
        if (*reason)
            *reason++ = '\0';
        note_write(&notes, &(struct note){.kind = line, .job = -1, .host = "-", .text = reason});
    }
    tally_say(&out, notes.data, jobs, through);
    assert_string_equal(out.data, expected);
    free(copy);
    text_free(&notes);
    text_free(&out);
}

static void kinds_are_counted(void **state)
{
    (void)state;
    assert_tally("", 3, "distcc", "0 of 3 remote (distcc)");
    assert_tally("remote \nremote \n", 2, NULL, "2 of 2 remote");
    assert_tally("remote\nlocal the farm ran it here\nback no host took it\n", 3, "distcc",
                 "1 of 3 remote (distcc), 1 local: the farm ran it here, 1 fell back: no host took "
                 "it");
}

static void reasons_are_counted_and_the_most_frequent_come_first(void **state)
{
    (void)state;
    assert_tally("back b\nback a\nback c\nback c\nremote \n", 9, "icecream",
                 "1 of 9 remote (icecream), 4 fell back: c (2), a (1), b (1)");
    assert_tally("local d\nlocal a\nlocal b\nlocal c\n", 4, "x",
                 "0 of 4 remote (x), 4 local: a (1), b (1), c (1), and others");
}

static void lines_that_make_no_sense_do_not_count(void **state)
{
    (void)state;
    char lines[] = "nothing of it\nremote\nremote 1 2 3 4 0 - \nback x 2 3 4 0 - a\nremote 1 2 3\n";
    struct text out = {0};

    text_clear(&out);
    tally_say(&out, lines, 2, "x");
    assert_string_equal(out.data, "1 of 2 remote (x)");
    text_free(&out);
    assert_tally("nothing of it\nremote \n\n", 2, "x", "1 of 2 remote (x)");
}

static void a_cache_counts_what_it_has_found(void **state)
{
    (void)state;
    assert_tally("cached \ncached \ncompiled \n", 3, "ccache",
                 "2 of 3 from the cache (ccache), 1 compiled");
    assert_tally("remote \ncached \nback no host took it\n", 3, "ccache-distcc",
                 "1 of 3 from the cache (ccache-distcc), 1 remote, 1 fell back: no host took it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_counted),
        cmocka_unit_test(reasons_are_counted_and_the_most_frequent_come_first),
        cmocka_unit_test(a_cache_counts_what_it_has_found),
        cmocka_unit_test(lines_that_make_no_sense_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

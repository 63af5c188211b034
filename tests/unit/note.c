/* The notes that programs leave of compilations. */
#include "note.h"

#include "unit.h"

static void a_note_comes_back(void **state)
{
    struct note note = {"back", 7,   1700000000000001, 1700000000500000,
                        90936,  137, "node1",          "a b c"};
    struct note found;
    struct text line = {0};

    (void)state;
    note_write(&line, &note);
    assert_string_equal(line.data,
                        "back 7 1700000000000001 1700000000500000 90936 137 node1 a b c\n");
    line.data[line.length - 1] = '\0';
    assert_true(note_read(line.data, &found));
    assert_string_equal(found.kind, "back");
    assert_int_equal(found.job, 7);
    assert_true(found.start == note.start && found.end == note.end);
    assert_int_equal(found.peak, 90936);
    assert_int_equal(found.status, 137);
    assert_string_equal(found.host, "node1");
    assert_string_equal(found.text, "a b c");
    text_free(&line);
}

static void a_note_is_one_line(void **state)
{
    struct note note = {"here", -1, 1, 2, 0, 0, "-", "a\nb\tc"};
    struct text line = {0};

    (void)state;
    note_write(&line, &note);
    assert_string_equal(line.data, "here -1 1 2 0 0 - a?b?c\n");
    text_free(&line);
}

static void other_lines_are_none(void **state)
{
    static const char *const lines[] = {
        "", "remote", "remote 1 2 3 4 5", "remote 1 2 3 4 5 host", "remote x 2 3 4 5 - ", "  "};

    (void)state;
    for (size_t i = 0; i < LENGTH(lines); i++) {
        char *copy = strdup(lines[i]);
        struct note note;
        assert_false(note_read(copy, &note));
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_comes_back),
        cmocka_unit_test(a_note_is_one_line),
        cmocka_unit_test(other_lines_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

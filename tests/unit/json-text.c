/* JSON strings. */
#include "json-text.h"

#include <json-c/json.h>

#include "unit.h"

/* STRING must become EXPECTED, and json-c, at its strictest, must read TEXT in that. */
static void assert_json(const char *string, const char *expected, const char *text)
{
    struct text out = {0};

    json_text(&out, string);
    assert_string_equal(out.data, expected);
    struct json_tokener *tokener = json_tokener_new();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *value = json_tokener_parse_ex(tokener, out.data, (int)out.length + 1);
    assert_non_null(value);
    assert_string_equal(json_object_get_string(value), text);
    json_object_put(value);
    json_tokener_free(tokener);
    text_free(&out);
}

static void strings_of_all_kinds(void **state)
{
    (void)state;
    assert_json("", "\"\"", "");
    assert_json("lib.a(m.o at 78)", "\"lib.a(m.o at 78)\"", "lib.a(m.o at 78)");
    assert_json("a\"b\\c\n\t\001\177", "\"a\\\"b\\\\c\\u000a\\u0009\\u0001\\u007f\"",
                "a\"b\\c\n\t\001\177");
    assert_json("gr\303\274n \360\237\230\200", "\"gr\303\274n \360\237\230\200\"",
                "gr\303\274n \360\237\230\200");
}

static void nothing_ends_a_script(void **state)
{
    (void)state;
    assert_json("</script><!--&", "\"\\u003c/script\\u003e\\u003c!--\\u0026\"", "</script><!--&");
    assert_json("\342\200\250\342\200\251\342\200\252", "\"\\u2028\\u2029\342\200\252\"",
                "\342\200\250\342\200\251\342\200\252");
}

static void what_is_no_utf8_is_seen(void **state)
{
    (void)state;
    assert_json("a\377.o", "\"a\\\\xff.o\"", "a\\xff.o");
    assert_json("\303", "\"\\\\xc3\"", "\\xc3");
    assert_json("\355\240\200", "\"\\\\xed\\\\xa0\\\\x80\"", "\\xed\\xa0\\x80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_all_kinds),
        cmocka_unit_test(nothing_ends_a_script),
        cmocka_unit_test(what_is_no_utf8_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

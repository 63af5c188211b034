/* What is said about job descriptions: where they are wrong, and what was passed over. */
#include "open-description.h"

#define FAULTY "dtlto-ninja: d.json: "

/* The draft of 2024: integers index common.modules. */
static const char draft[] =
    "{\"version\":{\"major\":0,\"minor\":0},\"common\":{\"codegen-tool\":\"/usr/bin/clang\","
    "\"args\":[\"-cc1\",\"-O2\",\"-o\",[\"\",\"outputs\",0],[\"\",\"inputs\",0]],"
    "\"inputs\":[\"my.profdata\"],\"modules\":[[\"libmain.a(main.o at 82)\",\"main.u1.o\"],"
    "\"c.o\"]},\"jobs\":[{\"inputs\":[0,\"main.u1.o.native.o.thinlto.bc\",1],"
    "\"outputs\":[\"main.u1.o.native.o\"]}]}";

/* Reads JSON of LENGTH bytes to its end, or to its first error, and returns its status; *PRINTED
 * gets what that printed. The caller frees it. */
static enum status read_all(const char *json, size_t length, struct text *printed)
{
    enum status status = STATUS_FAILED;

    write_file("d.json", json, length);
    job = (struct job){0};
    capture_start();
    description = description_open("d.json", &status);
    while (description && description_next(description, &job, &status))
        continue;
    *printed = capture_end();
    description_close(description);
    job_free(&job);
    return status;
}

static void assert_read(const char *json, enum status status, const char *printed)
{
    struct text found;

    assert_int_equal(read_all(json, strlen(json), &found), status);
    assert_printed(found, printed);
}

/* JSON that is refused, and why, which the message says behind FAULTY. */
struct fault {
    const char *json, *complaint;
};

static void assert_faults(const struct fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text expected = {0};
        text_printf(&expected, FAULTY "%s\n", faults[i].complaint);
        assert_read(faults[i].json, STATUS_USAGE, expected.data);
        text_free(&expected);
    }
}

static void the_draft_is_refused(void **state)
{
    static const struct fault faults[] = {
        {draft, "common.modules: expected a description of LLVM 21 or later, found the draft of "
                "2024, which no release of LLVM writes: link with LLVM 21 or later"},
    };
    (void)state;
    assert_faults(faults, LENGTH(faults));
}

static void wrong_references(void **state)
{
    static const struct fault faults[] = {
        {REFERENCES("[\"imports\",3]"),
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found the number 3"},
        {REFERENCES("\"a\",[\"primary_input\",\"x\",-1]"),
         "common.args[2][2]: expected a string or an index into jobs[0].primary_input, which has 1 "
         "element, found the number -1"},
        {REFERENCES("[\"imports\",0.5]"),
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found the number 0.5"},
        {REFERENCES("[\"imports\",4294967296]"),
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found the number 4294967296"},
        {REFERENCES("[\"imports\",[0]]"), "common.args[1][1]: expected a string or an index into "
                                          "jobs[0].imports, which has 3 elements, found an array"},
        {REFERENCES("[\"imports\",null]"), "common.args[1][1]: expected a string or an index into "
                                           "jobs[0].imports, which has 3 elements, found null"},
        {REFERENCES("[\"imports\",true]"), "common.args[1][1]: expected a string or an index into "
                                           "jobs[0].imports, which has 3 elements, found true"},
        {REFERENCES("[]"), "common.args[1]: expected the name of an array of the job, then strings "
                           "and indices into it, found an empty array"},
        {REFERENCES("[\"imports\"]"), "common.args[1]: expected the name of an array of the job, "
                                      "then strings and indices into it, found [\"imports\"]"},
        {REFERENCES("[\"modules\",0]"), "common.args[1]: expected the name of an array of the job, "
                                        "then strings and indices into it, found [\"modules\",0]"},
        {REFERENCES("[0,0]"), "common.args[1]: expected the name of an array of the job, then "
                              "strings and indices into it, found [0,0]"},
        {REFERENCES("[\"inputs\",0]"), "common.args[1]: expected the name of an array of the job, "
                                       "then strings and indices into it, found [\"inputs\",0]"},
    };
    (void)state;
    assert_faults(faults, LENGTH(faults));
}

/* An array that is not there has no elements. */
static void a_reference_to_nothing(void **state)
{
    static const struct fault faults[] = {
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\",[\"imports\",0]]},\"jobs\":[{"
         "\"primary_input\":[\"p\"],\"summary_index\":[\"s\"],\"primary_output\":[\"o\"]}]}",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 0 "
         "elements, found the number 0"},
    };
    (void)state;
    assert_faults(faults, LENGTH(faults));
}

static void unknown_keys_are_named_once(void **state)
{
    (void)state;
    assert_read(
        "{\"version\":[1,{\"a\":null}],\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],"
        "\"more\":-1.5e3,\"inputs\":[]},\"jobs\":["
        "{\"args\":[],\"inputs\":[],\"outputs\":[\"o\"],\"cost\":3,\"imports_\":[]},"
        "{\"cost\":true,\"args\":[],\"inputs\":[],\"outputs\":[\"p\"]}],\"after\":\"\"}",
        STATUS_OK,
        "dtlto-ninja: warning: d.json: passed over keys that this version does not know: version, "
        "common.more, jobs[].cost, jobs[].imports_, after\n");
}

static void many_unknown_keys_are_cut(void **state)
{
    (void)state;
    assert_read(
        "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,"
        "\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]},\"jobs\":[]}",
        STATUS_OK,
        "dtlto-ninja: warning: d.json: passed over keys that this version does not know: a, b, c, "
        "d, e, f, g, h, perhaps others\n");
}

/* Members that are missing or not what they have to be. */
static void wrong_members(void **state)
{
    static const struct fault faults[] = {
        {"{}", "common: expected an object, found nothing"},
        {"{\"jobs\":[]}", "common: expected an object, found nothing"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"]}}",
         "jobs: expected an array, found nothing"},
        {"{\"common\":{\"args\":[\"c\"]},\"jobs\":[]}",
         "common.linker_output: expected a string, found nothing"},
        {"{\"common\":{\"linker_output\":7}}",
         "common.linker_output: expected a string, found the number 7"},
        {"{\"common\":{\"linker_version\":{}}}",
         "common.linker_version: expected a string, found an object"},
        {"{\"common\":{\"linker_output\":\"x\"}}", "common.args: expected an array, found nothing"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[]}}",
         "common.args: expected the compiler and its arguments, found an empty array"},
        {"{\"common\":{\"args\":\"clang -c\"}}",
         "common.args: expected an array, found the string 'clang -c'"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[\"\"]}}",
         "common.args[0]: expected the compiler, found an empty string: the linker was not told "
         "one (lld's --thinlto-remote-compiler=)"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[[\"primary_input\",0]]}}",
         "common.args[0]: expected the compiler, a string, found an array"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\",\"a\",2]}}",
         "common.args[2]: expected a string or an array, found the number 2"},
        {"{\"common\":{\"inputs\":{}}}",
         "common.inputs: expected an array of strings, found an object"},
        {"{\"common\":{\"inputs\":[\"a\",null]}}",
         "common.inputs[1]: expected a string, found null"},
        {"{\"common\":{\"inputs\":[\"\"]}}",
         "common.inputs[0]: expected a file name, found an empty string"},
        {HEAD "{\"inputs\":[],\"outputs\":[\"o\"]}]}",
         "jobs[0].args: expected an array of strings, found nothing"},
        {HEAD "{\"args\":[],\"outputs\":[\"o\"]}]}",
         "jobs[0].inputs: expected an array of strings, found nothing"},
        {HEAD "{\"args\":[],\"inputs\":[]}]}",
         "jobs[0].outputs: expected an array of strings, found nothing"},
        {HEAD "{}]}", "jobs[0].args: expected an array of strings, found nothing"},
        {HEAD "{\"args\":[],\"inputs\":[],\"outputs\":[]}]}",
         "jobs[0].outputs: expected at least one file name, found an empty array"},
        {HEAD "{\"args\":[\"a\",false]}]}", "jobs[0].args[1]: expected a string, found false"},
        {HEAD "{\"inputs\":[0]}]}", "jobs[0].inputs[0]: expected a string, found the number 0"},
        {HEAD "{\"outputs\":[\"a\",\"b\",\"\"]}]}",
         "jobs[0].outputs[2]: expected a file name, found an empty string"},
        {HEAD "{\"args\":[\"\"],\"inputs\":[],\"outputs\":[\"o\"]},{\"args\":\"a\"}]}",
         "jobs[1].args: expected an array of strings, found the string 'a'"},
        {HEAD "{\"primary_input\":[]}]}",
         "jobs[0].primary_input: expected one string, found 0 of them"},
        {HEAD "{\"primary_output\":[\"a\",\"b\"]}]}",
         "jobs[0].primary_output: expected one string, found 2 of them"},
        {HEAD "{\"primary_input\":[\"a\"]}]}",
         "jobs[0].summary_index: expected an array of strings, found nothing"},
        {HEAD "{\"args\":[],\"inputs\":[],\"outputs\":[\"o\"],\"imports\":[]}]}",
         "jobs[0].imports: expected a member of the flat shape (args, inputs, outputs), found one "
         "of the other shape"},
        {HEAD "{\"args\":[],\"inputs\":[],\"outputs\":[\"o\"]},{\"primary_input\":[\"p\"],"
              "\"summary_index\":[\"s\"],\"primary_output\":[\"o\"]}]}",
         "jobs[1].args: expected an array of strings, found nothing"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"]},\"jobs\":["
         "{\"args\":[],\"inputs\":[],\"outputs\":[\"o\"]}]}",
         "common.inputs: expected an array of strings, found nothing"},
        {"{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\",[\"imports\",0]]},\"jobs\":["
         "{\"args\":[],\"inputs\":[],\"outputs\":[\"o\"]}]}",
         "jobs[0].args: expected a member of the reference shape (primary_input, summary_index, "
         "primary_output), found one of the other shape"},
    };
    (void)state;
    assert_faults(faults, LENGTH(faults));
}

/* What is not JSON, or JSON only for json-c: with line, column and place. */
static void wrong_json(void **state)
{
    static const struct fault faults[] = {
        {"", "line 1, column 1: expected an object, found the end of the file"},
        {" \n  ", "line 2, column 3: expected an object, found the end of the file"},
        {"[]", "line 1, column 1: expected an object, found an array"},
        {"\n\n \"x\"", "line 3, column 2: expected an object, found a string"},
        {"{,}", "line 1, column 2: expected a key in double quotes, found ','"},
        {"{\"common\"}", "line 1, column 10: common: expected ':' after the key, found '}'"},
        {"{\"common\":[]}", "line 1, column 11: common: expected an object, found an array"},
        {HEAD "]", "line 1, column 67: jobs: expected ',' or '}', found the end of the file"},
        {HEAD "]}x", "line 1, column 68: expected nothing after the end, found 'x'"},
        {HEAD "]}\n{}", "line 2, column 1: expected nothing after the end, found '{'"},
        {HEAD "],}", "line 1, column 68: expected a key in double quotes, found '}'"},
        {HEAD "],\"jobs\":[]}", "line 1, column 68: jobs: expected each key once, found it again"},
        {HEAD "],\"j\\u006fbs\":[]}",
         "line 1, column 68: jobs: expected each key once, found it again"},
        {HEAD "\n {\"args\":[],\n  \"args\":[]}]}",
         "line 3, column 3: jobs[0].args: expected each key once, found it again"},
        {HEAD "7]}", "line 1, column 66: jobs[0]: expected an object, found '7'"},
        {HEAD "{\"args\":[\"a\",\"b]}]}",
         "line 1, column 85: jobs[0].args[1]: expected the rest of a string, found the end of the "
         "file"},
        {HEAD "{\"args\":[\"a\nb\"]}]}", "line 1, column 77: jobs[0].args[0]: expected no control "
                                         "character in a string, found a newline"},
        {HEAD "{\"args\":[\"\\x\"]}]}", "line 1, column 77: jobs[0].args[0]: expected an escape "
                                        "that JSON knows after the backslash, found 'x'"},
        {HEAD "{\"args\":[\"\\ug124\"]}]}", "line 1, column 78: jobs[0].args[0]: expected four "
                                            "hexadecimal digits after \\u, found 'g'"},
        {HEAD "{\"args\":[\"a\\u0000\"]}]}",
         "line 1, column 77: jobs[0].args[0]: expected no NUL in a string, found \\u0000"},
        {HEAD "{\"args\":[\"\\ud83d\"]}]}",
         "line 1, column 76: jobs[0].args[0]: expected a pair of surrogates, found half of one"},
        {HEAD "{\"args\":[\"\\ude00\\ud83d\"]}]}",
         "line 1, column 76: jobs[0].args[0]: expected a pair of surrogates, found half of one"},
        {HEAD "{\"args\":[\"ab\300\257\"]}]}",
         "line 1, column 78: jobs[0].args[0]: expected UTF-8, found the byte 0xc0"},
        {HEAD "{\"args\":[\"\355\240\200\"]}]}",
         "line 1, column 76: jobs[0].args[0]: expected UTF-8, found the byte 0xed"},
        {HEAD "{\"args\":[\"\364\220\200\200\"]}]}",
         "line 1, column 76: jobs[0].args[0]: expected UTF-8, found the byte 0xf4"},
        {HEAD "{\"args\":[-01]}]}",
         "line 1, column 75: jobs[0].args[0]: expected a value, found '-01'"},
        {HEAD "{\"a\":1.}]}", "line 1, column 71: jobs[0].a: expected a value, found '1.'"},
        {HEAD "{\"a\":NaN}]}", "line 1, column 71: jobs[0].a: expected a value, found 'NaN'"},
        {HEAD "{\"a\":Infinity}]}",
         "line 1, column 71: jobs[0].a: expected a value, found 'Infinity'"},
        {HEAD "{\"a\":TRUE}]}", "line 1, column 71: jobs[0].a: expected a value, found 'TRUE'"},
        {HEAD "{\"a\":'x'}]}", "line 1, column 71: jobs[0].a: expected a value, found ''x''"},
        {HEAD "{\"a\":/**/1}]}", "line 1, column 71: jobs[0].a: expected a value, found '/**/1'"},
        {HEAD "{\"a\":{\"b\":1,\"b\":2}}]}",
         "line 1, column 78: jobs[0].a.b: expected each key once, found it again"},
        {HEAD "{\"args\":[\"a\",]}]}",
         "line 1, column 79: jobs[0].args: expected a value, found ']'"},
        {HEAD "{\"args\":[\"a\" \"b\"]}]}",
         "line 1, column 79: jobs[0].args: expected ',' or ']', found a string"},
    };
    (void)state;
    assert_faults(faults, LENGTH(faults));
}

/* Jobs that came first are gone back to; lld writes all on one line. */
static void places_after_going_back(void **state)
{
    static const struct fault faults[] = {
        {"{\"jobs\":[7],\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]}}",
         "line 1, column 10: jobs[0]: expected an object, found '7'"},
        {"{\"jobs\":\n [{\"args\":[],\n \"inputs\":[],\"outputs\":[\"o\"]},\n  7\n],\n\n"
         "\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]}\n}\n",
         "line 4, column 3: jobs[1]: expected an object, found '7'"},
    };
    (void)state;
    assert_faults(faults, LENGTH(faults));
}

static void a_nul_byte_is_told(void **state)
{
    static const char inside[] = "{\"common\":{\"linker_output\":\"a\0b\"";
    static const char behind[] = HEAD "]}\n\0garbage";
    struct text printed;

    (void)state;
    assert_int_equal(read_all(inside, sizeof inside - 1, &printed), STATUS_USAGE);
    assert_printed(printed, FAULTY "line 1, column 30: common.linker_output: expected no control "
                                   "character in a string, found a NUL byte\n");
    assert_int_equal(read_all(behind, sizeof behind - 1, &printed), STATUS_USAGE);
    assert_printed(printed,
                   FAULTY "line 2, column 1: expected nothing after the end, found a NUL byte\n");
}

static void nesting_is_bounded(void **state)
{
    struct text json = {0}, printed;

    (void)state;
    text_puts(&json, HEAD "],\"a\":");
    for (int i = 0; i < 100000; i++)
        text_putc(&json, '[');
    assert_int_equal(read_all(json.data, json.length, &printed), STATUS_USAGE);
    assert_non_null(strstr(printed.data, ": expected at most 32 levels of nesting, found more\n"));
    text_free(&printed);
    text_free(&json);
}

static void files_that_cannot_be_read(void **state)
{
    enum status status = STATUS_OK;

    (void)state;
    capture_start();
    struct description *opened = description_open("missing.json", &status);
    struct text printed = capture_end();
    assert_null(opened);
    assert_int_equal(status, STATUS_USAGE);
    assert_printed(printed, "dtlto-ninja: cannot open the job description 'missing.json': No such "
                            "file or directory\n");

    capture_start();
    opened = description_open(".", &status);
    printed = capture_end();
    assert_null(opened);
    assert_int_equal(status, STATUS_SYSTEM);
    assert_printed(printed, "dtlto-ninja: cannot read the job description '.': Is a directory\n");
}

/* Cut anywhere, a description is wrong, and that is said in one line. */
static void assert_cut_is_refused(const char *json)
{
    size_t length = strlen(json);

    while (length > 0 && json[length - 1] == '\n')
        length--;
    while (length-- > 0) {
        struct text printed;
        assert_int_equal(read_all(json, length, &printed), STATUS_USAGE);
        assert_memory_equal(printed.data, FAULTY "line ", sizeof FAULTY + 4);
        assert_ptr_equal(strchr(printed.data, '\n'), printed.data + printed.length - 1);
        text_free(&printed);
    }
}

static void cut_descriptions_are_refused(void **state)
{
    (void)state;
    assert_cut_is_refused(flat);
    assert_cut_is_refused(references);
    assert_cut_is_refused("{\"jobs\":[{\"args\":[\"\303\251\\u00e9\"],\"inputs\":[],\"outputs\":["
                          "\"o\"]}],\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],"
                          "\"inputs\":[]},\"a\":12.5e1}");
}

/* With a byte changed, it is still one, or wrong, and that is said in one line. */
static void assert_damage_is_told(const char *json)
{
    static const char bytes[] = "{}[]\",:\\ \n0-e.tn\377\303\001";
    struct text damaged = {0};
    size_t refused = 0;

    text_puts(&damaged, json);
    for (int i = 0; i < 3000; i++) {
        struct text printed;
        size_t at = random_below((unsigned)damaged.length);
        damaged.data[at] = bytes[random_below(sizeof bytes - 1)];
        enum status status = read_all(damaged.data, damaged.length, &printed);
        damaged.data[at] = json[at];
        if (status == STATUS_OK) {
            text_free(&printed);
            continue;
        }
        refused++;
        assert_int_equal(status, STATUS_USAGE);
        assert_memory_equal(printed.data, FAULTY, sizeof FAULTY - 1);
        assert_ptr_equal(strchr(printed.data, '\n'), printed.data + printed.length - 1);
        text_free(&printed);
    }
    assert_true(refused > 1000);
    text_free(&damaged);
}

static void damaged_descriptions_are_told(void **state)
{
    (void)state;
    assert_damage_is_told(flat);
    assert_damage_is_told(references);
}

/* The file may have changed: that is told, not believed. */
static void a_job_that_is_gone_is_told(void **state)
{
    struct text printed;

    (void)state;
    begin(flat);
    next();
    next();
    off_t offset = job.offset;
    enum status status = STATUS_FAILED;
    assert_false(description_next(description, &job, &status));
    /* What is left of the second job is the newline and the blanks in front of it. */
    assert_int_equal(truncate("d.json", offset + 10), 0);
    capture_start();
    status = description_reread(description, offset, 1, &job);
    printed = capture_end();
    assert_int_equal(status, STATUS_USAGE);
    assert_printed(printed, FAULTY "line 3, column 10: jobs[1]: expected an object, found the end "
                                   "of the file\n");
    description_close(description);
    job_free(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_draft_is_refused),
        cmocka_unit_test(wrong_references),
        cmocka_unit_test(a_reference_to_nothing),
        cmocka_unit_test(unknown_keys_are_named_once),
        cmocka_unit_test(many_unknown_keys_are_cut),
        cmocka_unit_test(wrong_members),
        cmocka_unit_test(wrong_json),
        cmocka_unit_test(places_after_going_back),
        cmocka_unit_test(a_nul_byte_is_told),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(cut_descriptions_are_refused),
        cmocka_unit_test(damaged_descriptions_are_told),
        cmocka_unit_test(a_job_that_is_gone_is_told),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

/* Job descriptions of both shapes: what comes out of them, where they are wrong, and what they
 * cost. */
#include "description.h"

#include "unit.h"

/* The flat shape as LLVM's docs/DTLTO.rst shows it, with two outputs a job. */
static const char flat[] =
    "{\"common\":{\"linker_output\":\"dtlto.elf\","
    "\"args\":[\"/usr/bin/clang\",\"-O2\",\"-c\",\"-fprofile-sample-use=my.prof\"],"
    "\"inputs\":[\"my.prof\"]},\n"
    " \"jobs\":[{\"args\":[\"t1.o\",\"-fthinlto-index=t1.o.thinlto.bc\",\"-o\",\"t1.native.o\","
    "\"-fproc-stat-report=t1.stats.txt\"],\"inputs\":[\"t1.o\",\"t1.o.thinlto.bc\"],"
    "\"outputs\":[\"t1.native.o\",\"t1.stats.txt\"]},\n"
    "         {\"args\":[\"t2.o\",\"-fthinlto-index=t2.o.thinlto.bc\",\"-o\",\"t2.native.o\","
    "\"-fproc-stat-report=t2.stats.txt\"],\"inputs\":[\"t2.o\",\"t2.o.thinlto.bc\"],"
    "\"outputs\":[\"t2.native.o\",\"t2.stats.txt\"]}]}\n";

/* As ld.lld 22.1.8 wrote it for a member of a static library. */
static const char archive[] =
    "{\"common\":{\"linker_output\":\"out/prog5\",\"args\":[\"/usr/lib/llvm-22/bin/clang\",\"-c\","
    "\"--target=x86_64-pc-linux-gnu\",\"-O2\",\"-faddrsig\",\"-ffunction-sections\","
    "\"-fdata-sections\",\"-fpic\",\"-Wno-unused-command-line-argument\"],\"inputs\":[]},"
    "\"jobs\":[{\"args\":[\"x/m.o\",\"-fthinlto-index=out/m.1.8408.native.o.thinlto.bc\",\"-o\","
    "\"out/m.1.8408.native.o\"],\"inputs\":[\"x/m.o\",\"out/m.1.8408.native.o.thinlto.bc\","
    "\"out/lib.a(m.o at 78).2.20D8.o\"],\"outputs\":[\"out/m.1.8408.native.o\"]},"
    "{\"args\":[\"out/lib.a(m.o at 78).2.20D8.o\","
    "\"-fthinlto-index=out/lib.a(m.o at 78).2.20D8.2.8408.native.o.thinlto.bc\",\"-o\","
    "\"out/lib.a(m.o at 78).2.20D8.2.8408.native.o\"],"
    "\"inputs\":[\"out/lib.a(m.o at 78).2.20D8.o\","
    "\"out/lib.a(m.o at 78).2.20D8.2.8408.native.o.thinlto.bc\"],"
    "\"outputs\":[\"out/lib.a(m.o at 78).2.20D8.2.8408.native.o\"]}]}";

/* The reference shape of early 2025, after its documentation. */
static const char references[] =
    "{\"common\":{\"linker_output\":\"dtlto.elf\",\"linker_version\":\"LLD 20.0.0\","
    "\"args\":[\"/usr/local/clang\",\"-O3\",\"-fprofile-sample-use=my.profdata\",\"-o\","
    "[\"primary_output\",0],\"-c\",\"-x\",\"ir\",[\"primary_input\",0],"
    "[\"summary_index\",\"-fthinlto-index=\",0]]},"
    "\"jobs\":[{\"primary_input\":[\"t1.o\"],\"summary_index\":[\"t1.1.77380.native.o.thinlto.bc\"]"
    ","
    "\"primary_output\":[\"t1.1.77380.native.o\"],\"imports\":[\"t2.o\"],"
    "\"additional_inputs\":[\"my.profdata\"]},"
    "{\"primary_input\":[\"t2.o\"],\"summary_index\":[\"t2.2.77380.native.o.thinlto.bc\"],"
    "\"primary_output\":[\"t2.2.77380.native.o\"],\"imports\":[],"
    "\"additional_inputs\":[\"my.profdata\"],\"additional_outputs\":[\"t2.stats.txt\"]}]}";

/* The draft of 2024: integers index common.modules. */
static const char draft[] =
    "{\"version\":{\"major\":0,\"minor\":0},\"common\":{\"codegen-tool\":\"/usr/bin/clang\","
    "\"args\":[\"-cc1\",\"-O2\",\"-o\",[\"\",\"outputs\",0],[\"\",\"inputs\",0]],"
    "\"inputs\":[\"my.profdata\"],\"modules\":[[\"libmain.a(main.o at 82)\",\"main.u1.o\"],"
    "\"c.o\"]},\"jobs\":[{\"inputs\":[0,\"main.u1.o.native.o.thinlto.bc\",1],"
    "\"outputs\":[\"main.u1.o.native.o\"]}]}";

/* A description that is open; "d.json" is its name, as in the messages. */
static struct description *description;
static struct job job;

static void begin(const char *json)
{
    enum status status = STATUS_FAILED;

    write_string("d.json", json);
    job = (struct job){0};
    description = description_open("d.json", &status);
    assert_non_null(description);
    assert_int_equal(status, STATUS_OK);
}

static void next(void)
{
    enum status status = STATUS_FAILED;

    assert_true(description_next(description, &job, &status));
    assert_int_equal(status, STATUS_OK);
}

static void finish(void)
{
    enum status status = STATUS_FAILED;

    assert_false(description_next(description, &job, &status));
    assert_int_equal(status, STATUS_OK);
    description_close(description);
    job_free(&job);
}

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

static void the_flat_shape(void **state)
{
    (void)state;
    begin(flat);
    const struct common *common = description_common(description);
    assert_string_equal(description_path(description), "d.json");
    assert_string_equal(common->linker_output, "dtlto.elf");
    assert_null(common->linker_version);
    assert_string_equal(common->compiler, "/usr/bin/clang");
    assert_words(&common->args, LIST("-O2", "-c", "-fprofile-sample-use=my.prof"));
    assert_words(&common->inputs, LIST("my.prof"));

    next();
    assert_int_equal(job.index, 0);
    assert_int_equal(job.offset, strstr(flat, "{\"args\":[\"t1") - flat);
    assert_words(&job.args, LIST("t1.o", "-fthinlto-index=t1.o.thinlto.bc", "-o", "t1.native.o",
                                 "-fproc-stat-report=t1.stats.txt"));
    assert_words(&job.inputs, LIST("t1.o", "t1.o.thinlto.bc"));
    assert_words(&job.outputs, LIST("t1.native.o", "t1.stats.txt"));
    assert_int_equal(job.imports, 0);
    assert_string_equal(job_module(&job), "t1.o");

    next();
    assert_int_equal(job.index, 1);
    assert_words(&job.args, LIST("t2.o", "-fthinlto-index=t2.o.thinlto.bc", "-o", "t2.native.o",
                                 "-fproc-stat-report=t2.stats.txt"));
    assert_words(&job.inputs, LIST("t2.o", "t2.o.thinlto.bc"));
    assert_words(&job.outputs, LIST("t2.native.o", "t2.stats.txt"));
    finish();
}

static void an_archive_as_lld_writes_it(void **state)
{
    (void)state;
    begin(archive);
    const struct common *common = description_common(description);
    assert_string_equal(common->linker_output, "out/prog5");
    assert_string_equal(common->compiler, "/usr/lib/llvm-22/bin/clang");
    assert_words(&common->args, LIST("-c", "--target=x86_64-pc-linux-gnu", "-O2", "-faddrsig",
                                     "-ffunction-sections", "-fdata-sections", "-fpic",
                                     "-Wno-unused-command-line-argument"));
    assert_words(&common->inputs, NONE);
    next();
    assert_words(&job.inputs, LIST("x/m.o", "out/m.1.8408.native.o.thinlto.bc",
                                   "out/lib.a(m.o at 78).2.20D8.o"));
    next();
    assert_words(&job.args,
                 LIST("out/lib.a(m.o at 78).2.20D8.o",
                      "-fthinlto-index=out/lib.a(m.o at 78).2.20D8.2.8408.native.o.thinlto.bc",
                      "-o", "out/lib.a(m.o at 78).2.20D8.2.8408.native.o"));
    assert_words(&job.outputs, LIST("out/lib.a(m.o at 78).2.20D8.2.8408.native.o"));
    finish();
}

static void the_reference_shape(void **state)
{
    (void)state;
    begin(references);
    const struct common *common = description_common(description);
    assert_string_equal(common->linker_output, "dtlto.elf");
    assert_string_equal(common->linker_version, "LLD 20.0.0");
    assert_string_equal(common->compiler, "/usr/local/clang");
    assert_words(&common->args, LIST("-O3", "-fprofile-sample-use=my.profdata", "-o"));
    assert_words(&common->inputs, NONE);

    next();
    assert_words(&job.args, LIST("t1.1.77380.native.o", "-c", "-x", "ir", "t1.o",
                                 "-fthinlto-index=t1.1.77380.native.o.thinlto.bc"));
    assert_words(&job.inputs,
                 LIST("t1.o", "t1.1.77380.native.o.thinlto.bc", "t2.o", "my.profdata"));
    assert_words(&job.outputs, LIST("t1.1.77380.native.o"));
    assert_int_equal(job.imports, 1);
    assert_string_equal(job_module(&job), "t1.o");

    next();
    assert_words(&job.args, LIST("t2.2.77380.native.o", "-c", "-x", "ir", "t2.o",
                                 "-fthinlto-index=t2.2.77380.native.o.thinlto.bc"));
    assert_words(&job.inputs, LIST("t2.o", "t2.2.77380.native.o.thinlto.bc", "my.profdata"));
    assert_words(&job.outputs, LIST("t2.2.77380.native.o", "t2.stats.txt"));
    assert_int_equal(job.imports, 0);
    finish();
}

static void the_draft_is_refused(void **state)
{
    (void)state;
    assert_read(draft, STATUS_USAGE,
                "dtlto-ninja: d.json: common.modules: expected a description of LLVM 21 or later, "
                "found the draft of 2024, which no release of LLVM writes: link with LLVM 21 or "
                "later\n");
}

static void no_jobs(void **state)
{
    (void)state;
    begin("{\"common\":{\"linker_output\":\"\",\"args\":[\"c\"],\"inputs\":[]},\"jobs\":[]}");
    assert_string_equal(description_common(description)->linker_output, "");
    assert_words(&description_common(description)->args, NONE);
    finish();
    begin("{\"jobs\":[ ] ,\"common\":{\"args\":[\"c\"],\"linker_output\":\"x\"}}");
    finish();
}

/* A job of neither inputs nor args: a later LLVM may write what it likes. */
static void a_job_that_only_writes(void **state)
{
    (void)state;
    begin("{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]},"
          "\"jobs\":[{\"args\":[],\"inputs\":[],\"outputs\":[\"o\"]}]}");
    next();
    assert_words(&job.args, NONE);
    assert_words(&job.inputs, NONE);
    assert_words(&job.outputs, LIST("o"));
    assert_string_equal(job_module(&job), "o");
    finish();
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    begin("\t{ \"common\" :\r\n{\"linker_output\":\"\\u0061\\/\\\\\\\"\",\"\\u0061rgs\" : [ "
          "\"\\b\\f\\n\\r\\t\" , \"\\u00e9\\u20AC\\ud83d\\uDE00\" , \"\303\251\360\237\230\200\" , "
          "\"bad\357\277\275.o\", \"\177\" ],\"inputs\":[]}, \"jobs\" : [ ] }\n\n");
    const struct common *common = description_common(description);
    assert_string_equal(common->linker_output, "a/\\\"");
    assert_string_equal(common->compiler, "\b\f\n\r\t");
    assert_words(&common->args, LIST("\303\251\342\202\254\360\237\230\200",
                                     "\303\251\360\237\230\200", "bad\357\277\275.o", "\177"));
    finish();
}

static void jobs_in_front_of_common(void **state)
{
    static const char *const flat_ones =
        "{\"jobs\":[{\"outputs\":[\"o1\"],\"args\":[\"a1\"],\"inputs\":[\"i1\"]},\n"
        "{\"outputs\":[\"o2\"],\"args\":[],\"inputs\":[]}],\n"
        "\"common\":{\"inputs\":[],\"args\":[\"clang\",\"-c\"],\"linker_output\":\"x\"}}";
    static const char *const reference_ones =
        "{\"jobs\":[{\"primary_output\":[\"o\"],\"summary_index\":[\"s\"],\"primary_input\":[\"p\"]"
        "}],\"common\":{\"args\":[\"clang\",\"-c\",[\"primary_input\",0],\"-d\"],"
        "\"linker_output\":\"x\"}}";
    (void)state;
    begin(flat_ones);
    assert_string_equal(description_common(description)->compiler, "clang");
    assert_words(&description_common(description)->args, LIST("-c"));
    next();
    assert_int_equal(job.index, 0);
    assert_words(&job.args, LIST("a1"));
    assert_words(&job.inputs, LIST("i1"));
    assert_words(&job.outputs, LIST("o1"));
    next();
    assert_int_equal(job.index, 1);
    assert_words(&job.args, NONE);
    assert_words(&job.outputs, LIST("o2"));
    finish();

    begin(reference_ones);
    next();
    assert_words(&job.args, LIST("p", "-d"));
    assert_words(&job.inputs, LIST("p", "s"));
    assert_int_equal(job.imports, 0);
    finish();
}

/* The reference shape with no reference in it: the jobs tell it. */
static void references_without_references(void **state)
{
    size_t position;

    (void)state;
    begin("{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\",\"-v\"]},\"jobs\":[{"
          "\"primary_input\":[\"p\"],\"summary_index\":[\"s\"],\"primary_output\":[\"o\"],"
          "\"imports\":[\"i\"]}]}");
    assert_words(&description_common(description)->args, LIST("-v"));
    next();
    assert_words(&job.args, NONE);
    assert_words(&job.inputs, LIST("p", "s", "i"));
    assert_string_equal(job_input_place(&job, 2, &position), "imports");
    finish();
}

/* A description with ARGS in common.args, and one job with all arrays there are. */
static void make_references(struct text *json, const char *args)
{
    text_clear(json);
    text_printf(json,
                "{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\",%s]},\"jobs\":[{"
                "\"primary_input\":[\"p\"],\"summary_index\":[\"s\"],\"primary_output\":[\"o\"],"
                "\"imports\":[\"i0\",\"i 1\",\"\303\251\"],\"additional_inputs\":[\"ai\"],"
                "\"additional_outputs\":[\"ao0\",\"ao1\"]}]}",
                args);
}

static void parts_are_joined(void **state)
{
    struct text json = {0};

    (void)state;
    make_references(&json,
                    "\"-a\",[\"imports\",\"-i=\",0,\",\",2,\",\",1,\"\"],\"\",[\"imports\",\"\"],"
                    "[\"primary_output\",0],[\"additional_inputs\",\"<\",0,\">\"],"
                    "[\"additional_outputs\",1,0,1],[\"summary_index\",\"only text\"],\"-z\"");
    begin(json.data);
    assert_words(&description_common(description)->args, LIST("-a"));
    next();
    assert_words(&job.args,
                 LIST("-i=i0,\303\251,i 1", "", "", "o", "<ai>", "ao1ao0ao1", "only text", "-z"));
    finish();
    text_free(&json);
}

static void wrong_references(void **state)
{
    static const char *const examples[][2] = {
        {"[\"imports\",3]",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found the number 3"},
        {"\"a\",[\"primary_input\",\"x\",-1]",
         "common.args[2][2]: expected a string or an index into jobs[0].primary_input, which has 1 "
         "element, found the number -1"},
        {"[\"imports\",0.5]",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found the number 0.5"},
        {"[\"imports\",4294967296]",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found the number 4294967296"},
        {"[\"imports\",[0]]",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found an array"},
        {"[\"imports\",null]",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found null"},
        {"[\"imports\",true]",
         "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 3 "
         "elements, found true"},
        {"[]", "common.args[1]: expected the name of an array of the job, then strings and indices "
               "into it, found an empty array"},
        {"[\"imports\"]", "common.args[1]: expected the name of an array of the job, then strings "
                          "and indices into it, found [\"imports\"]"},
        {"[\"modules\",0]", "common.args[1]: expected the name of an array of the job, then "
                            "strings and indices into it, found [\"modules\",0]"},
        {"[0,0]", "common.args[1]: expected the name of an array of the job, then strings and "
                  "indices into it, found [0,0]"},
        {"[\"inputs\",0]", "common.args[1]: expected the name of an array of the job, then "
                           "strings and indices into it, found [\"inputs\",0]"},
    };
    struct text json = {0}, expected = {0};

    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        make_references(&json, examples[i][0]);
        text_clear(&expected);
        text_printf(&expected, "dtlto-ninja: d.json: %s\n", examples[i][1]);
        assert_read(json.data, STATUS_USAGE, expected.data);
    }
    text_free(&json);
    text_free(&expected);
}

/* An array that is not there has no elements. */
static void a_reference_to_nothing(void **state)
{
    (void)state;
    assert_read("{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\",[\"imports\",0]]},\"jobs\":[{"
                "\"primary_input\":[\"p\"],\"summary_index\":[\"s\"],\"primary_output\":[\"o\"]}]}",
                STATUS_USAGE,
                "dtlto-ninja: d.json: common.args[1][1]: expected a string or an index into "
                "jobs[0].imports, which has 0 elements, found the number 0\n");
}

static void assert_input_place(size_t input, const char *array, size_t index)
{
    size_t position = 99;

    assert_string_equal(job_input_place(&job, input, &position), array);
    assert_int_equal(position, index);
}

static void assert_output_place(size_t output, const char *array, size_t index)
{
    size_t position = 99;

    assert_string_equal(job_output_place(&job, output, &position), array);
    assert_int_equal(position, index);
}

static void places_in_the_description(void **state)
{
    struct text json = {0};

    (void)state;
    begin(flat);
    next();
    assert_input_place(0, "inputs", 0);
    assert_input_place(1, "inputs", 1);
    assert_output_place(0, "outputs", 0);
    assert_output_place(1, "outputs", 1);
    next();
    finish();

    make_references(&json, "[\"primary_input\",0]");
    begin(json.data);
    next();
    assert_words(&job.inputs, LIST("p", "s", "i0", "i 1", "\303\251", "ai"));
    assert_input_place(0, "primary_input", 0);
    assert_input_place(1, "summary_index", 0);
    assert_input_place(2, "imports", 0);
    assert_input_place(4, "imports", 2);
    assert_input_place(5, "additional_inputs", 0);
    assert_words(&job.outputs, LIST("o", "ao0", "ao1"));
    assert_output_place(0, "primary_output", 0);
    assert_output_place(1, "additional_outputs", 0);
    assert_output_place(2, "additional_outputs", 1);
    finish();
    text_free(&json);
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

#define HEAD   "{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]},\"jobs\":["
#define FAULTY "dtlto-ninja: d.json: "

/* Members that are missing or not what they have to be. */
static void wrong_members(void **state)
{
    static const char *const examples[][2] = {
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
    struct text expected = {0};

    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        text_clear(&expected);
        text_printf(&expected, FAULTY "%s\n", examples[i][1]);
        assert_read(examples[i][0], STATUS_USAGE, expected.data);
    }
    text_free(&expected);
}

/* What is not JSON, or JSON only for json-c: with line, column and place. */
static void wrong_json(void **state)
{
    static const char *const examples[][2] = {
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
    struct text expected = {0};

    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        text_clear(&expected);
        text_printf(&expected, FAULTY "%s\n", examples[i][1]);
        assert_read(examples[i][0], STATUS_USAGE, expected.data);
    }
    text_free(&expected);
}

/* Jobs that came first are gone back to; lld writes all on one line. */
static void places_after_going_back(void **state)
{
    (void)state;
    assert_read(
        "{\"jobs\":[7],\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]}}",
        STATUS_USAGE, FAULTY "line 1, column 10: jobs[0]: expected an object, found '7'\n");
    assert_read("{\"jobs\":\n [{\"args\":[],\n \"inputs\":[],\"outputs\":[\"o\"]},\n  7\n],\n\n"
                "\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]}\n}\n",
                STATUS_USAGE, FAULTY "line 4, column 3: jobs[1]: expected an object, found '7'\n");
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

/* The file is read in parts of this size. */
enum { PART = 256 * 1024 };

static void assert_hostile_job(void)
{
    next();
    assert_words(&job.args, LIST("\303\251\360\237\230\200\"", "\342\202\254 x", "-o", "o"));
    assert_words(&job.inputs, LIST("p", "s"));
    assert_words(&job.outputs, LIST("o"));
}

/* Two jobs, moved over the end of the first part byte by byte. */
static void values_cross_the_end_of_a_part(void **state)
{
    static const char common[] =
        "\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]}";
    static const char one[] = "{\"args\":[\"\\u00e9\\ud83d\\ude00\\\"\",\"\342\202\254 x\",\"-o\","
                              "\"o\"],\"inputs\":[\"p\",\"s\"],\"outputs\":[\"o\"],\"n\":-1.5e+2}";
    struct text json = {0}, printed;

    (void)state;
    for (size_t back = 0; back < 2 * sizeof one + 40; back++) {
        bool jobs_first = back % 2;
        text_clear(&json);
        text_printf(&json, jobs_first ? "{\"jobs\":[" : "{%s,\"jobs\":[", common);
        while (json.length < PART + 2 - back)
            text_putc(&json, ' ');
        text_printf(&json, "%s,%s]%s%s}", one, one, jobs_first ? "," : "",
                    jobs_first ? common : "");
        capture_start();
        begin(json.data);
        assert_hostile_job();
        assert_hostile_job();
        finish();
        printed = capture_end();
        assert_printed(printed, "dtlto-ninja: warning: d.json: passed over keys that this version "
                                "does not know: jobs[].n\n");
    }
    text_free(&json);
}

/* A job larger than any part, with one string that is so alone. */
static void a_large_job(void **state)
{
    enum { COUNT = 60000, LONG = 3 * PART / 2 };
    struct text json = {0};
    char name[64];

    (void)state;
    text_puts(&json, HEAD "{\"args\":[\"");
    for (int i = 0; i < LONG; i++)
        text_putc(&json, (char)('a' + i % 26));
    text_puts(&json, "\"],\"outputs\":[\"o\"],\"inputs\":[");
    for (int i = 0; i < COUNT; i++)
        text_printf(&json, "%s\"some/folder/module-%d.o\"", i ? "," : "", i);
    text_puts(&json, "]},{\"args\":[\"-c\"],\"inputs\":[],\"outputs\":[\"p\"]}]}");
    assert_true(json.length > 1 << 20);
    begin(json.data);
    next();
    assert_int_equal(job.args.count, 1);
    assert_int_equal(strlen(job.args.items[0]), LONG);
    for (int i = 0; i < LONG; i++)
        assert_int_equal(job.args.items[0][i], 'a' + i % 26);
    assert_int_equal(job.inputs.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "some/folder/module-%d.o", i);
        assert_string_equal(job.inputs.items[i], name);
    }
    next();
    assert_words(&job.args, LIST("-c"));
    assert_words(&job.outputs, LIST("p"));
    finish();
    text_free(&json);
}

enum { MANY = 4000 };

/* Jobs with blanks, tabs and newlines between them, more than one part holds. */
static void make_many_jobs(struct text *json, bool jobs_first)
{
    static const char common[] =
        "\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]}";

    text_printf(json, jobs_first ? "{ \"jobs\" : [" : "{%s,\n\"jobs\":[\n", common);
    for (int i = 0; i < MANY; i++)
        text_printf(json,
                    "%s {\"args\":[\"-x%d\"],\t\"inputs\" : [\"m%d.o\",\"m%d.bc\"],\n\"outputs\":"
                    "[\"m%d.native.o\"]}",
                    i ? "\n , " : "", i, i, i, i);
    text_puts(json, "\n]");
    if (jobs_first)
        text_printf(json, ",%s", common);
    text_puts(json, "}\n");
    assert_true(json->length > PART);
}

static void assert_is_job(int number)
{
    struct text arg = {0}, module = {0}, shard = {0}, object = {0};

    text_printf(&arg, "-x%d", number);
    text_printf(&module, "m%d.o", number);
    text_printf(&shard, "m%d.bc", number);
    text_printf(&object, "m%d.native.o", number);
    assert_int_equal(job.index, number);
    assert_words(&job.args, LIST(arg.data));
    assert_words(&job.inputs, LIST(module.data, shard.data));
    assert_words(&job.outputs, LIST(object.data));
    text_free(&arg);
    text_free(&module);
    text_free(&shard);
    text_free(&object);
}

static void assert_jobs_are_read_again(bool jobs_first)
{
    struct text json = {0};
    off_t *offsets = malloc(MANY * sizeof *offsets);

    assert_non_null(offsets);
    make_many_jobs(&json, jobs_first);
    begin(json.data);
    for (int i = 0; i < MANY; i++) {
        next();
        assert_is_job(i);
        offsets[i] = job.offset;
    }
    enum status status = STATUS_FAILED;
    assert_false(description_next(description, &job, &status));
    assert_int_equal(status, STATUS_OK);
    for (int i = 0; i < 300; i++) {
        size_t number = i == 0 ? 0 : i == 1 ? MANY - 1 : random_below(MANY);
        assert_int_equal(description_reread(description, offsets[number], number, &job), STATUS_OK);
        assert_is_job((int)number);
        assert_int_equal(job.offset, offsets[number]);
    }
    description_close(description);
    job_free(&job);
    free(offsets);
    text_free(&json);
}

static void jobs_are_read_again(void **state)
{
    (void)state;
    assert_jobs_are_read_again(false);
    assert_jobs_are_read_again(true);
}

static void reference_jobs_are_read_again(void **state)
{
    (void)state;
    begin(references);
    next();
    off_t first = job.offset;
    next();
    enum status status = STATUS_FAILED;
    assert_false(description_next(description, &job, &status));
    assert_int_equal(description_reread(description, first, 0, &job), STATUS_OK);
    assert_words(&job.args, LIST("t1.1.77380.native.o", "-c", "-x", "ir", "t1.o",
                                 "-fthinlto-index=t1.1.77380.native.o.thinlto.bc"));
    assert_words(&job.inputs,
                 LIST("t1.o", "t1.1.77380.native.o.thinlto.bc", "t2.o", "my.profdata"));
    assert_int_equal(job.imports, 1);
    description_close(description);
    job_free(&job);
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

#if !ADDRESS_SANITIZER /* which has its own idea of memory */
static long peak_kib(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
#ifdef __APPLE__
    return usage.ru_maxrss / 1024;
#else
    return usage.ru_maxrss;
#endif
}

/* Memory is bounded by the largest job, not by the file. To be run first: other tests would raise
 * what the process has had at most. */
static void memory_does_not_grow_with_the_file(void **state)
{
    enum { JOBS = 20000, IMPORTS = 100 };

    (void)state;
    FILE *file = fopen("d.json", "w");
    assert_non_null(file);
    fputs(HEAD, file);
    for (int i = 0; i < JOBS; i++) {
        fprintf(file,
                "%s{\"args\":[\"m%d.o\"],\"outputs\":[\"m%d.native.o\"],\"inputs\":[\"m%d.o\"",
                i ? "," : "", i, i, i);
        for (int j = 0; j < IMPORTS; j++)
            fprintf(file, ",\"import%d.o\"", (i + j * 37) % JOBS);
        fputs("]}", file);
    }
    fputs("]}", file);
    assert_int_equal(fclose(file), 0);

    enum status status = STATUS_FAILED;
    size_t inputs = 0, count = 0;
    long before = peak_kib();
    job = (struct job){0};
    description = description_open("d.json", &status);
    while (description && description_next(description, &job, &status)) {
        inputs += job.inputs.count;
        count++;
    }
    long grown = peak_kib() - before;
    description_close(description);
    job_free(&job);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(count, JOBS);
    assert_int_equal(inputs, JOBS * (IMPORTS + 1));
    assert_true(grown < 8 * 1024);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !ADDRESS_SANITIZER
        cmocka_unit_test(memory_does_not_grow_with_the_file),
#endif
        cmocka_unit_test(the_flat_shape),
        cmocka_unit_test(an_archive_as_lld_writes_it),
        cmocka_unit_test(the_reference_shape),
        cmocka_unit_test(the_draft_is_refused),
        cmocka_unit_test(no_jobs),
        cmocka_unit_test(a_job_that_only_writes),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(jobs_in_front_of_common),
        cmocka_unit_test(references_without_references),
        cmocka_unit_test(parts_are_joined),
        cmocka_unit_test(wrong_references),
        cmocka_unit_test(a_reference_to_nothing),
        cmocka_unit_test(places_in_the_description),
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
        cmocka_unit_test(values_cross_the_end_of_a_part),
        cmocka_unit_test(a_large_job),
        cmocka_unit_test(jobs_are_read_again),
        cmocka_unit_test(reference_jobs_are_read_again),
        cmocka_unit_test(a_job_that_is_gone_is_told),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

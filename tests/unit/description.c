/* Job descriptions of both shapes: what comes out of them, and what they cost. */
#include "open-description.h"

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

static void parts_are_joined(void **state)
{
    (void)state;
    begin(REFERENCES("\"-a\",[\"imports\",\"-i=\",0,\",\",2,\",\",1,\"\"],\"\",[\"imports\",\"\"],"
                     "[\"primary_output\",0],[\"additional_inputs\",\"<\",0,\">\"],"
                     "[\"additional_outputs\",1,0,1],[\"summary_index\",\"only text\"],\"-z\""));
    assert_words(&description_common(description)->args, LIST("-a"));
    next();
    assert_words(&job.args,
                 LIST("-i=i0,\303\251,i 1", "", "", "o", "<ai>", "ao1ao0ao1", "only text", "-z"));
    finish();
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
    (void)state;
    begin(flat);
    next();
    assert_input_place(0, "inputs", 0);
    assert_input_place(1, "inputs", 1);
    assert_output_place(0, "outputs", 0);
    assert_output_place(1, "outputs", 1);
    next();
    finish();

    begin(REFERENCES("[\"primary_input\",0]"));
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
        cmocka_unit_test(no_jobs),
        cmocka_unit_test(a_job_that_only_writes),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(jobs_in_front_of_common),
        cmocka_unit_test(references_without_references),
        cmocka_unit_test(parts_are_joined),
        cmocka_unit_test(places_in_the_description),
        cmocka_unit_test(values_cross_the_end_of_a_part),
        cmocka_unit_test(a_large_job),
        cmocka_unit_test(jobs_are_read_again),
        cmocka_unit_test(reference_jobs_are_read_again),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

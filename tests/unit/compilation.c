/* Taking a backend compilation apart, and the options that may be run elsewhere. */
#include "compilation.h"

#include "unit.h"

/* A command without its compiler, and what it is taken for. */
struct example {
    const char *const *command;
    const char *const *inputs;
    const char *mllvm;  /* a null pointer where none is allowed */
    const char *reason; /* a null pointer where the job can be packed; then EXPECTED counts */
    struct compilation expected;
    const char *const *options;
    struct carried carried[3]; /* up to one without a prefix */
};

/* A job of lld's: its options in front of the module, or behind the output. */
#define LLD_OPTIONS(...)                                                                           \
    LIST("-c", __VA_ARGS__, "-Wno-unused-command-line-argument", "a.o",                            \
         "-fthinlto-index=a.1.919.native.o.thinlto.bc", "-o", "a.1.919.native.o")
#define LLD_INPUTS LIST("a.o", "a.1.919.native.o.thinlto.bc", "b.o")
#define LLD_PROFILED                                                                               \
    LIST("a.o", "a.1.919.native.o.thinlto.bc", "b.o", "p.prof", "names", "blocks.txt")
#define LLD_JOB(triple)                                                                            \
    {.module = "a.o",                                                                              \
     .index = "a.1.919.native.o.thinlto.bc",                                                       \
     .output = "a.1.919.native.o",                                                                 \
     .target = (triple)}

#define TRIPLE  "x86_64-pc-linux-gnu"
#define TARGET  "--target=" TRIPLE
#define DEFAULT "-O2", "-faddrsig", "-ffunction-sections", "-fdata-sections"
#define QUIET   "-Wno-unused-command-line-argument"

/* The shortest command that can be packed, with other words behind it. */
#define PLUS(...) LIST(TARGET, "-c", "m.o", "-fthinlto-index=i", "-o", "o", __VA_ARGS__)
#define TWO       LIST("m.o", "i")

static void words_of(struct words *words, const char *const *list)
{
    while (*list)
        words_add(words, *list++);
}

static void assert_string(const char *found, const char *expected)
{
    if (!expected)
        assert_null(found);
    else
        assert_string_equal(found, expected);
}

static void assert_compilation(const struct compilation *found, const struct example *example)
{
    const struct compilation *expected = &example->expected;
    size_t count = 0;

    assert_string(found->subcommand, expected->subcommand);
    assert_string(found->module, expected->module);
    assert_string(found->index, expected->index);
    assert_string(found->output, expected->output);
    assert_string(found->target, expected->target);
    assert_words(&found->options, example->options);
    for (; example->carried[count].prefix; count++) {
        assert_true(count < found->carried_count);
        assert_int_equal(found->carried[count].option, example->carried[count].option);
        assert_int_equal(found->carried[count].prefix, example->carried[count].prefix);
        assert_int_equal(found->carried[count].input, example->carried[count].input);
    }
    assert_int_equal(found->carried_count, count);
}

static void assert_examples(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct words command = {0}, inputs = {0};
        struct text reason = {0};
        struct compilation compilation;

        words_of(&command, examples[i].command);
        words_of(&inputs, examples[i].inputs);
        bool taken = compilation_take(&compilation, &command, &inputs, examples[i].mllvm, &reason);
        assert_string(reason.data, examples[i].reason);
        assert_int_equal(taken, !examples[i].reason);
        if (taken)
            assert_compilation(&compilation, &examples[i]);
        compilation_free(&compilation);
        text_free(&reason);
        words_free(&command);
        words_free(&inputs);
    }
}

/* As lld 22.1.8 has written them. */
static void commands_of_ld_lld(void **state)
{
    const struct example examples[] = {
        /* ld.lld a.o b.o */
        {.command = LLD_OPTIONS(TARGET, DEFAULT),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB(TRIPLE),
         .options = LIST(TARGET, DEFAULT, QUIET)},
        /* --lto-O0 */
        {.command =
             LLD_OPTIONS(TARGET, "-O0", "-faddrsig", "-ffunction-sections", "-fdata-sections"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB(TRIPLE),
         .options =
             LIST(TARGET, "-O0", "-faddrsig", "-ffunction-sections", "-fdata-sections", QUIET)},
        /* -pie, -shared */
        {.command = LLD_OPTIONS(TARGET, DEFAULT, "-fpic"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB(TRIPLE),
         .options = LIST(TARGET, DEFAULT, "-fpic", QUIET)},
        /* --no-lto-pgo-warn-mismatch */
        {.command = LLD_OPTIONS(TARGET, DEFAULT, "-mllvm", "-no-pgo-warn-mismatch"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB(TRIPLE),
         .options = LIST(TARGET, DEFAULT, "-mllvm", "-no-pgo-warn-mismatch", QUIET)},
        /* --lto-sample-profile=p.prof */
        {.command = LLD_OPTIONS(TARGET, DEFAULT, "-fpic", "-fprofile-sample-use=p.prof"),
         .inputs = LLD_PROFILED,
         .expected = LLD_JOB(TRIPLE),
         .options = LIST(TARGET, DEFAULT, "-fpic", "-fprofile-sample-use=p.prof", QUIET),
         .carried = {{6, 21, 3}}},
        /* --thinlto-remote-compiler=llvm --thinlto-remote-compiler-prepend-arg=clang */
        {.command = LIST("clang", "-c", TARGET, "-O3", QUIET, "out/lib.a(m.o at 78).2.20D8.o",
                         "-fthinlto-index=out/lib.a(m.o at 78).2.20D8.2.8.native.o.thinlto.bc",
                         "-o", "out/lib.a(m.o at 78).2.20D8.2.8.native.o"),
         .inputs = LIST("out/lib.a(m.o at 78).2.20D8.o",
                        "out/lib.a(m.o at 78).2.20D8.2.8.native.o.thinlto.bc"),
         .expected = {.subcommand = "clang",
                      .module = "out/lib.a(m.o at 78).2.20D8.o",
                      .index = "out/lib.a(m.o at 78).2.20D8.2.8.native.o.thinlto.bc",
                      .output = "out/lib.a(m.o at 78).2.20D8.2.8.native.o",
                      .target = TRIPLE},
         .options = LIST(TARGET, "-O3", QUIET)},
        /* -plugin-opt=O3 --thinlto-remote-compiler-arg=-mcpu=cortex-a53+nocrypto
         * --thinlto-remote-compiler-arg=-g */
        {.command = LIST("-c", "--target=aarch64-unknown-linux-gnu", "-O3", QUIET,
                         "-mcpu=cortex-a53+nocrypto", "-g", "a.o",
                         "-fthinlto-index=a.1.919.native.o.thinlto.bc", "-o", "a.1.919.native.o"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB("aarch64-unknown-linux-gnu"),
         .options = LIST("--target=aarch64-unknown-linux-gnu", "-O3", QUIET,
                         "-mcpu=cortex-a53+nocrypto", "-g")},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void commands_of_lld_link(void **state)
{
    static const char target[] = "--target=x86_64-pc-windows-msvc19.33.0";
    static const char triple[] = "x86_64-pc-windows-msvc19.33.0";
    const struct example examples[] = {
        /* lld-link a.obj b.obj */
        {.command = LLD_OPTIONS(target, DEFAULT),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB(triple),
         .options = LIST(target, DEFAULT, QUIET)},
        /* -lto-pgo-warn-mismatch:no -lto-sample-profile:p.prof */
        {.command = LLD_OPTIONS(target, DEFAULT, "-mllvm", "-no-pgo-warn-mismatch",
                                "-fprofile-sample-use=p.prof"),
         .inputs = LLD_PROFILED,
         .expected = LLD_JOB(triple),
         .options = LIST(target, DEFAULT, "-mllvm", "-no-pgo-warn-mismatch",
                         "-fprofile-sample-use=p.prof", QUIET),
         .carried = {{7, 21, 3}}},
        /* ld.lld and lld-link for other systems */
        {.command = LLD_OPTIONS("--target=i686-pc-windows-msvc19.33.0"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB("i686-pc-windows-msvc19.33.0"),
         .options = LIST("--target=i686-pc-windows-msvc19.33.0", QUIET)},
        {.command = LLD_OPTIONS("--target=armv7-unknown-linux-gnueabihf"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB("armv7-unknown-linux-gnueabihf"),
         .options = LIST("--target=armv7-unknown-linux-gnueabihf", QUIET)},
        {.command = LLD_OPTIONS("--target=riscv32-unknown-unknown-elf"),
         .inputs = LLD_INPUTS,
         .expected = LLD_JOB("riscv32-unknown-unknown-elf"),
         .options = LIST("--target=riscv32-unknown-unknown-elf", QUIET)},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void words_in_any_order_and_spelling(void **state)
{
    const struct example examples[] = {
        /* As an earlier lld would have had them. */
        {.command = LIST("-O3", "-oo", "-c", "-x", "ir", "m.o", "-fthinlto-index=i", "-target",
                         "i386-linux"),
         .inputs = TWO,
         .expected = {.module = "m.o", .index = "i", .output = "o", .target = "i386-linux"},
         .options = LIST("-O3", "-target", "i386-linux")},
        {.command = LIST("m.o", "-xir", "-c", "-o", "o", "-fthinlto-index=/dev/null", TARGET),
         .inputs = TWO,
         .expected = {.module = "m.o", .index = "/dev/null", .output = "o", .target = TRIPLE},
         .options = LIST(TARGET)},
        /* The later of two counts. */
        {.command = PLUS("-target", "s390x-linux-gnu", "-O1", "-O1"),
         .inputs = TWO,
         .expected = {.module = "m.o", .index = "i", .output = "o", .target = "s390x-linux-gnu"},
         .options = LIST(TARGET, "-target", "s390x-linux-gnu", "-O1", "-O1")},
        /* Words that are the values of options. */
        {.command = LIST("-o", "m.o", "m.o", "-c", TARGET, "-fthinlto-index=m.o"),
         .inputs = TWO,
         .expected = {.module = "m.o", .index = "m.o", .output = "m.o", .target = TRIPLE},
         .options = LIST(TARGET)},
        {.command = LIST("-o", "-c", "m.o", "-c", TARGET, "-fthinlto-index=i"),
         .inputs = TWO,
         .expected = {.module = "m.o", .index = "i", .output = "-c", .target = TRIPLE},
         .options = LIST(TARGET)},
        /* A subcommand, and a module that could be one. */
        {.command = LIST("clang-22", TARGET, "-c", "clang", "-fthinlto-index=i", "-o", "o"),
         .inputs = LIST("clang"),
         .expected = {.subcommand = "clang-22",
                      .module = "clang",
                      .index = "i",
                      .output = "o",
                      .target = TRIPLE},
         .options = LIST(TARGET)},
        {.command = LIST("clang", TARGET, "-c", "-fthinlto-index=i", "-o", "o"),
         .inputs = LIST("clang"),
         .expected = {.module = "clang", .index = "i", .output = "o", .target = TRIPLE},
         .options = LIST(TARGET)},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

static void options_that_carry_files(void **state)
{
    const struct example examples[] = {
        {.command =
             LLD_OPTIONS(TARGET, "-fprofile-use=p.prof", "-O2", "-fprofile-remapping-file=names"),
         .inputs = LLD_PROFILED,
         .expected = LLD_JOB(TRIPLE),
         .options =
             LIST(TARGET, "-fprofile-use=p.prof", "-O2", "-fprofile-remapping-file=names", QUIET),
         .carried = {{1, 14, 3}, {3, 25, 4}}},
        {.command = LLD_OPTIONS("-mllvm", "-x", TARGET, "-fprofile-instr-use=p.prof",
                                "-fbasic-block-sections=list=blocks.txt"),
         .inputs = LLD_PROFILED,
         .mllvm = "-x",
         .expected = LLD_JOB(TRIPLE),
         .options = LIST("-mllvm", "-x", TARGET, "-fprofile-instr-use=p.prof",
                         "-fbasic-block-sections=list=blocks.txt", QUIET),
         .carried = {{3, 20, 3}, {4, 28, 5}}},
        {.command = PLUS("-fauto-profile=p"),
         .inputs = LIST("m.o", "p"),
         .expected = {.module = "m.o", .index = "i", .output = "o", .target = TRIPLE},
         .options = LIST(TARGET, "-fauto-profile=p"),
         .carried = {{1, 15, 1}}},
        /* Only byte for byte, and not the module. */
        {.command = PLUS("-fprofile-use=./i"),
         .inputs = TWO,
         .reason = "option '-fprofile-use=./i' names a file that is no input"},
        {.command = PLUS("-fprofile-use=m.o"),
         .inputs = TWO,
         .reason = "option '-fprofile-use=m.o' names a file that is no input"},
        {.command = PLUS("-fprofile-sample-use="),
         .inputs = TWO,
         .reason = "option '-fprofile-sample-use=' names a file that is no input"},
        {.command = PLUS("-fprofile-sample-use=/etc/passwd"),
         .inputs = TWO,
         .reason = "option '-fprofile-sample-use=/etc/passwd' names a file that is no input"},
        /* A folder, or a name that clang makes up. */
        {.command = PLUS("-fprofile-use"),
         .inputs = TWO,
         .reason = "option '-fprofile-use' is not allowed"},
        {.command = PLUS("-fprofile-sample-use"),
         .inputs = TWO,
         .reason = "option '-fprofile-sample-use' is not allowed"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
    assert_int_equal(compilation_file_prefix("-fprofile-sample-use=x"), 21);
    assert_int_equal(compilation_file_prefix("-fprofile-sample-use="), 21);
    assert_int_equal(compilation_file_prefix("-fprofile-sample-use"), 0);
    assert_int_equal(compilation_file_prefix("-fbasic-block-sections=all"), 0);
    assert_int_equal(compilation_file_prefix("-fthinlto-index=x"), 0);
    assert_int_equal(compilation_file_prefix(""), 0);
}

static void jobs_that_stay_at_home(void **state)
{
    const struct example examples[] = {
        {.command = PLUS("-O2"), .inputs = NONE, .reason = "no module"},
        {.command = NONE, .inputs = TWO, .reason = "the module 'm.o' is missing"},
        {.command = PLUS("-O2"),
         .inputs = LIST("./m.o"),
         .reason = "'m.o' is another input than the module"},
        {.command = LIST("-c", TARGET, "-fthinlto-index=i", "-o", "m.o"),
         .inputs = TWO,
         .reason = "the module 'm.o' is missing"},
        {.command = PLUS("m.o"), .inputs = TWO, .reason = "the module 'm.o' is given twice"},
        {.command = LIST("m.o", TARGET, "-c", "m.o", "-fthinlto-index=i", "-o", "o"),
         .inputs = TWO,
         .reason = "the module 'm.o' is given twice"},
        {.command = LIST("-m.o", "-c", TARGET, "-fthinlto-index=i", "-o", "o"),
         .inputs = LIST("-m.o"),
         .reason = "the module '-m.o' looks like an option"},
        {.command = PLUS("i"), .inputs = TWO, .reason = "'i' is another input than the module"},
        {.command = PLUS(""), .inputs = TWO, .reason = "'' is another input than the module"},
        {.command = PLUS("-"), .inputs = TWO, .reason = "'-' is another input than the module"},
        {.command = LIST("other.o", TARGET, "-c", "m.o", "-fthinlto-index=i", "-o", "o"),
         .inputs = TWO,
         .reason = "'other.o' is another input than the module"},
        {.command = LIST("clang", "clang", TARGET, "-c", "m.o", "-fthinlto-index=i", "-o", "o"),
         .inputs = TWO,
         .reason = "'clang' is another input than the module"},
        {.command = PLUS("@rsp"), .inputs = TWO, .reason = "'@rsp' is read as a response file"},
        {.command = LIST("-o", "@o", TARGET, "-c", "m.o", "-fthinlto-index=i"),
         .inputs = TWO,
         .reason = "'@o' is read as a response file"},
        {.command = LIST("-o", "o", TARGET, "-c", "@m.o", "-fthinlto-index=i"),
         .inputs = LIST("@m.o"),
         .reason = "'@m.o' is read as a response file"},
        {.command = LIST(TARGET, "m.o", "-fthinlto-index=i", "-o", "o"),
         .inputs = TWO,
         .reason = "option '-c' is missing"},
        {.command = LIST(TARGET, "-c", "m.o", "-o", "o"),
         .inputs = TWO,
         .reason = "option '-fthinlto-index=' is missing"},
        {.command = LIST(TARGET, "-c", "m.o", "-fthinlto-index=i"),
         .inputs = TWO,
         .reason = "option '-o' is missing"},
        {.command = LIST("-c", "m.o", "-fthinlto-index=i", "-o", "o"),
         .inputs = TWO,
         .reason = "option '--target=' is missing"},
        {.command = PLUS("-o", "p"), .inputs = TWO, .reason = "option '-o' is given twice"},
        {.command = PLUS("-op"), .inputs = TWO, .reason = "option '-o' is given twice"},
        {.command = PLUS("-c"), .inputs = TWO, .reason = "option '-c' is given twice"},
        {.command = PLUS("-xir", "-x", "ir"),
         .inputs = TWO,
         .reason = "option '-x' is given twice"},
        {.command = PLUS("-fthinlto-index=j"),
         .inputs = TWO,
         .reason = "option '-fthinlto-index=' is given twice"},
        {.command = LIST("-c", "m.o", "-fthinlto-index=", "-o", "o"),
         .inputs = TWO,
         .reason = "option '-fthinlto-index=' has no value"},
        {.command = LIST("-c", "m.o", "-fthinlto-index=i", "-o"),
         .inputs = TWO,
         .reason = "option '-o' has no value"},
        {.command = LIST("-c", "m.o", "-fthinlto-index=i", "-o", ""),
         .inputs = TWO,
         .reason = "option '-o' has no value"},
        {.command = LIST("-c", "m.o", "-fthinlto-index=i", "-o", "-"),
         .inputs = TWO,
         .reason = "output '-' is no file"},
        {.command = PLUS("-x"), .inputs = TWO, .reason = "option '-x' has no value"},
        {.command = PLUS("-x", "c"), .inputs = TWO, .reason = "option '-x c' is not allowed"},
        {.command = PLUS("-xc"), .inputs = TWO, .reason = "option '-xc' is not allowed"},
        {.command = PLUS("-target"), .inputs = TWO, .reason = "option '-target' has no value"},
        {.command = PLUS("-target", "a/b"),
         .inputs = TWO,
         .reason = "option '-target a/b' is not allowed"},
        {.command = PLUS("-mllvm"), .inputs = TWO, .reason = "option '-mllvm' has no value"},
        {.command = PLUS("-mllvm", "-load=x.so"),
         .inputs = TWO,
         .reason = "option '-mllvm -load=x.so' is not allowed"},
        {.command = PLUS("-mllvm", "m.o"),
         .inputs = TWO,
         .reason = "option '-mllvm m.o' is not allowed"},
        /* The second object, as LLVM's documentation of DTLTO has it. */
        {.command = PLUS("-fproc-stat-report=t1.stats.txt"),
         .inputs = TWO,
         .reason = "option '-fproc-stat-report=t1.stats.txt' is not allowed"},
        /* What is quoted is short, and as it is. */
        {.command = PLUS("-fplugin=\x1b[31m\xff\n"),
         .inputs = TWO,
         .reason = "option '-fplugin=\x1b[31m\xff\n' is not allowed"},
        {.command = PLUS("-f23456789123456789012345678901234567890123456789012345678901234567890"
                         "1234567890"),
         .inputs = TWO,
         .reason = "option '-f23456789123456789012345678901234567890123456789012345678901234567890"
                   "1234567890' is not allowed"},
        {.command = PLUS("-f23456789123456789012345678901234567890123456789012345678901234567890"
                         "12345678901"),
         .inputs = TWO,
         .reason = "option '-f23456789123456789012345678901234567890123456789012345678901234567890"
                   "1234567890...' is not allowed"},
    };
    (void)state;
    assert_examples(examples, LENGTH(examples));
}

/* Each as the last word of a command that could be packed without it, and by itself. */
static void assert_refused(const char *const *options)
{
    for (; *options; options++) {
        struct text reason = {0};
        text_printf(&reason, "option '%s' is not allowed", *options);
        const struct example example = {
            .command = PLUS(*options, "x"), .inputs = TWO, .mllvm = "-a", .reason = reason.data};
        assert_examples(&example, 1);
        assert_int_equal(compilation_allowed(*options, NULL, NULL), 0);
        assert_int_equal(compilation_allowed(*options, "-O2", NULL), 0);
        text_free(&reason);
    }
}

static void options_that_load_or_run_something(void **state)
{
    (void)state;
    assert_refused(
        LIST("-Xclang", "-Xclang=-load", "-Xassembler", "-Xlinker", "-Xpreprocessor", "-Xarch_host",
             "-Xclangas", "-Xopenmp-target", "-Xthinlto-distributor=x", "-Wa,-mrelax", "-Wl,-z",
             "-Wp,-D", "-cc1", "-cc1as", "-load", "-plugin", "-fplugin=x",
             "-fplugin=", "-fplugin-arg-x-y", "-fpass-plugin=x", "-fpass-plugin", "-mmlir",
             "-no-integrated-as", "-fno-integrated-as", "-fno-integrated-cc1",
             "-fno-integrated-objemitter", "-via-file-asm", "-ccc-gcc-name", "-ccc-print-phases",
             "-ccc-install-dir", "--driver-mode=cl", "--driver-mode=g++", "-fuse-ld=x",
             "--ld-path=x", "-fuse-ctor-homing", "--config", "--config=x", "--config-user-dir=x",
             "--config-system-dir=x", "-specs=x", "--specs=x", "-wrapper", "--gcc-toolchain=x",
             "-gcc-toolchain", "--gcc-install-dir=x", "--ptxas-path=x", "-B", "-B/x", "-Bx",
             "--offload-arch=x", "-fopenmp-targets=x", "-fthinlto-distributor=x", "-gen-reproducer",
             "-gen-reproducer=always"));
}

static void options_that_name_files(void **state)
{
    (void)state;
    assert_refused(
        LIST("-I", "-Ix", "-I/x", "-include", "-include-pch", "-imacros", "-isystem", "-idirafter",
             "-iquote", "-isysroot", "-iwithprefix", "-L.", "-lx", "--sysroot", "--sysroot=/",
             "-resource-dir", "-resource-dir=x", "-working-directory", "-working-directory=x",
             "-ivfsoverlay", "-vfsoverlay", "--vfsoverlay", "--embed-dir=x", "-fmodule-file=x",
             "-fmodules-cache-path=x", "-fembed-offload-object=x", "-fsanitize-ignorelist=x",
             "-fsanitize-coverage-allowlist=x", "-fsanitize=address", "-fsanitize=cfi",
             "-fxray-attr-list=x", "-fprofile-list=x", "-frandomize-layout-seed-file=x",
             "-fms-secure-hotpatch-functions-file=x", "-fmemory-profile-use=x",
             "-fcodegen-data-use=x", "--warning-suppression-mappings=x", "-mlink-builtin-bitcode",
             "-fbuild-session-file=x", "-dumpdir", "-dumpbase", "-T", "-Tx", "-rpath"));
}

static void options_that_write_something_else(void **state)
{
    (void)state;
    assert_refused(LIST(
        "-save-temps", "-save-temps=obj", "--save-temps", "-save-stats", "--save-stats=cwd",
        "-ftime-trace", "-ftime-trace=x", "-ftime-trace-granularity=1", "-ftime-report",
        "-foptimization-record-file=x", "-foptimization-record-passes=x",
        "-fsave-optimization-record", "-fsave-optimization-record=yaml", "--serialize-diagnostics",
        "-serialize-diagnostics", "-serialize-diagnostics=x", "-M", "-MD", "-MMD", "-MF", "-MFx",
        "-MJ", "-MT", "-dependency-file", "-fcrash-diagnostics", "-fcrash-diagnostics=all",
        "-fcrash-diagnostics-dir=x", "-gsplit-dwarf", "-gsplit-dwarf=split", "-gsplit-dwarf=single",
        "-fproc-stat-report", "-fproc-stat-report=x", "-fstack-usage", "-ftest-coverage",
        "--coverage", "-coverage", "-fprofile-dir=x", "-emit-llvm", "-emit-ast", "-emit-obj",
        "-emit-interface-stubs", "-S", "-E", "-fsyntax-only", "-flto", "-flto=thin",
        "-ffat-lto-objects", "-fembed-bitcode", "-fthin-link-bitcode=x", "-fdriver-only", "-###",
        "--analyze", "-v", "-print-targets", "-mllvm=-a=b", "--output=x", "--output", "--"));
}

static void near_misses(void **state)
{
    (void)state;
    assert_refused(LIST(
        "-O4", "-O3x", "-O 2", "-O2 ", "-O0 -O1", "--target", "--target=", "--target=../x86_64",
        "--target=x86_64/../../x", "--target=x86_64-linux gnu", "--target=x86_64-\xc3\xa4",
        "--target=.", "--target=-x86_64", "--target=xcore", "--target=nvptx64-nvidia-cuda",
        "--target=spirv64", "-march", "-march=", "-march=native", "-mcpu=native",
        "-mcpu=native+crc", "-mtune=native", "-mcpu=help", "-march=/x", "-march=a b", "-march=-x",
        "-march=a=b", "-march=@x", "-mno-", "-mno-no-sse", "-msse ", "-msse=1", "-mSSE", "-mfoo",
        "-mllvmx", "-f", "-fno-", "-fno-no-pic", "-fpic2", "-fPic", "-ffoo", "-fno-foo",
        "-ffunction-sections=x", "-fbasic-block-sections=", "-fbasic-block-sections=all=x",
        "-fveclib=", "-fveclib=../x", "-g4", "-gx", "-gdwarf-6x", "-gz=zlib/x", "-W", "-Wa,",
        "-Wno-x,y", "-Wx/y", "-Wx y", "-w2", "-fdebug-prefix-map=", "-fdebug-prefix-map=a b=c",
        "-fdebug-prefix-map=\n", "-FPIC", "-fpic\n", "-faddrsig\xff"));
    /* A list holds no empty word, and the word without its value is not one. */
    assert_int_equal(compilation_allowed("", NULL, ""), 0);
    assert_int_equal(compilation_allowed("", "x", "a  b"), 0);
    assert_int_equal(compilation_allowed("-c", NULL, NULL), 0);
    assert_int_equal(compilation_allowed("-x", "ir", NULL), 0);
    assert_int_equal(compilation_allowed("-o", "x", NULL), 0);
    assert_int_equal(compilation_allowed("-fthinlto-index=x", NULL, NULL), 0);
    assert_int_equal(compilation_allowed("-fprofile-sample-use=x", NULL, NULL), 0);
    assert_int_equal(compilation_allowed("x.o", NULL, NULL), 0);
    assert_int_equal(compilation_allowed(" -O2", NULL, NULL), 0);
    assert_int_equal(compilation_allowed("@x", NULL, NULL), 0);
}

/* BEGINNING, made LENGTH bytes long. The caller frees it. */
static struct text filled(const char *beginning, size_t length)
{
    struct text text = {0};

    text_puts(&text, beginning);
    while (text.length < length)
        text_putc(&text, 'a');
    return text;
}

static void long_options(void **state)
{
    static const struct {
        const char *beginning;
        size_t length, allowed;
    } examples[] = {
        {"-march=", 256, 1},      {"-march=", 257, 0},      {"-march=", 100000, 0},
        {"--target=arm", 256, 1}, {"--target=arm", 257, 0}, {"-W", 256, 1},
        {"-W", 257, 0},           {"-mllvm=-", 256, 1},     {"-mllvm=-", 257, 0},
    };
    struct text triple, mllvm = filled("-", 256 - 7);

    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        struct text option = filled(examples[i].beginning, examples[i].length);
        assert_int_equal(compilation_allowed(option.data, NULL, mllvm.data), examples[i].allowed);
        text_free(&option);
    }
    text_free(&mllvm);
    triple = filled("arm", 256);
    assert_int_equal(compilation_allowed("-target", triple.data, NULL), 2);
    text_putc(&triple, 'a');
    assert_int_equal(compilation_allowed("-target", triple.data, NULL), 0);
    text_free(&triple);
}

static void options_that_are_allowed(void **state)
{
    static const char *const options[] = {
        "-O",
        "-O0",
        "-O1",
        "-O2",
        "-O3",
        "-Os",
        "-Oz",
        "-Og",
        "-Ofast",
        TARGET,
        "--target=aarch64_be-unknown-linux-gnu",
        "--target=thumbv7em-none-eabihf",
        "--target=powerpc64le-unknown-linux-gnu",
        "--target=x86_64-unknown-linux-android30",
        "-march=rv64gc_zba_zbb",
        "-march=armv8-a+crc+sve2",
        "-mcpu=cortex-a53",
        "-mtune=generic",
        "-mabi=lp64d",
        "-mfloat-abi=hard",
        "-mfpu=neon-vfpv4",
        "-mcmodel=large",
        "-m32",
        "-mavx2",
        "-mno-avx512f",
        "-msse4.2",
        "-mno-sse",
        "-mno-red-zone",
        "-mno-outline-atomics",
        "-mprefer-vector-width=256",
        "-mbranch-protection=pac-ret+leaf",
        "-mharden-sls=retbr,blr",
        "-fpic",
        "-fPIC",
        "-fno-pic",
        "-fno-PIC",
        "-fpie",
        "-fPIE",
        "-fno-pie",
        "-fno-PIE",
        "-ffunction-sections",
        "-fno-function-sections",
        "-fdata-sections",
        "-fno-data-sections",
        "-faddrsig",
        "-fno-addrsig",
        "-fno-plt",
        "-fsplit-machine-functions",
        "-fbasic-block-sections=all",
        "-fbasic-block-address-map",
        "-funroll-loops",
        "-fno-vectorize",
        "-fno-slp-vectorize",
        "-fno-omit-frame-pointer",
        "-ffast-math",
        "-ffp-contract=off",
        "-fdenormal-fp-math=preserve-sign,positive-zero",
        "-fveclib=libmvec",
        "-fstack-protector-strong",
        "-fno-stack-protector",
        "-fcf-protection",
        "-fcf-protection=branch",
        "-fpatchable-function-entry=5,2",
        "-ftls-model=initial-exec",
        "-fvisibility=hidden",
        "-fno-semantic-interposition",
        "-fpseudo-probe-for-profiling",
        "-fcs-profile-generate",
        "-g",
        "-g0",
        "-g3",
        "-ggdb",
        "-gdwarf-4",
        "-gline-tables-only",
        "-gcodeview",
        "-gz=zstd",
        "-fcolor-diagnostics",
        "-fno-color-diagnostics",
        "-fdiagnostics-color",
        "-fdiagnostics-color=always",
        "-fansi-escape-codes",
        "-fno-crash-diagnostics",
        "-w",
        "-Wall",
        "-Werror",
        "-Wno-error=frame-larger-than",
        "-Wframe-larger-than=4096",
        QUIET,
        "-Qunused-arguments",
        "-fdebug-prefix-map=/home/a=.",
        "-ffile-prefix-map=/home/a=/b/c+d~e",
        "-fdebug-compilation-dir=.",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(options); i++) {
        assert_int_equal(compilation_allowed(options[i], NULL, NULL), 1);
        assert_int_equal(compilation_allowed(options[i], "@x", NULL), 1);
    }
    assert_int_equal(compilation_allowed("-target", "i386-unknown-linux-gnu", NULL), 2);
    assert_int_equal(compilation_allowed("-target", NULL, NULL), 0);
    assert_int_equal(compilation_allowed("-target", "", NULL), 0);
    assert_int_equal(compilation_allowed("-target", "x86_64/..", NULL), 0);
    assert_int_equal(compilation_allowed("-target", "@x86_64", NULL), 0);
}

static void values_of_mllvm(void **state)
{
    static const char list[] = "  -inline-threshold=5\t-x\n-y= @z word  ";

    (void)state;
    assert_int_equal(compilation_allowed("-mllvm", "-no-pgo-warn-mismatch", NULL), 2);
    assert_int_equal(compilation_allowed("-mllvm=-no-pgo-warn-mismatch", NULL, NULL), 1);
    assert_int_equal(compilation_allowed("-mllvm", "-inline-threshold=5", list), 2);
    assert_int_equal(compilation_allowed("-mllvm=-inline-threshold=5", "-x", list), 1);
    assert_int_equal(compilation_allowed("-mllvm", "-x", list), 2);
    assert_int_equal(compilation_allowed("-mllvm", "-y=", list), 2);
    /* Only that very value. */
    assert_int_equal(compilation_allowed("-mllvm", "-inline-threshold=5", NULL), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-inline-threshold=5", ""), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-inline-threshold=50", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-inline-threshold=", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-inline-threshold", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "--x", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-x -y=", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-x\t", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", NULL, list), 0);
    assert_int_equal(compilation_allowed("-mllvm=", "-x", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "-load", list), 0);
    /* What would be a file for clang is none of its options, whatever the list says. */
    assert_int_equal(compilation_allowed("-mllvm", "@z", list), 0);
    assert_int_equal(compilation_allowed("-mllvm", "word", list), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_of_ld_lld),
        cmocka_unit_test(commands_of_lld_link),
        cmocka_unit_test(words_in_any_order_and_spelling),
        cmocka_unit_test(options_that_carry_files),
        cmocka_unit_test(jobs_that_stay_at_home),
        cmocka_unit_test(options_that_load_or_run_something),
        cmocka_unit_test(options_that_name_files),
        cmocka_unit_test(options_that_write_something_else),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(long_options),
        cmocka_unit_test(options_that_are_allowed),
        cmocka_unit_test(values_of_mllvm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Objects: those that clang makes for many targets are good; cut short anywhere, or for another
 * target, they are not. */
#include "object.h"

#include "unit.h"

static const char source[] = "int puts(const char *); static int n; int zero[1000];\n"
                             "const char *names[] = {\"a\", \"bb\"};\n"
                             "__attribute__((weak)) int w(int x) { return x + n++; }\n"
                             "int f(int x) { puts(names[x & 1]); return zero[x] + w(x); }\n";

static const char *const targets[] = {
    /* ELF */
    "x86_64-pc-linux-gnu", "x86_64-unknown-freebsd14", "i386-pc-linux-gnu",
    "aarch64-linux-android21", "aarch64_be-linux-gnu", "armv7-linux-gnueabihf",
    "thumbv7m-none-eabi", "riscv64-linux-gnu", "riscv32-unknown-elf", "powerpc64le-linux-gnu",
    "powerpc64-linux-gnu", "powerpc-linux-gnu", "s390x-linux-gnu", "mips-linux-gnu",
    "mips64el-linux-gnuabi64", "loongarch64-linux-gnu", "sparcv9-sun-solaris",
    "hexagon-unknown-elf", "x86_64-pc-windows-msvc-elf",
    /* COFF */
    "x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "aarch64-pc-windows-msvc",
    "arm64ec-pc-windows-msvc", "thumbv7-pc-windows-msvc", "x86_64-w64-windows-gnu",
    "i686-w64-mingw32", "x86_64-unknown-uefi",
    /* Mach-O */
    "x86_64-apple-darwin", "arm64-apple-ios", "arm64_32-apple-watchos", "armv7k-apple-watchos",
    "i386-apple-macosx10.8", "x86_64-pc-windows-macho",
    /* WebAssembly */
    "wasm32-unknown-unknown", "wasm64-unknown-unknown"};

/* Compiles TEXT, in C or with ".s" as NAME's ending in assembly, to "object"; false where this
 * clang does not have the target. */
static bool make_object(const char *name, const char *text, const char *target, const char *options)
{
    struct text command = {0};

    write_string(name, text);
    text_printf(&command, "clang-22 --target=%s %s -w -c %s -o object 2>/dev/null", target, options,
                name);
    int status = system(command.data);
    text_free(&command);
    return status == 0;
}

static void assert_good(const char *name, const char *target)
{
    struct text problem = {0};

    if (!object_check(AT_FDCWD, name, target, &problem))
        fail_msg("%s for %s %s", name, target ? target : "any", problem.data);
    text_free(&problem);
}

static void assert_bad(const char *name, const char *target, const char *expected)
{
    struct text problem = {0};

    assert_false(object_check(AT_FDCWD, name, target, &problem));
    assert_printed(problem, expected);
}

static void what_clang_makes_is_good(void **state)
{
    static const char *const options[] = {"-O2", "-g -ffunction-sections -fdata-sections",
                                          "-O0 -g -gz"};
    (void)state;
    need_program("clang-22");
    for (size_t i = 0; i < LENGTH(targets); i++) {
        for (size_t j = 0; j < LENGTH(options); j++) {
            assert_true(make_object("source.c", source, targets[i], options[j]));
            assert_good("object", targets[i]);
            assert_good("object", NULL);
        }
        assert_true(make_object("empty.c", "", targets[i], "-O2"));
        assert_good("object", targets[i]);
    }
}

/* Cuts "object" at each length. Returns how many of these are not seen. */
static size_t count_unseen_cuts(const char *target)
{
    struct text problem = {0};
    struct stat info;
    size_t unseen = 0;

    assert_int_equal(stat("object", &info), 0);
    for (off_t size = info.st_size - 1; size > 0; size--) {
        assert_int_equal(truncate("object", size), 0);
        text_clear(&problem);
        if (object_check(AT_FDCWD, "object", target, &problem))
            unseen++;
    }
    assert_int_equal(truncate("object", 0), 0);
    text_clear(&problem);
    assert_false(object_check(AT_FDCWD, "object", target, &problem));
    assert_printed(problem, "is empty");
    return unseen;
}

static void an_object_cut_anywhere_is_bad(void **state)
{
    (void)state;
    need_program("clang-22");
    for (size_t i = 0; i < LENGTH(targets); i++) {
        assert_true(make_object("source.c", source, targets[i], "-g -ffunction-sections"));
        size_t unseen = count_unseen_cuts(targets[i]);
        /* WebAssembly has no table of its sections: those behind the one that makes it an object,
         * relocations and what says which tools made it, may be gone. */
        if (strncmp(targets[i], "wasm", 4) == 0)
            assert_in_range(unseen, 1, 20);
        else
            assert_int_equal(unseen, 0);
    }
}

/* COUNT sections in the form of ELF or, with COFF, in its own. */
static void write_sections(size_t count, const char *flags)
{
    struct text text = {0};

    for (size_t i = 0; i < count; i++)
        text_printf(&text, ".section s%zu,\"%s\"\n.byte 1\n", i, flags);
    write_string("many.s", text.data);
    text_free(&text);
}

/* Cuts at some lengths: there are millions. */
static void assert_cuts_are_seen(const char *target)
{
    struct text problem = {0};
    struct stat info;

    assert_good("object", target);
    assert_int_equal(stat("object", &info), 0);
    for (off_t size = info.st_size - 1; size > 0; size -= size > 100000 ? 99991 : 997) {
        assert_int_equal(truncate("object", size), 0);
        text_clear(&problem);
        assert_false(object_check(AT_FDCWD, "object", target, &problem));
    }
    text_free(&problem);
}

/* More than 16 bits count: ELF has the number in section 0, COFF has another header. */
static void many_sections(void **state)
{
    static const char *const elf[] = {"x86_64-pc-linux-gnu", "s390x-linux-gnu", "i386-linux-gnu"};
    struct text text = {0};

    (void)state;
    need_program("clang-22");
    write_sections(66000, "a");
    text = read_file("many.s");
    for (size_t i = 0; i < LENGTH(elf); i++) {
        assert_true(make_object("many.s", text.data, elf[i], ""));
        assert_cuts_are_seen(elf[i]);
    }
    text_free(&text);
    write_sections(66000, "dr");
    text = read_file("many.s");
    assert_true(make_object("many.s", text.data, "x86_64-pc-windows-msvc", ""));
    assert_cuts_are_seen("x86_64-pc-windows-msvc");
    text_free(&text);
}

/* The first relocation of a section has their number then. */
static void many_relocations(void **state)
{
    (void)state;
    need_program("clang-22");
    assert_true(
        make_object("r.s", ".data\n.rept 70000\n.quad f\n.endr\n", "x86_64-pc-windows-msvc", ""));
    assert_cuts_are_seen("x86_64-pc-windows-msvc");
}

static void an_object_for_another_target_is_bad(void **state)
{
    (void)state;
    need_program("clang-22");
    assert_true(make_object("source.c", source, "aarch64-linux-gnu", "-O2"));
    assert_good("object", "aarch64-linux-gnu");
    assert_bad("object", "x86_64-pc-linux-gnu",
               "is for another machine: its header has 0xb7, not the 0x3e of x86_64-pc-linux-gnu");
    assert_bad("object", "aarch64-pc-windows-msvc",
               "is ELF, not a COFF object for aarch64-pc-windows-msvc");
    assert_bad("object", "arm64-apple-macosx",
               "is ELF, not a Mach-O object for arm64-apple-macosx");
    assert_true(make_object("source.c", source, "x86_64-pc-linux-gnu", "-flto=thin"));
    assert_bad("object", "x86_64-pc-linux-gnu",
               "is bitcode, not an ELF object for x86_64-pc-linux-gnu");
    assert_true(make_object("source.c", source, "x86_64-pc-windows-msvc", "-O2"));
    assert_bad("object", "aarch64-pc-windows-msvc",
               "is for another machine: its header has 0x8664, not the 0xaa64 of "
               "aarch64-pc-windows-msvc");
    /* What is not known is no reason to refuse it. */
    assert_good("object", "z80-unknown-elf");
    assert_good("object", "powerpc-ibm-aix-xcoff");
    /* What clang makes for a target is good for it, whatever the target's name says. */
    static const char *const odd[] = {"arm64-apple-firmware",       "riscv64-apple-macosx",
                                      "x86_64-unknown-linux-macho", "arm64ec-pc-windows-msvc",
                                      "x86_64-linux-gnux32",        "mipsn32-linux-gnu"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (make_object("source.c", source, odd[i], "-O2"))
            assert_good("object", odd[i]);
    }
}

static void what_is_no_object_is_bad_for_a_known_target(void **state)
{
    (void)state;
    write_string("text", "int main(void) { return 0; }\n");
    write_file("zeros", (char[5000]){0}, 5000);
    write_string("short", "x");
    assert_bad("text", "x86_64-linux-gnu",
               "is of no known format, not an ELF object for x86_64-linux-gnu");
    assert_bad("zeros", "x86_64-pc-windows-msvc",
               "is of no known format, not a COFF object for x86_64-pc-windows-msvc");
    assert_bad("short", "s390x-linux", "is of no known format, not an ELF object for s390x-linux");
    assert_good("text", NULL);
    assert_good("zeros", NULL);
    assert_good("text", "z80-unknown-elf");
}

static void no_file_is_bad(void **state)
{
    (void)state;
    write_string("empty", "");
    assert_int_equal(mkfifo("fifo", 0666), 0);
    assert_int_equal(symlink("text", "link"), 0);
    assert_bad("empty", NULL, "is empty");
    assert_bad("missing", NULL, "is missing");
    assert_bad("fifo", NULL, "is no regular file");
    assert_bad(".", NULL, "is no regular file");
    assert_bad("link", NULL, "is no regular file");
}

/* What a file system that lost its last blocks leaves. */
static void an_object_that_ends_in_zeros_is_bad(void **state)
{
    (void)state;
    need_program("clang-22");
    assert_true(make_object("source.c", source, "x86_64-pc-linux-gnu", "-g"));
    struct text object = read_file("object");
    memset(object.data + object.length / 2, 0, object.length - object.length / 2);
    write_file("object", object.data, object.length);
    text_free(&object);
    struct text problem = {0};
    assert_false(object_check(AT_FDCWD, "object", NULL, &problem));
    assert_non_null(strstr(problem.data, "is damaged: "));
    text_free(&problem);
}

static void the_place_of_the_fault_is_told(void **state)
{
    (void)state;
    need_program("clang-22");
    assert_true(make_object("source.c", source, "x86_64-pc-windows-msvc", "-O2"));
    assert_int_equal(truncate("object", 400), 0);
    struct text problem = {0};
    assert_false(object_check(AT_FDCWD, "object", NULL, &problem));
    assert_int_equal(strncmp(problem.data, "is cut short: ", 14), 0);
    assert_non_null(strstr(problem.data, " of 400"));
    text_free(&problem);
}

/* Every byte changed, some times: only coming back counts. */
static bool survives_changes(void *context)
{
    struct text object = read_file("object"), problem = {0};
    int fd = open("object", O_WRONLY);

    for (size_t i = 0; i < object.length; i++) {
        for (int change = 0; change < 6; change++) {
            unsigned char byte = (unsigned char)random_below(256);
            byte = change == 0 ? 0 : change == 1 ? 255 : byte;
            if (pwrite(fd, &byte, 1, (off_t)i) != 1)
                return false;
            text_clear(&problem);
            object_check(AT_FDCWD, "object", context, &problem);
        }
        if (pwrite(fd, &object.data[i], 1, (off_t)i) != 1)
            return false;
    }
    close(fd);
    text_clear(&problem);
    return object_check(AT_FDCWD, "object", context, &problem);
}

static void damage_does_no_harm(void **state)
{
    static const char *const kinds[] = {"x86_64-pc-linux-gnu", "mips-linux-gnu",
                                        "x86_64-pc-windows-msvc", "arm64-apple-ios",
                                        "wasm32-unknown-unknown"};
    (void)state;
    need_program("clang-22");
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        assert_true(make_object("source.c", source, kinds[i], "-O2"));
        assert_int_equal(in_child(survives_changes, (void *)(uintptr_t)kinds[i], 60), 0);
    }
}

/* The target of a command of these words. */
static const char *target_of(const char *const *list)
{
    struct words words = {0};

    while (*list)
        words_add(&words, *list++);
    const char *target = object_target(&words);
    words_free(&words);
    return target;
}

static void the_target_of_a_command(void **state)
{
    (void)state;
    assert_string_equal(target_of(LIST("clang", "-c", "--target=a-b-c", "-O2")), "a-b-c");
    assert_string_equal(target_of(LIST("clang", "--target=a-b-c", "-target", "d-e-f")), "d-e-f");
    assert_null(target_of(LIST("clang", "-c", "-target")));
    assert_null(target_of(NONE));
    assert_null(target_of(LIST("clang", "--target=x86_64-linux", "-m32")));
    assert_null(target_of(LIST("clang", "-S", "--target=x86_64-linux")));
    assert_null(target_of(LIST("clang", "--target=x86_64-linux", "-emit-llvm")));
    assert_null(target_of(LIST("clang", "--target=x86_64-linux", "@options")));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_clang_makes_is_good),
        TEST(an_object_cut_anywhere_is_bad),
        TEST(many_sections),
        TEST(many_relocations),
        TEST(an_object_for_another_target_is_bad),
        TEST(what_is_no_object_is_bad_for_a_known_target),
        TEST(no_file_is_bad),
        TEST(an_object_that_ends_in_zeros_is_bad),
        TEST(the_place_of_the_fault_is_told),
        TEST(damage_does_no_harm),
        TEST(the_target_of_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

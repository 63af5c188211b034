/* Bundles: what was written is read again, and nothing else is. */
#include "bundle.h"

#include <archive.h>
#include <archive_entry.h>

#include "unit.h"

static const struct bundle_limits wide = {1 << 20, 100};

static void assert_file(const char *name, const char *content)
{
    struct text text = {0};
    assert_int_equal(text_read_file(&text, name), 0);
    assert_string_equal(text.data, content);
    text_free(&text);
}

/* A bundle of two modules and a profile, in the current folder's files a, b and p. */
static struct bundle make(void)
{
    struct bundle bundle = {0};

    write_string("a", "module a");
    write_string("b", "module b!");
    write_string("p", "profile");
    assert_true(identity_read(&bundle.identity, "Some clang version 22.1.8 (x)\nTarget: t-u-v\n"));
    bundle.module = strdup("m0000001");
    bundle.has_index = true;
    text_puts(&bundle.index, "index");
    bundle_add_option(&bundle, "-O2", NULL);
    bundle_add_option(&bundle, "-fprofile-use=", "f0000000");
    bundle_add_option(&bundle, "-mllvm", NULL);
    bundle_add_option(&bundle, "a b", NULL);
    bundle_add_member(&bundle, "m0000000", "a", NULL);
    bundle_add_member(&bundle, "m0000001", "b", NULL);
    bundle_add_member(&bundle, "f0000000", "p", NULL);
    return bundle;
}

/* Reads FILE into the new folder NAME. Returns whether that went well; *PROBLEM is to be freed. */
static bool read_into(struct bundle *bundle, const char *file, const char *name,
                      const struct bundle_limits *limits, struct text *problem)
{
    int fd = open(file, O_RDONLY);

    assert_true(fd >= 0);
    assert_int_equal(mkdir(name, 0700), 0);
    int folder = open(name, O_RDONLY | O_DIRECTORY);
    text_clear(problem);
    bool good = bundle_read(bundle, fd, folder, limits, problem);
    close(folder);
    close(fd);
    return good;
}

static void what_is_written_is_read(void **state)
{
    struct bundle written = make(), read = {0};
    struct text problem = {0};

    (void)state;
    assert_true(bundle_write(&written, "x.i", &problem));
    assert_true(read_into(&read, "x.i", "to", &wide, &problem));
    assert_true(identity_same(&read.identity, &written.identity));
    assert_string_equal(read.module, "m0000001");
    assert_true(read.has_index);
    assert_int_equal(read.option_count, 4);
    assert_string_equal(read.options[0].text, "-O2");
    assert_null(read.options[0].member);
    assert_string_equal(read.options[1].text, "-fprofile-use=");
    assert_string_equal(read.options[1].member, "f0000000");
    assert_string_equal(read.options[3].text, "a b");
    assert_int_equal(read.member_count, 3);
    assert_file("to/index", "index");
    assert_file("to/m0000000", "module a");
    assert_file("to/m0000001", "module b!");
    assert_file("to/f0000000", "profile");
    bundle_free(&written);
    bundle_free(&read);
    text_free(&problem);
}

static void a_tree_is_made(void **state)
{
    struct bundle written = make(), read = {0};
    struct text problem = {0};

    (void)state;
    written.members[0].place = strdup("some where/deep/a.o");
    written.members[1].place = strdup("b.o");
    free(written.module);
    written.module = strdup("b.o");
    assert_true(bundle_write(&written, "x.i", &problem));
    assert_true(read_into(&read, "x.i", "to", &wide, &problem));
    assert_file("to/some where/deep/a.o", "module a");
    assert_file("to/b.o", "module b!");
    assert_string_equal(read.module, "b.o");
    bundle_free(&written);
    bundle_free(&read);
    text_free(&problem);
}

static void the_same_makes_the_same_bytes(void **state)
{
    struct bundle one = make(), other = make();
    struct text problem = {0}, a = {0}, b = {0};

    (void)state;
    assert_true(bundle_write(&one, "1.i", &problem));
    free(other.members[0].path);
    assert_int_equal(mkdir("elsewhere", 0700), 0);
    write_string("elsewhere/another name", "module a");
    other.members[0].path = strdup("elsewhere/another name");
    assert_int_equal(chmod("b", 0600), 0);
    assert_int_equal(utimensat(AT_FDCWD, "b", (const struct timespec[2]){{0}}, 0), 0);
    assert_true(bundle_write(&other, "2.i", &problem));
    assert_int_equal(text_read_file(&a, "1.i"), 0);
    assert_int_equal(text_read_file(&b, "2.i"), 0);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, a.length);
    bundle_free(&one);
    bundle_free(&other);
    text_free(&problem);
    text_free(&a);
    text_free(&b);
}

static void what_cannot_be_read_is_not_written(void **state)
{
    struct bundle bundle = make();
    struct text problem = {0};

    (void)state;
    assert_int_equal(unlink("b"), 0);
    assert_false(bundle_write(&bundle, "x.i", &problem));
    assert_string_equal(problem.data, "b: No such file or directory");
    assert_int_equal(access("x.i", F_OK), -1);
    assert_int_equal(mkdir("b", 0700), 0);
    assert_false(bundle_write(&bundle, "x.i", &problem));
    assert_int_equal(rmdir("b"), 0);
    write_string("b", "");
    write_string("x.i", "in the way");
    assert_false(bundle_write(&bundle, "x.i", &problem));
    assert_string_equal(problem.data, "x.i: File exists");
    assert_file("x.i", "in the way");
    bundle_free(&bundle);
    text_free(&problem);
}

/* An archive that somebody else has made. */
struct forged {
    const char *name, *data;
    const char *link; /* a null pointer where it is a file */
    unsigned type;    /* AE_IFREG where it is 0 */
};

static void forge(const char *path, const struct forged *members)
{
    struct archive *archive = archive_write_new();

    archive_write_set_format_ustar(archive);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    for (; members->name; members++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, members->name);
        archive_entry_set_filetype(entry, members->type ? members->type : AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, (la_int64_t)strlen(members->data));
        if (members->link && members->type)
            archive_entry_set_symlink(entry, members->link);
        else if (members->link)
            archive_entry_set_hardlink(entry, members->link);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        archive_write_data(archive, members->data, strlen(members->data));
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

#define HEAD(rest) {.name = "dtlto-bundle", .data = "dtlto-bundle 1\ncompiler c\ntarget t\n" rest}
#define ONE        "members 1\nbytes 1\nmodule m0000000\n"
#define MEMBER     {.name = "m0000000", .data = "x"}

static void forgeries_are_refused(void **state)
{
    const struct {
        struct forged members[4];
        const char *problem;
    } examples[] = {
        {{HEAD(ONE "end\n"), MEMBER}, NULL},
        {{HEAD(ONE "place m0000000 ../x\nend\n"), MEMBER}, "not a bundle: no good place: '../x'"},
        {{HEAD(ONE "place m0000000 /x\nend\n"), MEMBER}, "not a bundle: no good place: '/x'"},
        {{HEAD(ONE "place m0000000 a/./x\nend\n"), MEMBER}, "not a bundle: no good place: 'a/./x'"},
        {{HEAD(ONE "place m0000000 a//x\nend\n"), MEMBER}, "not a bundle: no good place: 'a//x'"},
        {{HEAD(ONE "place m0000000 a/\nend\n"), MEMBER}, "not a bundle: no good place: 'a/'"},
        {{HEAD(ONE "place m0000000 -fplugin=x\nend\n"), MEMBER},
         "not a bundle: no good place: '-fplugin=x'"},
        {{HEAD(ONE "place m0000000 @x\nend\n"), MEMBER}, "not a bundle: no good place: '@x'"},
        {{HEAD(ONE "place m0000000 object\nend\n"), MEMBER},
         "not a bundle: no good place: 'object'"},
        {{HEAD(ONE "place m0000000 index/x\nend\n"), MEMBER},
         "not a bundle: no good place: 'index/x'"},
        {{HEAD("members 1\nbytes 1\nmodule objects/a\nplace m0000000 objects/a\nend\n"), MEMBER},
         NULL},
        {{HEAD(ONE "place ../x a\nend\n"), MEMBER}, "not a bundle: no good place: 'a'"},
        {{HEAD(ONE "end\n"), {.name = "../m0000000", .data = "x"}},
         "not a bundle: a member of the name '../m0000000'"},
        {{HEAD(ONE "end\n"), {.name = "/m0000000", .data = "x"}},
         "not a bundle: a member of the name '/m0000000'"},
        {{HEAD(ONE "end\n"), {.name = "object", .data = "x"}},
         "not a bundle: a member of the name 'object'"},
        {{HEAD(ONE "end\n"), {.name = "m0000000", .data = "", .link = "x", .type = AE_IFLNK}},
         "not a bundle: a member is no regular file"},
        {{HEAD(ONE "end\n"), {.name = "m0000000", .data = "", .link = "x"}},
         "not a bundle: a member is no regular file"},
        {{HEAD(ONE "end\n"), {.name = "m0000000", .data = "", .type = AE_IFIFO}},
         "not a bundle: a member is no regular file"},
        {{HEAD(ONE "end\n"), {.name = "m0000000", .data = "", .type = AE_IFDIR}},
         "not a bundle: a member is no regular file"},
        {{HEAD(ONE "end\n"), {.name = "m0000000", .data = "xx"}},
         "not a bundle: its members are larger than its head says"},
        {{HEAD(ONE "end\n"), {.name = "m0000000", .data = ""}},
         "not a bundle: its members are not those that its head says"},
        {{HEAD(ONE "end\n"), MEMBER, MEMBER},
         "not a bundle: its members are not those that its head says"},
        {{HEAD("members 2\nbytes 2\nmodule m0000000\nend\n"), MEMBER, MEMBER},
         "cannot write 'm0000000': File exists"},
        {{HEAD(ONE "end\n")}, "not a whole bundle: a member is missing"},
        {{HEAD("members 1\nbytes 1\nmodule m0000001\nend\n"), MEMBER},
         "not a bundle: no module 'm0000001'"},
        {{HEAD("members 1\nbytes 1\nmodule ../to/m0000000\nend\n"), MEMBER},
         "not a bundle: no module '../to/m0000000'"},
        {{HEAD("members 1\nbytes 1\nmodule -o\nend\n"), MEMBER}, "not a bundle: no module '-o'"},
        {{HEAD(ONE "file -fprofile-use= m0000001\nend\n"), MEMBER},
         "not a bundle: no member 'm0000001'"},
        {{HEAD(ONE "file -fprofile-use= /etc/passwd\nend\n"), MEMBER},
         "not a bundle: no member '/etc/passwd'"},
        {{HEAD("members 101\nbytes 1\nmodule m0000000\nend\n"), MEMBER},
         "over the limits: 101 members of 1 bytes, where 100 of 1048576 are allowed"},
        {{HEAD("members 1\nbytes 1048577\nmodule m0000000\nend\n"), MEMBER},
         "over the limits: 1 members of 1048577 bytes, where 100 of 1048576 are allowed"},
        {{HEAD("members -1\nbytes 1\nmodule m0000000\nend\n"), MEMBER},
         "not a bundle: its head lacks something"},
        {{HEAD("bytes 1\nmodule m0000000\nend\n"), MEMBER},
         "not a bundle: its head lacks something"},
        {{HEAD(ONE "what else\nend\n"), MEMBER}, "not a bundle of this format: 'what' in its head"},
        {{HEAD(ONE "option -O2\n"), MEMBER}, "not a bundle: its head has no end"},
        {{HEAD(ONE "option -O2"), MEMBER}, "not a bundle: its head has no end"},
        {{{.name = "dtlto-bundle", .data = "dtlto-bundle 2\nnew\n"}, MEMBER},
         "a bundle of another format: 'dtlto-bundle 2' instead of 'dtlto-bundle 1'"},
        {{MEMBER}, "not a bundle: it does not begin with 'dtlto-bundle'"},
        {{{.name = NULL}}, "not a whole bundle: a member is missing"},
    };
    char folder[32];

    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++) {
        struct bundle bundle = {0};
        struct text problem = {0};
        forge("x.i", examples[i].members);
        snprintf(folder, sizeof folder, "to-%zu", i);
        bool good = read_into(&bundle, "x.i", folder, &wide, &problem);
        assert_string_equal(problem.data, examples[i].problem ? examples[i].problem : "");
        assert_int_equal(good, !examples[i].problem);
        bundle_free(&bundle);
        text_free(&problem);
    }
}

/* A few long places make many folders. */
static void folders_are_counted(void **state)
{
    static const struct forged members[] = {
        HEAD("members 1\nbytes 1\nmodule a/b/c/d\nplace m0000000 a/b/c/d\nend\n"),
        MEMBER,
        {.name = NULL},
    };
    struct bundle bundle = {0}, other = {0};
    struct text problem = {0};

    (void)state;
    forge("x.i", members);
    assert_true(read_into(&bundle, "x.i", "three", &(struct bundle_limits){1, 3}, &problem));
    assert_false(read_into(&other, "x.i", "two", &(struct bundle_limits){1, 2}, &problem));
    assert_string_equal(problem.data, "over the limits: more folders than members are allowed");
    assert_int_equal(access("two/a/b", F_OK), 0);
    assert_int_equal(access("two/a/b/c", F_OK), -1);
    bundle_free(&bundle);
    bundle_free(&other);
    text_free(&problem);
}

/* Whatever is cut off or changed: it ends, and writes nothing outside of its folder. */
static void damaged_bundles_end(void **state)
{
    struct bundle written = make();
    struct text problem = {0}, image = {0};

    (void)state;
    assert_true(bundle_write(&written, "x.i", &problem));
    assert_int_equal(text_read_file(&image, "x.i"), 0);
    for (size_t i = 0; i < image.length && i < 6000; i += 7) {
        struct bundle bundle = {0};
        char folder[32];
        FILE *file = fopen("y.i", "w");
        assert_non_null(file);
        if (i % 2) {
            image.data[i] ^= 0x41;
            fwrite(image.data, 1, image.length, file);
            image.data[i] ^= 0x41;
        } else {
            fwrite(image.data, 1, i, file);
        }
        assert_int_equal(fclose(file), 0);
        snprintf(folder, sizeof folder, "cut-%zu", i);
        bool good = read_into(&bundle, "y.i", folder, &wide, &problem);
        if (i % 2 == 0)
            assert_false(good);
        assert_true(good || problem.length > 0);
        bundle_free(&bundle);
    }
    bundle_free(&written);
    text_free(&problem);
    text_free(&image);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),       TEST(a_tree_is_made),
        TEST(the_same_makes_the_same_bytes), TEST(what_cannot_be_read_is_not_written),
        TEST(forgeries_are_refused),         TEST(folders_are_counted),
        TEST(damaged_bundles_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

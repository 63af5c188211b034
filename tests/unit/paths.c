/* Names of files: which name the same file, and what ninja makes of them. */
#include "paths.h"

#include "memory.h"
#include "quote.h"
#include "unit.h"

static struct paths *paths;

/* Each test has an empty folder of its own, and an empty list of paths. */
static int set_up(void **state)
{
    paths = paths_new();
    return enter_folder(state);
}

static int tear_down(void **state)
{
    paths_free(paths);
    return leave_folder(state);
}

static struct path *add(const char *text)
{
    bool is_new;
    return paths_add(paths, text, &is_new);
}

static void assert_as_ninja(const char *path, const char *expected)
{
    char *canonical = path_as_ninja(path);
    assert_string_equal(canonical, expected);
    free(canonical);
}

static void ninjas_form_of_a_path(void **state)
{
    static const char *const examples[][2] = {
        {"x", "x"},
        {"./x", "x"},
        {"././x", "x"},
        {"a/../b", "b"},
        {"a/b/../../c", "c"},
        {"a//b", "a/b"},
        {"a///b//", "a/b"},
        {"a/./b", "a/b"},
        {"../x", "../x"},
        {"../../x", "../../x"},
        {"a/../../b", "../b"},
        {"../a/../b", "../b"},
        {"../a/../../b", "../../b"},
        {"/a/./b", "/a/b"},
        {"/a/../b", "/b"},
        {"//a", "/a"},
        {"a/b/..", "a"},
        {"a/..", "."},
        {"a/../..", ".."},
        {".", "."},
        {"./", "."},
        {"./.", "."},
        {"..", ".."},
        {"../..", "../.."},
        {"a/", "a"},
        {"a/.", "a"},
        {".../..a/.b", ".../..a/.b"},
        {"a../b", "a../b"},
        {"out/lib.a(m.o at 78).2.7BC7.o", "out/lib.a(m.o at 78).2.7BC7.o"},
        {"/", "/"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(examples); i++)
        assert_as_ninja(examples[i][0], examples[i][1]);
}

/* ninja keeps a ".." behind the root as it is (1.11 to 1.13). */
static void ninjas_form_of_a_path_over_the_root(void **state)
{
    (void)state;
    assert_as_ninja("/../x", "/../x");
    assert_as_ninja("/a/../../x", "/../x");
    assert_as_ninja("/..", "/..");
}

/* Appends a path of random components to PATH. */
static void add_random_path(struct text *path)
{
    static const char *const parts[] = {"", ".", ".", "..", "..", "a", "b", "c.d", "...", "..e"};

    for (unsigned count = 1 + random_below(8); count > 0; count--) {
        text_puts(path, parts[random_below(LENGTH(parts))]);
        if (count > 1 || random_below(4) == 0)
            text_putc(path, '/');
    }
}

/* Whether PATH gets over the root with "..", which has a test of its own, or is the root, which
 * ninja 1.11 takes for nothing: seen from what becomes of it in a deep folder. */
static bool is_odd(const char *path)
{
    static const char deep[] = "/d/d/d/d/d/d/d/d/";
    struct text inside = {0};

    if (*path != '/')
        return false;
    text_printf(&inside, "%s%s", deep, path);
    char *canonical = path_as_ninja(inside.data);
    bool odd = strncmp(canonical, deep, sizeof deep - 1) != 0;
    free(canonical);
    text_free(&inside);
    return odd;
}

static void ninja_agrees_about_random_paths(void **state)
{
    struct text manifest = {0}, expected = {0}, path = {0}, output;

    (void)state;
    need_program("ninja");
    text_puts(&manifest, "rule r\n  command = $out $in\n");
    for (int i = 0; i < 3000; i++) {
        text_clear(&path);
        add_random_path(&path);
        if (path.length == 0 || is_odd(path.data))
            continue;
        char *canonical = path_as_ninja(path.data);
        text_printf(&manifest, "build %d: r ", i);
        quote_path(&manifest, path.data);
        text_putc(&manifest, '\n');
        text_printf(&expected, "%d %s\n", i, canonical);
        free(canonical);
    }
    write_file("test.ninja", manifest.data, manifest.length);
    int status = run(LIST("ninja", "-f", "test.ninja", "-t", "commands"), &output);
    assert_int_equal(status, 0);
    sort_lines(&output);
    sort_lines(&expected);
    assert_string_equal(output.data, expected.data);
    text_free(&manifest);
    text_free(&expected);
    text_free(&path);
    text_free(&output);
}

static void one_text_is_kept_once(void **state)
{
    bool is_new = false;
    char name[] = "some/name";

    (void)state;
    struct path *path = paths_add(paths, name, &is_new);
    assert_true(is_new);
    assert_string_equal(path->text, "some/name");
    assert_ptr_not_equal(path->text, name);
    assert_ptr_equal(path->file, path);
    assert_false(path->is_input);
    assert_false(path->is_output);

    path->is_output = true;
    path->output_job = 7;
    assert_ptr_equal(paths_add(paths, "some/name", &is_new), path);
    assert_false(is_new);
    assert_true(path->is_output);
    assert_int_equal(path->output_job, 7);
}

static void many_texts_are_kept_apart(void **state)
{
    enum { COUNT = 50000 };
    struct path **all = malloc(COUNT * sizeof *all);
    char name[64];
    bool is_new;

    (void)state;
    assert_non_null(all);
    make_directories("d0");
    make_directories("d1");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "d%d/%d.o", i % 3, i / 3);
            struct path *path = paths_add(paths, name, &is_new);
            assert_int_equal(is_new, round == 0);
            if (round == 0)
                all[i] = path;
            assert_ptr_equal(path, all[i]);
            assert_ptr_equal(path->file, path);
            assert_int_equal(path->in_directory, i % 3 < 2);
        }
    }
    free(all);
}

/* Some are there before, and the table grows while hashes are kept. */
static void fetched_texts_are_the_same(void **state)
{
    enum { COUNT = 5000 };
    static char names[COUNT][16];
    const char *texts[COUNT];
    uint64_t hashes[PATHS_TOGETHER + 1] = {[PATHS_TOGETHER] = 7};
    bool is_new;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "d/%d.o", i);
        texts[i] = names[i];
        if (i % 3 == 0)
            add(names[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t at = i % PATHS_TOGETHER;
        if (at == 0)
            paths_fetch(paths, texts + i, COUNT - i, hashes);
        struct path *path = paths_add_fetched(paths, texts[i], hashes[at], &is_new);
        assert_int_equal(is_new, i % 3 != 0);
        assert_string_equal(path->text, texts[i]);
        assert_ptr_equal(add(texts[i]), path);
        assert_ptr_equal(paths_add_fetched(paths, texts[i], hashes[at], &is_new), path);
        assert_false(is_new);
    }
    assert_int_equal(hashes[PATHS_TOGETHER], 7);
}

/* Names of the file "x", which is not there. */
static void spellings_of_one_file(void **state)
{
    struct text absolute = {0}, upward = {0};

    (void)state;
    make_directories("d");
    text_printf(&absolute, "%s/x", unit_folder);
    text_printf(&upward, "..%s/x", strrchr(unit_folder, '/'));
    struct path *first = add("x");
    const char *const others[] = {"./x",   ".//x",        "d/../x",    "d/.././x",
                                  "././x", absolute.data, upward.data, "d//../d/../x"};
    for (size_t i = 0; i < LENGTH(others); i++) {
        struct path *other = add(others[i]);
        assert_ptr_not_equal(other, first);
        assert_string_equal(other->text, others[i]);
        assert_ptr_equal(other->file, first);
        assert_true(other->sayable);
        assert_true(other->in_directory);
    }
    assert_ptr_equal(first->file, first);
    assert_true(first->sayable);
    assert_true(first->in_directory);
    text_free(&absolute);
    text_free(&upward);
}

static void files_in_the_root(void **state)
{
    (void)state;
    struct path *path = add("/no-such-file");
    assert_true(path->in_directory);
    assert_true(path->sayable);
    assert_ptr_equal(add("//no-such-file")->file, path);
    assert_ptr_equal(add("/./no-such-file")->file, path);
    assert_ptr_equal(add("/no-such-file-2")->file, add("/no-such-file-2"));
}

static void other_names_are_other_files(void **state)
{
    static const char *const names[] = {"x", "X", "x.o", "d/x", "e/x", "xx", "d/d/x", "../x"};

    (void)state;
    make_directories("d/d");
    make_directories("e");
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct path *path = add(names[i]);
        assert_ptr_equal(path->file, path);
        assert_true(path->in_directory);
        assert_true(path->sayable);
    }
}

/* ninja takes "link/../x" for "x". */
static void parent_of_a_link_is_elsewhere(void **state)
{
    (void)state;
    make_directories("other/sub");
    assert_int_equal(symlink("other/sub", "link"), 0);
    struct path *here = add("x"), *there = add("link/../x");
    assert_ptr_equal(there->file, there);
    assert_false(there->sayable);
    assert_true(there->in_directory);

    struct path *plain = add("other/x");
    assert_ptr_equal(plain->file, there);
    assert_true(plain->sayable);
    assert_ptr_not_equal(here->file, there->file);

    /* The system gets to the same file as with "x", and ninja to "../x". */
    assert_ptr_equal(add("link/../../x")->file, here);
    assert_false(add("link/../../x")->sayable);
}

static void linked_folders_are_one(void **state)
{
    (void)state;
    make_directories("d");
    assert_int_equal(symlink("d", "link"), 0);
    struct path *path = add("d/x"), *linked = add("link/x");
    assert_ptr_equal(linked->file, path);
    assert_true(linked->sayable);
    /* A link to a neighbour: ".." of it is what ninja thinks it is. */
    assert_true(add("link/../x")->sayable);
    assert_ptr_equal(add("link/../x")->file, add("x")->file);
}

/* The last component is not followed: an output that is a link gets replaced. */
static void linked_files_are_two(void **state)
{
    (void)state;
    write_string("x", "");
    assert_int_equal(symlink("x", "y"), 0);
    assert_ptr_not_equal(add("x")->file, add("y")->file);
}

static void absent_folders(void **state)
{
    (void)state;
    write_string("file", "");
    struct path *path = add("no/x");
    assert_false(path->in_directory);
    assert_true(path->sayable);
    assert_ptr_equal(path->file, path);
    assert_ptr_equal(add("no/y")->file, add("no/y"));
    assert_ptr_equal(add("neither/x")->file, add("neither/x"));
    assert_false(add("file/x")->in_directory);
    /* For the system there is no "no/..". */
    assert_false(add("no/../x")->in_directory);
    assert_false(add("no/../x")->sayable);
    assert_ptr_not_equal(add("no/../x")->file, add("x")->file);
}

static void what_ninja_cannot_spell(void **state)
{
    static const char *const unsayable[] = {"a|b", "a\nb", "a\r", "|", "d|/x", "./a|b"};
    static const char *const sayable[] = {"a b", "a:b", "a$b", " ", "'\"\\#", "caf\303\251", "\t"};

    (void)state;
    for (size_t i = 0; i < LENGTH(unsayable); i++)
        assert_false(add(unsayable[i])->sayable);
    for (size_t i = 0; i < LENGTH(sayable); i++)
        assert_true(add(sayable[i])->sayable);
    assert_ptr_equal(add("./a|b")->file, add("a|b"));
}

static void an_empty_list_is_freed(void **state)
{
    (void)state;
    paths_free(NULL);
    paths_free(paths_new());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ninjas_form_of_a_path),
        TEST(ninjas_form_of_a_path_over_the_root),
        TEST(ninja_agrees_about_random_paths),
        TEST(one_text_is_kept_once),
        TEST(many_texts_are_kept_apart),
        TEST(fetched_texts_are_the_same),
        TEST(spellings_of_one_file),
        TEST(files_in_the_root),
        TEST(other_names_are_other_files),
        TEST(parent_of_a_link_is_elsewhere),
        TEST(linked_folders_are_one),
        TEST(linked_files_are_two),
        TEST(absent_folders),
        TEST(what_ninja_cannot_spell),
        TEST(an_empty_list_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

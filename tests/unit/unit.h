/* What the unit tests share: cmocka, a folder to work in, what a function prints on stderr, and
 * other programs to compare with. Each test is one program, so this header defines things. */
#ifndef UNIT_H
#define UNIT_H

/* cmocka wants these in front of it, in this order. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "text.h"
#include "words.h"

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A list of strings for assert_words; it may not be empty, see NONE. */
#define LIST(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define NONE                                                                                       \
    (const char *const[])                                                                          \
    {                                                                                              \
        NULL                                                                                       \
    }

const char program_name[] = "dtlto-ninja";

static char unit_folder[4096];
static int unit_stderr = -1;

/* Group set-up: makes a folder and goes there. Its name has no "." or ".." in it. */
static inline int enter_folder(void **state)
{
    const char *parent = getenv("TMPDIR");
    struct text name = {0};

    (void)state;
    text_printf(&name, "%s/dtlto-ninja-unit-XXXXXX", parent && *parent ? parent : "/tmp");
    bool made = mkdtemp(name.data) && chdir(name.data) == 0;
    text_free(&name);
    return made && getcwd(unit_folder, sizeof unit_folder) ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *info, int type,
                               struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

/* Group tear-down: removes the folder with all that is in it. */
static inline int leave_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && nftw(unit_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0 ? 0
                                                                                             : -1;
}

static inline void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_string(const char *name, const char *string)
{
    write_file(name, string, strlen(string));
}

/* The caller frees the text. */
static inline struct text read_file(const char *name)
{
    struct text text = {0};
    char part[4096];
    size_t count;
    FILE *file = fopen(name, "rb");

    assert_non_null(file);
    text_clear(&text);
    while ((count = fread(part, 1, sizeof part, file)) > 0)
        text_write(&text, part, count);
    assert_int_equal(ferror(file), 0);
    fclose(file);
    return text;
}

/* Makes the directories of the path NAME, the last one too. */
static inline void make_directories(const char *name)
{
    struct text path = {0};

    for (; *name; name++) {
        text_putc(&path, *name);
        if ((name[1] == '/' || name[1] == '\0') && mkdir(path.data, 0777) != 0)
            assert_int_equal(errno, EEXIST);
    }
    text_free(&path);
}

/* From here on stderr goes to a file in the folder. Assert nothing before capture_end: it would be
 * the file that gets to know why. */
static inline void capture_start(void)
{
    fflush(stderr);
    int file = open("captured", O_RDWR | O_CREAT | O_TRUNC, 0666);
    unit_stderr = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
}

/* Gives stderr back, and what was printed on it. The caller frees the text. */
static inline struct text capture_end(void)
{
    fflush(stderr);
    dup2(unit_stderr, STDERR_FILENO);
    close(unit_stderr);
    return read_file("captured");
}

/* Compares the text of the bytes PRINTED, and frees it. */
static inline void assert_printed(struct text printed, const char *expected)
{
    assert_string_equal(printed.data, expected);
    text_free(&printed);
}

/* EXPECTED ends in a null pointer. */
static inline void assert_words(const struct words *words, const char *const *expected)
{
    size_t count = 0;

    while (expected[count])
        count++;
    for (size_t i = 0; i < count && i < words->count; i++)
        assert_string_equal(words->items[i], expected[i]);
    assert_int_equal(words->count, count);
}

/* Runs ARGV with stdin from /dev/null, and returns its wait status; *OUTPUT gets what it prints on
 * stdout and, with BOTH, on stderr. The caller frees that. */
static inline int run_both(const char *const *argv, struct text *output, bool both)
{
    int ends[2], status;
    char part[65536];
    ssize_t count;

    *output = (struct text){0};
    text_clear(output);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(both ? ends[1] : null, STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(ends[1]);
    while ((count = read(ends[0], part, sizeof part)) > 0)
        text_write(output, part, (size_t)count);
    close(ends[0]);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static inline int run(const char *const *argv, struct text *output)
{
    return run_both(argv, output, false);
}

static inline int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the lines of TEXT, which holds no NUL: ninja lists things in the order of the manifest, and
 * samurai does not. */
static inline void sort_lines(struct text *text)
{
    struct words lines = {0};
    struct text sorted = {0};

    for (char *line = strtok(text->data, "\n"); line; line = strtok(NULL, "\n"))
        words_add(&lines, line);
    if (lines.count > 0)
        qsort((void *)lines.items, lines.count, sizeof *lines.items, compare_strings);
    text_clear(&sorted);
    for (size_t i = 0; i < lines.count; i++)
        text_printf(&sorted, "%s\n", lines.items[i]);
    words_free(&lines);
    text_free(text);
    *text = sorted;
}

static inline bool have_program(const char *name)
{
    const char *path = getenv("PATH");
    bool found = false;

    while (path && *path && !found) {
        struct text file = {0};
        size_t length = strcspn(path, ":");
        text_printf(&file, "%.*s/%s", (int)length, path, name);
        found = access(file.data, X_OK) == 0;
        text_free(&file);
        path += length + (path[length] == ':');
    }
    return found;
}

/* Skips the test where the program is missing; on CI that is a failure. To be called before
 * anything is allocated: neither returns. */
static inline void need_program(const char *name)
{
    const char *ci = getenv("CI");

    if (have_program(name))
        return;
    if (ci && strcmp(ci, "true") == 0)
        fail_msg("%s is missing, and on CI this test may not be skipped", name);
    print_message("# skipped: %s is missing\n", name);
    skip();
}

/* Runs CALL(CONTEXT) in a process of its own, which may take SECONDS and, where no sanitizer wants
 * the address space, 1 GiB, and returns its wait status: 0 where CALL returned true, 0x100 (status
 * 1) where it returned false, else the end it came to. For what could crash or run forever. */
static inline int in_child(bool (*call)(void *context), void *context, unsigned seconds)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct rlimit memory = {(rlim_t)1 << 30, (rlim_t)1 << 30};
        int null = open("/dev/null", O_WRONLY);
        /* cmocka catches these; a crash is to be this process's end. */
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        signal(SIGILL, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        dup2(null, STDOUT_FILENO);
        if (!ADDRESS_SANITIZER)
            setrlimit(RLIMIT_AS, &memory);
        alarm(seconds);
        _exit(call(context) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* The same numbers at each run, at least 0 and below LIMIT (xorshift, Marsaglia 2003). */
static inline unsigned random_below(unsigned limit)
{
    static uint32_t x = 2463534242;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x % limit;
}

#endif

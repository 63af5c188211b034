/* libFuzzer's target for what the far side does with bytes: reads a bundle, unpacks it, and looks
 * at its options. Nothing but the folder may change, and in it there are files only; what is taken
 * can be written again and is taken again. */
#include "bundle.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "far-options.h"
#include "message.h"

const char program_name[] = "fuzz-bundle";

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Easy to reach. */
static const struct bundle_limits limits = {4096, 16};

/* In the current folder, which is made in $TMPDIR: the input, and the folder "to", where nothing
 * but the folder "unpacked" may ever be. */
static char folder[4096];
static int input = -1;

/* What the tree is found to hold. */
static size_t found_files, found_folders;
static off_t found_bytes;

/* Ends the program, as a bug: libFuzzer keeps the input. */
static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: expected: %s\n", program_name, what);
    abort();
}

static int take_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)place;
    expect(type == FTW_F || type == FTW_DP, "files and folders only");
    expect(type == FTW_DP || (S_ISREG(info->st_mode) && info->st_nlink == 1), "a file of its own");
    expect((info->st_mode & 077) == 0, "nothing for others");
    found_files += type == FTW_F;
    found_folders += type == FTW_DP;
    found_bytes += type == FTW_F ? info->st_size : 0;
    expect(remove(path) == 0, "that it can be removed");
    return 0;
}

/* Removes the folder "to/unpacked", and checks what is in it. */
static void remove_folder(void)
{
    found_files = found_folders = 0;
    found_bytes = 0;
    expect(nftw("to/unpacked", take_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "that it can be read");
    expect(found_files <= limits.members && found_folders <= limits.members + 1 &&
               found_bytes <= (off_t)limits.bytes,
           "no more than the limits");
}

/* How many entries PATH has. */
static size_t entries(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);

    expect(directory, "a folder");
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

/* Unpacks the descriptor FD. The folder is to be removed. */
static bool unpack(struct bundle *bundle, int fd)
{
    struct text problem = {0};

    *bundle = (struct bundle){0};
    expect(mkdir("to/unpacked", 0700) == 0, "that the folder is not there");
    int to = open("to/unpacked", O_RDONLY | O_DIRECTORY);
    bool good = bundle_read(bundle, fd, to, &limits, &problem);
    expect(good == (problem.length == 0), "a reason where it is refused, and only there");
    expect(problem.length < 2000, "a short reason");
    expect(entries(".") == 2 && entries("to") == 1, "nothing outside of the folder");
    close(to);
    text_free(&problem);
    return good;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* B was written as A. */
static void expect_same(const struct bundle *a, const struct bundle *b)
{
    expect(identity_same(&a->identity, &b->identity) && is_same(a->module, b->module) &&
               a->has_index == b->has_index && a->option_count == b->option_count &&
               a->member_count == b->member_count,
           "the same bundle");
    for (size_t i = 0; i < a->option_count; i++)
        expect(is_same(a->options[i].text, b->options[i].text) &&
                   is_same(a->options[i].member, b->options[i].member),
               "the same options");
    for (size_t i = 0; i < a->member_count; i++)
        expect(is_same(a->members[i].name, b->members[i].name) &&
                   is_same(a->members[i].place, b->members[i].place),
               "the same members");
}

/* BUNDLE, which was unpacked, can be packed again, and then be unpacked again. */
static void check_again(struct bundle *bundle)
{
    struct bundle again;
    struct text problem = {0}, path = {0};

    for (size_t i = 0; i < bundle->member_count; i++) {
        struct bundle_member *member = &bundle->members[i];
        text_clear(&path);
        text_printf(&path, "to/unpacked/%s", member->place ? member->place : member->name);
        member->path = strdup(path.data);
    }
    if (bundle->has_index)
        expect(text_read_file(&bundle->index, "to/unpacked/index") == 0, "the index");
    expect(bundle_write(bundle, "to/again", &problem), "that it can be packed");
    remove_folder();
    expect(found_files == bundle->member_count + bundle->has_index, "a file for each member");
    int fd = open("to/again", O_RDONLY);
    unlink("to/again");
    expect(unpack(&again, fd), "that it is taken once more");
    expect_same(bundle, &again);
    close(fd);
    bundle_free(&again);
    text_free(&problem);
    text_free(&path);
}

/* What is allowed is for clang, which must not take it for anything that these mean. */
static void check_options(const struct bundle *bundle)
{
    static const char *const bad[] = {
        "@",
        "-Xclang",
        "-fplugin",
        "-fpass-plugin",
        "-load",
        "-o",
        "-c",
        "-x",
        "--config",
        "-cc1",
        "-B",
        "-I",
        "-save",
        "-ftime-trace",
        "-Wl,",
        "-Wa,",
        "-Wp,",
        "-fsanitize",
        "-M",
        "/",
        "-fthinlto-index",
    };
    struct words argv = {0};
    struct text storage = {0}, problem = {0};

    bool good = far_options(bundle, NULL, &argv, &storage, &problem);
    expect(good == (problem.length == 0), "a reason for options, too");
    expect(argv.count == bundle->option_count, "a word for each option");
    for (size_t i = 0; good && i < argv.count; i++) {
        expect(argv.items[i][0] == '-' || (i > 0 && (strcmp(argv.items[i - 1], "-target") == 0)),
               "options only");
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++)
            expect(strncmp(argv.items[i], bad[j], strlen(bad[j])) != 0, "none of the bad ones");
    }
    words_free(&argv);
    text_free(&storage);
    text_free(&problem);
}

static void leave(void)
{
    expect(chdir("/") == 0, "that the folder can be left");
    nftw(folder, take_one, 16, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *temporary = getenv("TMPDIR");

    (void)argc;
    (void)argv;
    umask(077);
    snprintf(folder, sizeof folder, "%s/fuzz-bundle-XXXXXX", temporary ? temporary : "/tmp");
    expect(mkdtemp(folder) && chdir(folder) == 0 && mkdir("to", 0700) == 0, "a folder");
    input = open("input", O_RDWR | O_CREAT | O_EXCL, 0600);
    expect(input >= 0, "a file");
    atexit(leave);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bundle bundle;

    expect(ftruncate(input, 0) == 0 && pwrite(input, data, size, 0) == (ssize_t)size &&
               lseek(input, 0, SEEK_SET) == 0,
           "room for the input");
    if (unpack(&bundle, input)) {
        check_options(&bundle);
        check_again(&bundle);
    }
    remove_folder();
    bundle_free(&bundle);
    return 0;
}

enum { BLOCK = 512, SIZE = 124, SUM = 148, SUM_DIGITS = 8, SIZE_DIGITS = 12 };

static size_t whole_blocks(size_t size)
{
    return (size + BLOCK - 1) / BLOCK * BLOCK;
}

static size_t member_size(const uint8_t *header)
{
    char field[SIZE_DIGITS + 1] = "";

    memcpy(field, header + SIZE, SIZE_DIGITS);
    return strtoul(field, NULL, 8);
}

static void put_sum(uint8_t *header)
{
    unsigned sum = 0;

    memset(header + SUM, ' ', SUM_DIGITS);
    for (int i = 0; i < BLOCK; i++)
        sum += header[i];
    snprintf((char *)header + SUM, SUM_DIGITS - 1, "%06o", sum % (1 << 18));
}

/* Changes the text in the first member, and keeps the archive whole around it. */
static size_t mutate_text(uint8_t *data, size_t size, size_t max_size)
{
    size_t old = member_size(data), end = BLOCK + whole_blocks(old), rest = size - end;
    size_t room = max_size / BLOCK * BLOCK;
    uint8_t *text = malloc(room);

    expect(text, "memory");
    memcpy(text, data + BLOCK, old);
    size_t length = LLVMFuzzerMutate(text, old, room - BLOCK - whole_blocks(rest));
    memmove(data + BLOCK + whole_blocks(length), data + end, rest);
    memcpy(data + BLOCK, text, length);
    memset(data + BLOCK + length, 0, whole_blocks(length) - length);
    snprintf((char *)data + SIZE, SIZE_DIGITS, "%011zo", length);
    put_sum(data);
    free(text);
    return BLOCK + whole_blocks(length) + rest;
}

/* Most changes make a wrong sum, or a member that ends too early, and then nothing else is looked
 * at. So a half of them is in the text, and of the others most get a good sum, as far as there are
 * headers. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (seed % 2 && size > BLOCK && member_size(data) > 0 && member_size(data) <= size - BLOCK &&
        whole_blocks(member_size(data)) <= size - BLOCK && whole_blocks(size) + BLOCK < max_size)
        return mutate_text(data, size, max_size);
    size = LLVMFuzzerMutate(data, size, max_size);
    for (size_t at = 0; seed % 8 && at + BLOCK <= size && data[at];) {
        put_sum(data + at);
        size_t length = member_size(data + at);
        if (length > size)
            break;
        at += BLOCK + whole_blocks(length);
    }
    return size;
}

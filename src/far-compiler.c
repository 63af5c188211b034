#include "far-compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

#ifdef __APPLE__ /* POSIX has the other names */
#define MTIME st_mtimespec
#define CTIME st_ctimespec
#else
#define MTIME st_mtim
#define CTIME st_ctim
#endif

enum {
    FRESH_S = 60,
    NEWEST = 40, /* of the versions of clang that are looked for where none is named */
    OLDEST = 18,
};

/* A program to try: PATH, unless it is this program. Returns false where the search can end. */
struct search {
    bool (*each)(void *context, const char *path);
    void *context;
};

static bool try_path(const struct search *search, const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || access(path, X_OK) != 0)
        return true;
    return search->each(search->context, path);
}

/* Each of the paths in LIST, with ':' between, and NAME behind it. */
static bool try_list(const struct search *search, const char *list, const char *name)
{
    struct text path = {0};
    bool more = true;

    while (more && list && *list) {
        size_t length = strcspn(list, ":");
        text_clear(&path);
        text_write(&path, list, length);
        text_puts(&path, name);
        if (length > 0)
            more = try_path(search, path.data);
        list += length + (list[length] == ':');
    }
    text_free(&path);
    return more;
}

/* The usual places of a clang of one version. */
static bool try_version(const struct search *search, int version)
{
    char name[64];

    snprintf(name, sizeof name, "/usr/lib/llvm-%d/bin/clang", version);
    if (!try_path(search, name))
        return false;
    snprintf(name, sizeof name, "/clang-%d", version);
    return try_list(search, getenv("PATH"), name) && try_list(search, "/usr/bin", name);
}

void far_compiler_each(int version, bool (*each)(void *context, const char *path), void *context)
{
    const struct search search = {each, context};
    const char *list = getenv("DTLTO_CLANG_COMPILER");
    bool more = true;

    /* In an icecream environment there is no other, whatever the daemon's own variables say: the
     * clang in PATH is this program. */
    if (access(FAR_FOLDER, F_OK) == 0) {
        try_path(&search, FAR_FOLDER "/clang");
        return;
    }
    if (list && *list) {
        try_list(&search, list, "");
        return;
    }
    if (version > 0)
        more = try_version(&search, version);
    for (int v = NEWEST; version == 0 && more && v >= OLDEST; v--)
        more = try_version(&search, v);
    if (more)
        try_list(&search, getenv("PATH"), "/clang");
}

/* The folder of this user where answers are kept; false where there is none to be trusted. */
static bool find_cache(struct text *folder)
{
    const char *temporary = getenv("TMPDIR");
    struct stat info;

    text_printf(folder, "%s/dtlto-clang-%ld", temporary && *temporary ? temporary : "/tmp",
                (long)geteuid());
    if (mkdir(folder->data, 0700) != 0 && errno != EEXIST)
        return false;
    return lstat(folder->data, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 022) == 0;
}

/* What stands in front of a kept answer: the file that it is of, as it was. */
static void add_stamp(struct text *text, const struct stat *info)
{
    text_printf(text, "%ju %ju %jd %jd.%ld %jd.%ld\n", (uintmax_t)info->st_dev,
                (uintmax_t)info->st_ino, (intmax_t)info->st_size, (intmax_t)info->MTIME.tv_sec,
                info->MTIME.tv_nsec, (intmax_t)info->CTIME.tv_sec, info->CTIME.tv_nsec);
}

/* Reads the answer that is kept in FILE, if it is of STAMP and fresh. */
static bool recall(const char *file, const char *stamp, struct identity *identity)
{
    struct text text = {0};
    struct stat info;
    bool good = lstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                time(NULL) - info.st_mtime >= 0 && time(NULL) - info.st_mtime < FRESH_S &&
                text_read_file(&text, file) == 0 && strncmp(text.data, stamp, strlen(stamp)) == 0 &&
                identity_read(identity, text.data + strlen(stamp));
    text_free(&text);
    return good;
}

static void keep(const char *file, const char *stamp, const struct identity *identity)
{
    struct text temporary = {0};
    char *text = identity_text(identity);

    text_printf(&temporary, "%s.XXXXXX", file);
    int fd = mkstemp(temporary.data);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = out && fprintf(out, "%s%s", stamp, text) > 0;
    if (out)
        good = fclose(out) == 0 && good;
    if (fd >= 0 && (!good || rename(temporary.data, file) != 0))
        unlink(temporary.data);
    text_free(&temporary);
    free(text);
}

/* What the compiler PATH answers to --version. */
static bool ask(const char *path, struct identity *identity)
{
    struct text file = {0}, stamp = {0};
    struct stat info;
    bool good = false;

    if (strcmp(path, FAR_FOLDER "/clang") == 0) {
        good = text_read_file(&file, FAR_FOLDER "/" FAR_IDENTITY) == 0 &&
               identity_read(identity, file.data);
        text_free(&file);
        return good;
    }
    bool cached = stat(path, &info) == 0 && find_cache(&file);
    if (cached) {
        add_stamp(&stamp, &info);
        text_putc(&file, '/');
        for (const char *c = path; *c; c++)
            text_putc(&file, *c == '/' ? '%' : *c);
        good = recall(file.data, stamp.data, identity);
    }
    if (!good) {
        identity_free(identity);
        good = identity_ask(identity, path, NULL);
        if (good && cached)
            keep(file.data, stamp.data, identity);
    }
    text_free(&file);
    text_free(&stamp);
    return good;
}

struct wanted {
    const struct identity *identity;
    struct text *path, *found;
    bool is_there;
};

static bool compare(void *context, const char *path)
{
    struct wanted *wanted = context;
    struct identity identity = {0};

    if (ask(path, &identity)) {
        wanted->is_there = identity_same(&identity, wanted->identity);
        text_printf(wanted->found, "%s%s (%s)", wanted->found->length > 0 ? ", " : "",
                    identity.version, identity.target);
    }
    if (wanted->is_there)
        text_puts(wanted->path, path);
    identity_free(&identity);
    return !wanted->is_there;
}

bool far_compiler_find(const struct identity *identity, struct text *path, struct text *found)
{
    struct wanted wanted = {identity, path, found, false};
    static const char word[] = "clang version ";
    const char *version = strstr(identity->version, word);

    text_clear(path);
    text_clear(found);
    far_compiler_each(version ? (int)strtol(version + strlen(word), NULL, 10) : 0, compare,
                      &wanted);
    return wanted.is_there;
}

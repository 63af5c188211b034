#include "far-check.h"

#include <archive.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "far-compiler.h"
#include "far-run.h"
#include "identity.h"
#include "memory.h"
#include "message.h"
#include "signals.h"
#include "text.h"

enum {
    OLDEST = 21, /* LLVM's first with DTLTO */
    TRY_SECONDS = 30,
};

/* What is known while compilers are looked at. */
struct compilers {
    struct stat *seen; /* owned */
    size_t seen_count, room;
    int good;
};

/* Whether the file is one under another name that was seen before. */
static bool is_seen(struct compilers *compilers, const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return false;
    for (size_t i = 0; i < compilers->seen_count; i++) {
        const struct stat *seen = &compilers->seen[i];
        if (seen->st_dev == info.st_dev && seen->st_ino == info.st_ino)
            return true;
    }
    compilers->seen =
        grow(compilers->seen, compilers->seen_count, &compilers->room, sizeof *compilers->seen);
    compilers->seen[compilers->seen_count++] = info;
    return false;
}

/* The N of "clang version N.". */
static long major_version(const struct identity *identity)
{
    static const char word[] = "clang version ";
    const char *found = strstr(identity->version, word);
    return found ? strtol(found + strlen(word), NULL, 10) : 0;
}
static bool show_compiler(void *context, const char *path)
{
    struct compilers *compilers = context;
    struct identity identity = {0};

    if (is_seen(compilers, path))
        return true;
    if (!identity_ask(&identity, path, NULL)) {
        printf("note     compiler: %s does not say its version as clang does\n", path);
    } else if (major_version(&identity) < OLDEST) {
        printf("note     compiler: %s: %s, older than DTLTO\n", path, identity.version);
    } else {
        compilers->good++;
        printf("ok       compiler: %s: %s, for %s\n", path, identity.version, identity.target);
    }
    identity_free(&identity);
    return true;
}

static int check_compilers(void)
{
    struct compilers compilers = {0};

    far_compiler_each(0, show_compiler, &compilers);
    free(compilers.seen);
    if (compilers.good > 0)
        return 0;
    printf("missing  compiler: no clang of LLVM %d or later found; install the clang that links "
           "are made with at home, or name it in DTLTO_CLANG_COMPILER\n",
           OLDEST);
    return 1;
}

/* Bundles are unpacked where far.c does it. */
static int check_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    const char *folder = temporary && temporary[0] == '/' ? temporary : "/tmp";

    if (access(folder, W_OK | X_OK) == 0) {
        printf("ok       folder: bundles are unpacked in %s\n", folder);
        return 0;
    }
    printf("missing  folder: cannot write to %s: %s; set TMPDIR\n", folder, strerror(errno));
    return 1;
}

/* After an advisory for it, an administrator wants to know. */
static void show_archive_library(void)
{
    printf("note     bundles: %s reads them\n", archive_version_string());
}

/* What follows is what distccd 3.4 does with the name "dtlto-clang" (its src/serve.c, and seen). */
static const char name[] = "dtlto-clang";

/* Puts the line of the file LIST whose last part is our name into PATH, the first one, as distccd
 * does; every byte counts. Returns an errno value, 0 where the file was read. */
static int look_up_list(const char *list, struct text *path)
{
    struct text text = {0};
    int error = text_read_file(&text, list);

    text_clear(path);
    for (const char *line = text.data; !error && line && *line && path->length == 0;) {
        size_t length = strcspn(line, "\n");
        size_t start = length;
        while (start > 0 && line[start - 1] != '/')
            start--;
        if (length - start == strlen(name) && strncmp(line + start, name, length - start) == 0)
            text_write(path, line, length);
        line += length + (line[length] == '\n');
    }
    text_free(&text);
    return error;
}

/* Puts what the search path has for our name into PATH. Returns false where that is nothing. */
static bool look_up_path(struct text *path)
{
    const char *list = getenv("DISTCCD_PATH") ? getenv("DISTCCD_PATH") : getenv("PATH");

    while (list && *list) {
        size_t length = strcspn(list, ":");
        text_clear(path);
        text_write(path, list, length);
        text_printf(path, "%s%s", length > 0 ? "/" : "", name);
        if (access(path->data, X_OK) == 0)
            return true;
        list += length + (list[length] == ':');
    }
    text_clear(path);
    return false;
}

/* Whether PATH is a link that makes a compiler's name one of distcc's client: on a node, a job
 * would go round in a circle. */
static bool is_masquerade(const char *path)
{
    char *real = realpath(path, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;
    bool is = slash && strcmp(slash, "/distcc") == 0;

    free(real);
    return is;
}

/* Says whether distccd, which was told by WHAT that it may, can run PATH. */
static int check_runs(const char *what, const char *path)
{
    if (access(path, X_OK) != 0) {
        printf("missing  distccd: %s allows %s, which cannot be run: %s\n", what, path,
               strerror(errno));
        return 1;
    }
    if (is_masquerade(path)) {
        printf("missing  distccd: it would run %s, a link to distcc's client, not %s\n", path,
               name);
        return 1;
    }
    printf("ok       distccd: %s allows %s\n", what, path);
    return 0;
}

/* A list decides alone. What it names and is not there is looked for as without one. */
static int check_list(const char *list)
{
    struct text path = {0}, other = {0};
    int missing = 1, error = look_up_list(list, &path);

    if (error)
        printf(
            "missing  distccd: cannot read %s, the list of DISTCC_CMDLIST: %s; without it distccd "
            "runs whatever a client names\n",
            list, strerror(error));
    else if (path.length == 0)
        printf("missing  distccd: %s, the list of DISTCC_CMDLIST, has no line for %s such as "
               "/usr/bin/%s\n",
               list, name, name);
    else
        missing = check_runs(
            list, access(path.data, X_OK) != 0 && look_up_path(&other) ? other.data : path.data);
    text_free(&path);
    text_free(&other);
    return missing;
}

/* Without one, distccd runs what its search path has for a name that is in this folder. */
static int check_link(void)
{
    static const char link[] = "/usr/lib/distcc/dtlto-clang";
    struct text path = {0};
    int missing = 1;

    if (access(link, X_OK) != 0)
        printf("missing  distccd: it does not run %s: %s: %s\n", name, link, strerror(errno));
    else if (!look_up_path(&path))
        printf("missing  distccd: %s is not in PATH, where distccd looks for it\n", name);
    else
        missing = check_runs(link, path.data);
    text_free(&path);
    return missing;
}

static int check_distccd(void)
{
    const char *list = getenv("DISTCC_CMDLIST");

    if (list)
        return check_list(list);
    if (access("/usr/bin/distccd", X_OK) == 0)
        return check_link();
    printf("note     distccd: not installed; an icecream node needs nothing of it\n");
    return 0;
}

static void show_limits(void)
{
    static const char *const names[][2] = {{"DTLTO_CLANG_SECONDS", "seconds a compilation"},
                                           {"DTLTO_CLANG_MEMORY", "bytes of memory"},
                                           {"DTLTO_CLANG_INPUT", "bytes of input"},
                                           {"DTLTO_CLANG_OUTPUT", "bytes of an object"},
                                           {"DTLTO_CLANG_MLLVM", "(allowed after -mllvm)"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i][0]);
        printf("note     limit: %s is %s %s\n", names[i][0], value ? value : "not set,",
               value ? names[i][1] : "its default holds");
    }
}

int far_check(void)
{
    if (!signals_catch_children())
        return STATUS_SYSTEM;
    int missing = check_compilers() + check_folder() + check_distccd();
    show_archive_library();
    show_limits();
    return missing > 0;
}

int far_try(void)
{
    static const struct far_limits limits = {0, 0};
    /* The shortest run for which all of it is loaded; its input is empty. */
    static const char clang[] = FAR_FOLDER "/clang";
    static const char *const argv[] = {clang, "-fsyntax-only", "-x", "c", "-", NULL};

    if (!signals_catch_children())
        return STATUS_SYSTEM;
    alarm(TRY_SECONDS);
    return far_run(argv, "/tmp", FAR_FOLDER, &limits) == 0 ? STATUS_OK : STATUS_SYSTEM;
}

static bool print_target(void *context, const char *path)
{
    bool *printed = context;
    struct identity identity = {0};

    *printed = identity_ask(&identity, path, NULL);
    if (*printed)
        puts(identity.target);
    identity_free(&identity);
    return !*printed;
}

int far_print_target(void)
{
    bool printed = false;

    if (signals_catch_children())
        far_compiler_each(0, print_target, &printed);
    return printed ? STATUS_OK : STATUS_SYSTEM;
}

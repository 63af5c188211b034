#include "far-check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "far-compiler.h"
#include "identity.h"
#include "message.h"
#include "signals.h"
#include "text.h"

static bool show_compiler(void *context, const char *path)
{
    int *count = context;
    struct identity identity = {0};

    if (identity_ask(&identity, path, NULL)) {
        ++*count;
        printf("ok       compiler: %s: %s, for %s\n", path, identity.version, identity.target);
    } else {
        printf("note     compiler: %s does not say its version as clang does\n", path);
    }
    identity_free(&identity);
    return true;
}

static int check_compilers(void)
{
    int count = 0;

    far_compiler_each(0, show_compiler, &count);
    if (count > 0)
        return 0;
    printf("missing  compiler: no clang found; install the clang that links are made with at home, "
           "or name it in DTLTO_CLANG_COMPILER\n");
    return 1;
}

static int check_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    const char *folder = temporary && *temporary ? temporary : "/tmp";

    if (access(folder, W_OK | X_OK) == 0) {
        printf("ok       folder: bundles are unpacked in %s\n", folder);
        return 0;
    }
    printf("missing  folder: cannot write to %s: %s; set TMPDIR\n", folder, strerror(errno));
    return 1;
}

/* Whether a file of DISTCC_CMDLIST's kind names this program: an absolute path a line. */
static bool is_listed(const char *list)
{
    struct text text = {0};
    static const char name[] = "/dtlto-clang";
    bool listed = false;

    if (text_read_file(&text, list) == 0) {
        for (const char *found = strstr(text.data, name); found && !listed;
             found = strstr(found + 1, name))
            listed = found[strlen(name)] == '\n' || !found[strlen(name)];
    }
    text_free(&text);
    return listed;
}

/* distccd runs a compiler that has a link in this folder, or stands in the list. */
static int check_distccd(void)
{
    const char *list = getenv("DISTCC_CMDLIST");

    if (access("/usr/lib/distcc/dtlto-clang", F_OK) == 0) {
        printf("ok       distccd: /usr/lib/distcc/dtlto-clang allows this program\n");
        return 0;
    }
    if (list && is_listed(list)) {
        printf("ok       distccd: %s allows this program\n", list);
        return 0;
    }
    if (access("/usr/bin/distccd", X_OK) != 0) {
        printf("note     distccd: not installed; an icecream node needs nothing of it\n");
        return 0;
    }
    printf("missing  distccd: it does not run this program: it wants a link of its name in "
           "/usr/lib/distcc, or a line in the file of DISTCC_CMDLIST\n");
    return 1;
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
    show_limits();
    return missing > 0;
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

#include "far.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_PRCTL
#include <sys/prctl.h>
#endif

#include "bundle.h"
#include "deliver.h"
#include "far-compiler.h"
#include "far-options.h"
#include "far-run.h"
#include "folder.h"
#include "message.h"
#include "object.h"
#include "setting.h"
#include "signals.h"
#include "words.h"

enum {
    MOST_MEMBERS = 200000,
    SECONDS = 3600,
};
static const uint64_t most_bytes = UINT64_C(16) << 30, most_output = UINT64_C(4) << 30;

/* A farm's daemon puts names of its own in the place of the first output and input that it sees in
 * its client's arguments. A second one would be the client's: there may be none, wherever it is
 * hidden ("-MF -o NAME"). */
struct far_command far_command_read(int argc, char **argv)
{
    struct far_command command = {NULL, NULL};
    size_t outputs = 0, inputs = 0;
    bool is_piped = false;

    for (int i = 1; i < argc; i++) {
        size_t length = strlen(argv[i]);
        if (strncmp(argv[i], "-o", 2) == 0) {
            outputs++;
            command.output = !argv[i][2] && i + 1 < argc ? argv[i + 1] : NULL;
        } else if (strcmp(argv[i], "-") == 0) {
            is_piped = true;
        } else if (argv[i][0] != '-' && length > 2 && strcmp(argv[i] + length - 2, ".i") == 0) {
            inputs++;
            command.input = argv[i];
        }
    }
    if (is_piped)
        command.input = "-";
    else if (inputs != 1)
        command.input = NULL;
    if (outputs != 1)
        command.output = NULL;
    return command;
}

/* One run. */
struct run {
    struct far_command command;
    struct bundle bundle;
    int fd;               /* of the private folder */
    struct words options; /* of the bundle, in STORAGE */
    struct text storage;
    struct text compiler; /* its path */
    struct text problem;
    struct far_limits limits;
    uint64_t seconds;    /* that all of it may take; 0: any number */
    uint64_t most_input; /* bytes of a bundle's members */
};

/* One compilation may take as much as the machine has, and no more. */
static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static int refuse(const struct run *run, int status)
{
    message("%s", run->problem.data);
    return status;
}

/* What a signal means: the one of the alarm is the time limit. */
static const char *name_end(void)
{
    return signals_caught() == SIGALRM ? "it took too long" : "it was ended by a signal";
}

static int give_up(struct run *run, const char *why)
{
    text_clear(&run->problem);
    text_printf(&run->problem, "the compilation was given up: %s", why);
    return refuse(run, FAR_LIMIT);
}

static bool make_folder(struct run *run)
{
    const char *temporary = getenv("TMPDIR");

    /* An iceccd's TMPDIR is not there in the chroot. */
    if (!temporary || temporary[0] != '/' || access(temporary, W_OK | X_OK) != 0)
        temporary = "/tmp";
    run->fd = folder_claim(temporary, "dtlto-clang");
    if (run->fd < 0)
        text_printf(&run->problem, "cannot make a folder in '%s': %s", temporary, strerror(errno));
    return run->fd >= 0;
}

static int unpack(struct run *run)
{
    const struct bundle_limits limits = {run->most_input, MOST_MEMBERS};
    bool is_input = strcmp(run->command.input, "-") == 0;
    int fd = is_input ? STDIN_FILENO : open(run->command.input, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        text_printf(&run->problem, "cannot open '%s': %s", run->command.input, strerror(errno));
        return refuse(run, FAR_SYSTEM);
    }
    if (!make_folder(run))
        return refuse(run, FAR_SYSTEM);
    bool good = bundle_read(&run->bundle, fd, run->fd, &limits, &run->problem);
    if (!is_input)
        close(fd);
    if (!good && signals_caught())
        return give_up(run, name_end());
    return good ? 0 : refuse(run, run->bundle.has_no_room ? FAR_SYSTEM : FAR_REFUSED);
}

static int find_compiler(struct run *run)
{
    struct text found = {0};
    const struct identity *identity = &run->bundle.identity;
    int status = 0;

    if (!far_compiler_find(identity, &run->compiler, &found)) {
        if (signals_caught()) {
            text_free(&found);
            return give_up(run, name_end());
        }
        text_printf(&run->problem, "the compiler is not here: %.200s (%.200s); found %s",
                    identity->version, identity->target, found.length > 0 ? found.data : "none");
        status = refuse(run, FAR_COMPILER);
    }
    text_free(&found);
    return status;
}

/* Puts the object where it is wanted. */
static bool hand_over(struct run *run)
{
    if (renameat(run->fd, BUNDLE_OBJECT, AT_FDCWD, run->command.output) == 0)
        return true;
    /* Mostly it is wanted on another file system. */
    int from = openat(run->fd, BUNDLE_OBJECT, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool good = from >= 0 && deliver(from, run->command.output);

    if (!good)
        text_printf(&run->problem, "cannot write '%s': %s", run->command.output, strerror(errno));
    if (from >= 0)
        close(from);
    return good;
}

/* What came of the command ARGV. ERROR is the reason where that was not started. */
static int judge(struct run *run, const struct words *argv, int status, int error)
{
    struct text fault = {0};

    if (signals_caught())
        return give_up(run, name_end());
    if (status < 0)
        return give_up(run, strerror(error));
    text_clear(&run->problem);
    if (WIFSIGNALED(status)) {
        text_printf(&run->problem, "the compiler was killed by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
        return refuse(run, FAR_LIMIT);
    }
    if (WEXITSTATUS(status) >= FAR_OTHERS) {
        text_printf(&run->problem, "the compiler ended with status %d", WEXITSTATUS(status));
        return refuse(run, FAR_LIMIT);
    }
    if (WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    bool good = object_check(run->fd, BUNDLE_OBJECT, object_target(argv), &fault);
    if (!good)
        text_printf(&run->problem, "the compiler ended well, but its object %s", fault.data);
    text_free(&fault);
    if (!good)
        return refuse(run, FAR_OBJECT);
    return hand_over(run) ? 0 : refuse(run, FAR_SYSTEM);
}

/* Before anything is run for the bundle. */
static int take_options(struct run *run)
{
    const char *mllvm = getenv("DTLTO_CLANG_MLLVM");

    if (!far_options(&run->bundle, mllvm, &run->options, &run->storage, &run->problem))
        return refuse(run, FAR_REFUSED);
    return 0;
}

static int compile(struct run *run)
{
    /* With CodeView the object has the directory in it, which is another one each time. */
    static const char *const end[] = {
        "-fdebug-compilation-dir=.", "-c", "-o", BUNDLE_OBJECT, "-x", "ir"};
    struct words argv = {0};
    bool is_own = strncmp(run->compiler.data, FAR_FOLDER "/", strlen(FAR_FOLDER) + 1) == 0;

    words_add(&argv, run->compiler.data);
    for (size_t i = 0; i < run->options.count; i++)
        words_add(&argv, run->options.items[i]);
    for (size_t i = 0; i < sizeof end / sizeof *end; i++)
        words_add(&argv, end[i]);
    words_add(&argv, run->bundle.module);
    if (run->bundle.has_index)
        words_add(&argv, "-fthinlto-index=" BUNDLE_INDEX);
    words_add(&argv, NULL);
    int wait_status = far_run(argv.items, folder_path(), is_own ? FAR_FOLDER : NULL, &run->limits);
    int status = judge(run, &argv, wait_status, errno);
    words_free(&argv);
    return status;
}

static bool read_limits(struct run *run)
{
    run->limits = (struct far_limits){physical_memory(), most_output};
    run->seconds = SECONDS;
    run->most_input = most_bytes;
    return setting_read("DTLTO_CLANG_SECONDS", "seconds", &run->seconds) &&
           setting_read("DTLTO_CLANG_MEMORY", "bytes", &run->limits.memory) &&
           setting_read("DTLTO_CLANG_OUTPUT", "bytes", &run->limits.output) &&
           setting_read("DTLTO_CLANG_INPUT", "bytes", &run->most_input);
}

int far_main(int argc, char **argv)
{
    struct run run = {.command = far_command_read(argc, argv), .fd = -1};
    int status = 0;

    if (!run.command.input || !run.command.output) {
        message("expected a command as distccd and iceccd have it, '-c FILE.i -o FILE.o', found "
                "none; dtlto-clang(1) says what this program is for");
        return STATUS_USAGE;
    }
#ifdef HAVE_PRCTL
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (!signals_catch_children())
        return FAR_SYSTEM;
    if (!read_limits(&run))
        return FAR_SYSTEM;
    alarm(run.seconds < INT_MAX ? (unsigned)run.seconds : INT_MAX);
    status = unpack(&run);
    if (status == 0)
        status = take_options(&run);
    if (status == 0)
        status = find_compiler(&run);
    if (status == 0)
        status = compile(&run);
    folder_remove();
    bundle_free(&run.bundle);
    words_free(&run.options);
    text_free(&run.storage);
    text_free(&run.compiler);
    text_free(&run.problem);
    return status;
}

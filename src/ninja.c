#include "ninja.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "memory.h"
#include "process.h"
#include "signals.h"
#include "text.h"

/* Runs PATH --version. Returns true, with the version kept, where that prints one. Otherwise errno
 * is why it could not be run, or 0. */
static bool try_ninja(struct ninja *ninja, const char *path)
{
    const char *argv[] = {path, "--version", NULL};
    struct text output = {0};
    int status = process_output(argv, &output);
    int error = status < 0 ? errno : 0;
    bool good = status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                output.data[0] >= '0' && output.data[0] <= '9';

    if (good) {
        output.data[strcspn(output.data, "\r\n")] = '\0';
        ninja->path = duplicate(path);
        ninja->version = duplicate(output.data);
    }
    text_free(&output);
    errno = error;
    return good;
}

enum status ninja_find(struct ninja *ninja, const char *wanted)
{
    static const char *const names[] = {"ninja", "ninja-build", "samu"};
    const char *source = "--ninja";

    *ninja = (struct ninja){0};
    if (!wanted) {
        source = "$NINJA";
        wanted = getenv("NINJA");
    }
    if (wanted && *wanted) {
        if (try_ninja(ninja, wanted))
            return STATUS_OK;
        int error = errno;
        if (signals_caught())
            return signals_status();
        if (error)
            message_error(error, "cannot run the ninja of %s, '%s'", source, wanted);
        else
            message("the ninja of %s, '%s', prints no version for --version", source, wanted);
        return STATUS_SYSTEM;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (try_ninja(ninja, names[i]))
            return STATUS_OK;
        if (signals_caught())
            return signals_status();
    }
    message("found no ninja that runs: tried ninja, ninja-build and samu in PATH; install one (on "
            "Debian, ninja-build), or name it with --ninja or $NINJA");
    return STATUS_SYSTEM;
}

void ninja_free(struct ninja *ninja)
{
    free(ninja->path);
    free(ninja->version);
    *ninja = (struct ninja){0};
}

void ninja_command(const struct ninja *ninja, const struct options *options, const char *manifest,
                   const char *jobs, struct words *argv)
{
    words_add(argv, ninja->path);
    words_add(argv, "-f");
    words_add(argv, manifest);
    if (jobs) {
        words_add(argv, "-j");
        words_add(argv, jobs);
    }
    if (options->load) {
        words_add(argv, "-l");
        words_add(argv, options->load);
    }
    if (options->keep_going) {
        words_add(argv, "-k");
        words_add(argv, options->keep_going);
    }
    if (options->dry_run)
        words_add(argv, "-n");
    if (options->verbose)
        words_add(argv, "-v");
    words_add(argv, NULL);
    if (options->verbose)
        message("ninja is %s, version %s", ninja->path, ninja->version);
}

/* dtlto-clang: makes one ThinLTO backend compilation look like that of a preprocessed file, which
 * compile farms and compiler caches carry. See dtlto-clang(1).
 *
 * It is called in three ways: by ninja, at home, with --through; by a farm's daemon on the far
 * side, as a compiler (or as "true", to see whether an icecream environment works there); and by a
 * farm's client that does the work at home after all, the same way, but with HOME_JOB in the
 * environment. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "far-check.h"
#include "far.h"
#include "home.h"
#include "identity.h"
#include "message.h"

const char program_name[] = "dtlto-clang";

static void help(void)
{
    fputs("usage: dtlto-clang --through=NAME --inputs=FILE -- COMPILER ARGUMENT ...\n"
          "       dtlto-clang -c FILE.i -o FILE.o\n"
          "       dtlto-clang --check | --help | --version\n"
          "Have a ThinLTO backend compilation run by a compile farm. The templates of\n"
          "dtlto-ninja call it in the first way, at home; the daemons of distcc and\n"
          "icecream in the second, on the far side, where it runs the clang that FILE.i,\n"
          "a bundle, asks for.\n"
          "\n"
          "      --through=NAME  the client: distcc, icecream, ccache, ccache-distcc,\n"
          "                      ccache-icecream\n"
          "      --inputs=FILE   a response file that lists what the compilation reads\n"
          "      --check         say what is right and what is missing on this node\n"
          "  -h, --help          print this\n"
          "  -V, --version       print the version\n"
          "\n"
          "The manual is dtlto-clang(1).\n",
          stdout);
}

/* The value of the option NAME ("--x=") if WORD is that; else a null pointer. */
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] ? word + length : NULL;
}

static int run_at_home(int argc, char **argv)
{
    struct home home = {.self = argv[0]};
    int i = 1;

    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *through = value_of(argv[i], "--through=");
        const char *inputs = value_of(argv[i], "--inputs=");
        if (!through && !inputs) {
            message("expected --through=NAME and --inputs=FILE in front of '--', found '%s'",
                    argv[i]);
            return STATUS_USAGE;
        }
        home.through = through ? through : home.through;
        home.inputs = inputs ? inputs : home.inputs;
    }
    if (!home.through || !home.inputs || i + 1 >= argc) {
        message("expected --through=NAME --inputs=FILE -- COMPILER ARGUMENT ...; --help says more");
        return STATUS_USAGE;
    }
    for (i++; i < argc; i++)
        words_add(&home.command, argv[i]);
    int status = home_main(&home);
    words_free(&home.command);
    return status;
}

/* Whether the program was called by this name. */
static bool is_called(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, name) == 0;
}

static int refuse_home(void)
{
    message("--through: " HOME_VARIABLE
            " is not set; a node of a farm runs no command of a client's "
            "choice");
    return STATUS_USAGE;
}

static int act(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "--help";
    const char *job = getenv(HOME_JOB);

    if (is_called(argv[0], "true"))
        return far_try();
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        help();
    else if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        puts("dtlto-clang " VERSION);
    else if (strcmp(first, "--check") == 0)
        return far_check();
    else if (strcmp(first, "-dumpmachine") == 0)
        return far_print_target();
    else if (value_of(first, "--through=") || value_of(first, "--inputs="))
        return getenv(HOME_VARIABLE) ? run_at_home(argc, argv) : refuse_home();
    else if (job && *job && first[0] == '/' && getenv(HOME_PREFIX))
        return home_prefix(job, getenv(HOME_PREFIX), argc, argv);
    else if (job && *job)
        return home_again(job, argc, argv);
    else
        return far_main(argc, argv);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    int status = act(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout))
        return STATUS_SYSTEM;
    return status;
}

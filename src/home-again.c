/* Where a carrier, or a cache, runs dtlto-clang on this machine in place of the compiler. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PRCTL
#include <sys/prctl.h>
#endif

#include "carrier.h"
#include "far.h"
#include "home-run.h"
#include "home.h"
#include "message.h"
#include "signals.h"
#include "text.h"

/* Says that the compilation runs here, or how it ended; STATUS is -1 while it is not known. */
static void note_here(const char *base, int status)
{
    char *path = home_file(base, HOME_HERE);
    FILE *file = fopen(path, "w");

    if (file && status >= 0)
        fprintf(file, "%d\n", status);
    if (file)
        fclose(file);
    free(path);
}

/* Reads the command that leave_command left; its words are in TEXT. */
static bool read_command(const char *base, struct text *text, struct words *command)
{
    char *path = home_file(base, ".command");
    bool good = text_read_file(text, path) == 0 && text->length > 0;

    if (!good)
        message("the command of a compilation that a carrier gave back is not there: %s", path);
    for (size_t i = 0; good && i < text->length; i += strlen(text->data + i) + 1)
        words_add(command, text->data + i);
    free(path);
    return good;
}

/* Runs COMMAND and puts its object where it is WANTED. Returns its wait status. */
static int run_again(const char *base, struct words *command, const char *wanted)
{
    char *object = home_file(base, ".o");

    words_add(command, NULL);
    note_here(base, -1);
    int status = home_run_in_slot(base, command->items);
    if (status == 0 && strcmp(object, wanted) != 0 && rename(object, wanted) != 0)
        status = STATUS_SYSTEM << 8;
    /* A cache must not keep an object that is none; then it is compiled once more, and judged by
     * dtlto-ninja. */
    if (status == 0 && !home_is_object(wanted, command, NULL))
        status = FAR_OBJECT << 8;
    else
        note_here(base, status);
    free(object);
    return status;
}

/* Where a carrier is given up, so is what it has started. */
static void end_with_parent(void)
{
#ifdef HAVE_PRCTL
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

int home_again(const char *base, int argc, char **argv)
{
    struct far_command wanted = far_command_read(argc, argv);
    struct text text = {0};
    struct words command = {0};
    int status = STATUS_SYSTEM << 8;

    end_with_parent();
    if (!signals_catch_children())
        message_error(errno, "cannot start");
    else if (read_command(base, &text, &command) && wanted.output)
        status = run_again(base, &command, wanted.output);
    text_free(&text);
    words_free(&command);
    return home_end(status);
}

int home_prefix(const char *base, const char *through, int argc, char **argv)
{
    const struct carrier *carrier = carrier_find(through);
    struct far_command wanted = far_command_read(argc, argv);
    struct text text = {0};
    struct words client = {0}, command = {0};
    int status = STATUS_SYSTEM << 8;

    end_with_parent();
    if (carrier && signals_catch_children() && read_command(base, &text, &command)) {
        carrier_prefix(carrier, argv + 1, &client);
        status = home_run(client.items);
        /* What a farm sends back goes into the cache next. */
        if (status == 0 && wanted.output && !home_is_object(wanted.output, &command, NULL))
            status = FAR_OBJECT << 8;
    }
    text_free(&text);
    words_free(&client);
    words_free(&command);
    return home_end(status);
}

/* dtlto-ninja: runs the ThinLTO backend compilations of a link with ninja. See dtlto-ninja(1). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "explain.h"
#include "folder.h"
#include "link.h"
#include "signals.h"

const char program_name[] = "dtlto-ninja";

/* A program started with a standard descriptor closed would take the next file it opens for it. */
static bool hold_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    return fd >= 0 && close(fd) == 0;
}

static enum status act(struct link *link)
{
    const char *wanted = link->options.template ? link->options.template : "local";
    enum status status;

    switch (link->options.action) {
    case HELP:
        options_help();
        return STATUS_OK;
    case SHOW_VERSION:
        puts("dtlto-ninja " VERSION);
        return STATUS_OK;
    case EXPLAIN:
        return explain(link->options.explain, link->options.description);
    case LIST_TEMPLATES:
        return template_list();
    case PRINT_TEMPLATE:
        status = template_load(wanted, &link->template);
        if (status == STATUS_OK)
            fwrite(link->template.content, 1, link->template.length, stdout);
        return status;
    default:
        status = template_load(wanted, &link->template);
        return status == STATUS_OK ? link_perform(link) : status;
    }
}

/* Says that a signal has ended it all; whatever else went wrong came of that. */
static enum status report_signal(void)
{
    if (signals_parent_died())
        message("the program that started the link is gone: ended its backend compilations");
    else
        message("ended by signal %d (%s), with all backend compilations", signals_caught(),
                strsignal(signals_caught()));
    return signals_status();
}

int main(int argc, char **argv)
{
    struct link link = {.began = clock_now()};

    if (!hold_standard_descriptors()) {
        message_error(errno, "cannot start");
        return STATUS_SYSTEM;
    }
    /* Before anything else is opened: a descriptor of ours could be taken for make's. */
    jobserver_open(&link.jobserver);
    if (!signals_catch()) {
        message_error(errno, "cannot start");
        return STATUS_SYSTEM;
    }
    enum status status = options_read(&link.options, argc, argv);
    if (status == STATUS_OK)
        status = act(&link);
    if (status != STATUS_OK && signals_caught())
        status = report_signal();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_error(errno, "cannot write to stdout");
        status = STATUS_SYSTEM;
    }
    folder_remove();
    link_free(&link);
    return (int)status;
}

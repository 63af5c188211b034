#include "farm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "home.h"
#include "identity.h"
#include "memory.h"
#include "note.h"
#include "patience.h"
#include "process.h"
#include "processors.h"
#include "program.h"
#include "quote.h"
#include "record.h"
#include "setting.h"
#include "signals.h"
#include "tally.h"

enum {
    LEAST_JOBS = 20, /* of an icecream farm, whose size nobody tells */
    JOBS_A_PROCESSOR = 4,
};

static const char through[] = "--through=", variable[] = "dtlto_clang";

/* Puts the carrier that the template names into NAME. */
static void find_carrier(struct text *name, const struct template *template)
{
    const char *found = template_find(template, through);

    if (!found)
        return;
    found += strlen(through);
    text_write(name, found, strcspn(found, " \n$"));
}

/* Whether the carrier is NAME, or a cache with that behind it. */
static bool goes_through(const struct farm *farm, const char *name)
{
    return farm->through.length > 0 && strstr(farm->through.data, name);
}

/* Whether the variable at FOUND is the first word of a rule's command. */
static bool begins_command(const struct template *template, const char *found)
{
    static const char name[] = "command";
    const char *start = template->content;

    found -= found > start && found[-1] == '{';
    if (found == start || found[-1] != '$')
        return false;
    found--;
    while (found > start && (found[-1] == ' ' || found[-1] == '='))
        found--;
    return (size_t)(found - start) > strlen(name) &&
           strncmp(found - strlen(name) - 1, " command", strlen(name) + 1) == 0;
}

/* What sets HOME_VARIABLE for dtlto-clang. Where all its uses in the template allow it, that is the
 * shell, which spares each job the start of another program. */
static const char *choose_setter(const struct template *template)
{
    const char *found = template_find(template, variable);

    while (found && begins_command(template, found))
        found = template_find_behind(template, found + strlen(variable), variable);
    return found ? "/usr/bin/env " HOME_VARIABLE "=1 " : HOME_VARIABLE "=1 ";
}

enum status farm_find(struct farm *farm, const struct template *template)
{
    *farm = (struct farm){.is_used = template_find(template, variable) != NULL};
    if (!farm->is_used)
        return STATUS_OK;
    find_carrier(&farm->through, template);
    if (!program_find(&farm->program, "DTLTO_CLANG", "dtlto-clang", PROGRAM_FOLDER)) {
        message("found no dtlto-clang, which the template '%s' needs: it is neither beside this "
                "program nor '%s'",
                template->name, farm->program.data);
        return STATUS_SYSTEM;
    }
    /* Without it dtlto-clang runs no command: on a node anybody can give it arguments. */
    text_puts(&farm->command, choose_setter(template));
    quote_shell(&farm->command, farm->program.data);
    return STATUS_OK;
}

/* Who the compiler is; without an answer each job asks, and then runs here. */
static void tell_identity(const struct common *common)
{
    struct identity identity = {0};

    if (identity_ask(&identity, common->compiler, common_subcommand(common))) {
        char *text = identity_text(&identity);
        setenv("DTLTO_CLANG_IDENTITY", text, 1);
        free(text);
    }
    identity_free(&identity);
}

/* Whether a program that ended with this wait status has printed a line into TEXT; that is all that
 * is left there. */
static bool take_line(int status, struct text *text)
{
    if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return false;
    text->data[strcspn(text->data, "\n")] = '\0';
    return text->data[0] != '\0';
}

/* Has the archive made that icecream wants the compiler in, once for each compiler, and puts its
 * path into ARCHIVE. Returns false after a message that says why there is none. */
static bool make_archive(const struct farm *farm, const struct common *common, bool quiet,
                         struct text *archive)
{
    struct text maker = {0};
    struct words argv = {0};
    bool found = program_find(&maker, "DTLTO_ICECREAM", "icecream-environment", WARM_FOLDER);

    if (!found)
        message("found no icecream-environment: it is neither beside this program nor '%s'; "
                "install dtlto-ninja, or set ICECC_VERSION to an environment archive",
                maker.data);
    words_add(&argv, maker.data);
    if (quiet)
        words_add(&argv, "--quiet");
    words_add(&argv, common->compiler);
    words_add(&argv, farm->program.data);
    if (common_subcommand(common))
        words_add(&argv, common_subcommand(common));
    words_add(&argv, NULL);
    bool made = found && take_line(process_answer(argv.items, archive), archive);
    words_free(&argv);
    text_free(&maker);
    return made;
}

/* Tells icecream's client the archive. With a warning that there is none, all is done here: the
 * client would ask its daemon for one, which takes dtlto-clang for the compiler and cannot make it,
 * for each job. */
static void tell_archive(const struct farm *farm, const struct common *common, bool quiet)
{
    static const char suffix[] = ".zst";
    struct text archive = {0};

    if (getenv("ICECC_VERSION"))
        return;
    if (make_archive(farm, common, quiet, &archive)) {
        size_t length = strlen(archive.data), end = strlen(suffix);
        setenv("ICECC_VERSION", archive.data, 1);
        /* The scheduler then picks workers that can unpack it. */
        if (length > end && strcmp(archive.data + length - end, suffix) == 0)
            setenv("ICECC_ENV_COMPRESSION", "zstd", 0);
    } else if (!signals_caught()) {
        message("warning: icecream gets nothing to do: there is no environment archive for '%s'",
                common->compiler);
        setenv("DTLTO_CLANG_LOCAL", "no environment archive", 1);
    }
    text_free(&archive);
}

/* distcc knows how many its hosts take. */
static void choose_jobs(struct farm *farm)
{
    const char *argv[] = {"distcc", "-j", NULL};
    struct text output = {0};
    long jobs = 0;

    if (goes_through(farm, "distcc")) {
        if (take_line(process_output(argv, &output), &output))
            jobs = strtol(output.data, NULL, 10);
    } else if (goes_through(farm, "icecream")) {
        jobs = (long)JOBS_A_PROCESSOR * processors_available("");
        jobs = jobs < LEAST_JOBS ? LEAST_JOBS : jobs;
    }
    if (jobs > 0)
        snprintf(farm->jobs, sizeof farm->jobs, "%ld", jobs);
    text_free(&output);
}

enum status farm_prepare(struct farm *farm, const struct description *description,
                         const char *folder, size_t slots, const struct options *options)
{
    const struct common *common = description_common(description);
    struct text lost = {0};
    uint64_t seconds = 0;
    char number[32];

    if (!setting_read(PATIENCE_SECONDS, "seconds", &seconds))
        return STATUS_USAGE;
    if (!record_prepare() || !folder_add_file("slots")) {
        message_error(errno, "cannot write to '%s'", folder);
        return STATUS_SYSTEM;
    }
    snprintf(number, sizeof number, "%zu", slots);
    setenv("DTLTO_CLANG_SLOTS", number, 1);
    text_printf(&lost, "%s/lost", folder);
    setenv(PATIENCE_VARIABLE, lost.data, 1);
    text_free(&lost);
    if (options->verbose)
        setenv("DTLTO_CLANG_VERBOSE", "1", 1);
    tell_identity(common);
    if (goes_through(farm, "icecream"))
        tell_archive(farm, common, options->quiet);
    choose_jobs(farm);
    return signals_caught() ? signals_status() : STATUS_OK;
}

void farm_report(const struct farm *farm, const char *folder, size_t jobs)
{
    struct text path = {0}, lines = {0}, report = {0};

    if (!farm->is_used)
        return;
    text_printf(&path, "%s/" NOTE_FILE, folder);
    if (text_read_file(&lines, path.data) == 0) {
        tally_say(&report, lines.data, jobs, farm->through.length > 0 ? farm->through.data : NULL);
        message("%s", report.data);
    }
    text_free(&path);
    text_free(&lines);
    text_free(&report);
}

void farm_free(struct farm *farm)
{
    text_free(&farm->program);
    text_free(&farm->command);
    text_free(&farm->through);
}

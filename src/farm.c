#include "farm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "identity.h"
#include "memory.h"
#include "process.h"
#include "processors.h"
#include "program.h"
#include "quote.h"
#include "signals.h"
#include "tally.h"

enum {
    LEAST_JOBS = 20, /* of an icecream farm, whose size nobody tells */
    JOBS_A_PROCESSOR = 4,
};

static const char through[] = "--through=";

/* Puts the carrier that the template names into NAME. */
static void find_carrier(struct text *name, const char *template)
{
    const char *found = strstr(template, through);

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

enum status farm_find(struct farm *farm, const struct template *template)
{
    *farm = (struct farm){.is_used = strstr(template->content, "dtlto_clang") != NULL};
    if (!farm->is_used)
        return STATUS_OK;
    find_carrier(&farm->through, template->content);
    if (!program_find(&farm->program, "DTLTO_CLANG", "dtlto-clang", PROGRAM_FOLDER)) {
        message("found no dtlto-clang, which the template '%s' needs: it is neither beside this "
                "program nor '%s'",
                template->name, farm->program.data);
        return STATUS_SYSTEM;
    }
    quote_shell(&farm->command, farm->program.data);
    return STATUS_OK;
}

/* Who the compiler is; without an answer each job asks, and then runs here. */
static void tell_identity(const struct common *common)
{
    struct identity identity = {0};
    const char *subcommand =
        common->args.count > 0 && common->args.items[0][0] != '-' ? common->args.items[0] : NULL;

    if (identity_ask(&identity, common->compiler, subcommand)) {
        char *text = identity_text(&identity);
        setenv("DTLTO_CLANG_IDENTITY", text, 1);
        free(text);
    }
    identity_free(&identity);
}

/* Runs a program that prints one line. Returns false where it fails; TEXT is to be freed. */
static bool read_line(const char *const *argv, struct text *text)
{
    int status = process_output(argv, text);

    if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return false;
    text->data[strcspn(text->data, "\n")] = '\0';
    return text->data[0] != '\0';
}

/* icecream wants the compiler in an archive, which is made once for each compiler. */
static void tell_archive(const struct farm *farm, const struct common *common)
{
    struct text maker = {0}, output = {0};

    if (getenv("ICECC_VERSION"))
        return;
    if (!program_find(&maker, "DTLTO_ICECREAM", "icecream-environment", WARM_FOLDER)) {
        message("warning: found no icecream-environment, so nothing goes to the farm: set "
                "ICECC_VERSION to an environment archive, or install dtlto-ninja");
    } else {
        const char *argv[] = {maker.data, common->compiler, farm->program.data, NULL};
        if (read_line(argv, &output))
            setenv("ICECC_VERSION", output.data, 1);
        else
            message("warning: cannot make the environment archive for icecream, so nothing goes to "
                    "the farm: %s",
                    output.length > 0 ? output.data : "icecream-environment does not run");
    }
    text_free(&maker);
    text_free(&output);
}

/* distcc knows how many its hosts take. */
static void choose_jobs(struct farm *farm)
{
    const char *argv[] = {"distcc", "-j", NULL};
    struct text output = {0};
    long jobs = 0;

    if (goes_through(farm, "distcc")) {
        if (read_line(argv, &output))
            jobs = strtol(output.data, NULL, 10);
    } else if (goes_through(farm, "icecream")) {
        jobs = (long)JOBS_A_PROCESSOR * processors_available("");
        jobs = jobs < LEAST_JOBS ? LEAST_JOBS : jobs;
    }
    if (jobs > 0)
        snprintf(farm->jobs, sizeof farm->jobs, "%ld", jobs);
    text_free(&output);
}

/* An empty file in FOLDER. */
static bool make_file(const char *folder, const char *name)
{
    struct text path = {0};

    text_printf(&path, "%s/%s", folder, name);
    FILE *file = fopen(path.data, "w");
    bool good = file && fclose(file) == 0;
    if (!good)
        message_error(errno, "cannot make '%s'", path.data);
    text_free(&path);
    return good;
}

enum status farm_prepare(struct farm *farm, const struct description *description,
                         const char *folder, size_t slots, bool verbose)
{
    const struct common *common = description_common(description);
    char number[32];

    if (!make_file(folder, "where") || !make_file(folder, "slots"))
        return STATUS_SYSTEM;
    snprintf(number, sizeof number, "%zu", slots);
    setenv("DTLTO_CLANG_SLOTS", number, 1);
    if (verbose)
        setenv("DTLTO_CLANG_VERBOSE", "1", 1);
    tell_identity(common);
    if (goes_through(farm, "icecream"))
        tell_archive(farm, common);
    choose_jobs(farm);
    return signals_caught() ? signals_status() : STATUS_OK;
}

void farm_report(const struct farm *farm, const char *folder, size_t jobs)
{
    struct text path = {0}, lines = {0}, report = {0};

    if (!farm->is_used)
        return;
    text_printf(&path, "%s/where", folder);
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

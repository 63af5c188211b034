#include "link-run.h"

#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "memory.h"
#include "outcome.h"
#include "parallel.h"
#include "signals.h"

/* ninja's status lines begin with a mark, by which they are known. */
static void mark_status(void)
{
    const char *status = getenv("NINJA_STATUS");
    struct text marked = {0};

    text_printf(&marked, "%c%s", BLOCKS_MARK, status ? status : "ThinLTO [%f/%t] ");
    setenv("NINJA_STATUS", marked.data, 1);
    text_free(&marked);
}

/* Whether NAME is that of an input or output of the link. */
static bool is_file_name(void *context, const char *name)
{
    const struct link *link = context;
    return paths_find(link->files.paths, name) != NULL;
}

/* What the guard calls, which is given the link. */

static void take_output(void *context, const char *data, size_t length)
{
    struct link *link = context;
    progress_output(&link->progress, data, length);
}

/* In the guard, before ninja and after it. */
static void start_warm(void *context)
{
    struct link *link = context;
    if (link->is_warm)
        warm_start(&link->warm);
}

static void stop_warm(void *context)
{
    struct link *link = context;
    if (link->is_warm)
        warm_stop(&link->warm);
}

static void do_nothing(void *context)
{
    (void)context;
}

/* In the guard, when this program is dead: for a run that compiles nothing. */
static void abandon_folder(void *context)
{
    (void)context;
    folder_remove();
}

/* The same for others. */
static void abandon(void *context)
{
    struct link *link = context;
    files_discard(&link->files);
    jobserver_put_back(&link->jobserver);
    folder_remove();
}

/* With a farm, -j says how many are under way, wherever they are; memory bounds only those at home.
 */
static enum status prepare_farm(struct link *link)
{
    struct options *options = &link->options;

    if (!link->farm.is_used)
        return STATUS_OK;
    size_t slots = parallel_at_home(options, &link->files);
    enum status status = farm_prepare(&link->farm, link->description, link->folder, slots, options);
    if (link->farm.jobs[0] && !options->jobs)
        options->jobs = link->farm.jobs;
    options->memory = NO_MEMORY_LIMIT;
    return status;
}

/* Reads ninja's log, which is empty where ninja has built nothing. A null pointer where a template
 * has another place for it. */
static const struct ninja_log *read_log(struct link *link)
{
    struct text path = {0};

    if (template_find(&link->template, "builddir"))
        return NULL;
    text_printf(&path, "%s/" NINJA_LOG_FILE, link->folder);
    ninja_log_read(&link->log, path.data);
    text_free(&path);
    return &link->log;
}

/* Runs ninja with so many JOBS at a time, as ninja takes them or a null pointer for its own choice.
 */
static enum status run_ninja(struct link *link, const char *jobs, const struct guard_calls *calls)
{
    struct words argv = {0};

    ninja_command(&link->ninja, &link->options, link->manifest.data, jobs, &argv);
    enum status status = guard_run(argv.items, calls, &link->ending);
    words_free(&argv);
    return status;
}

/* Whether the template is one that runs the compiler itself: what another's runs is not known. */
static bool runs_here(const struct link *link)
{
    return !link->template.path && !link->farm.is_used;
}

/* Takes the record of a run that ended with STATUS, and judges it unless that is a failure. */
static enum status judge(struct link *link, const char *jobs, enum status status)
{
    const struct ninja_log *log = read_log(link);
    const struct record_source source = {
        .description = link->description,
        .files = &link->files,
        .progress = &link->progress,
        .ending = &link->ending,
        .log = log,
        .folder = link->folder,
        .slots = jobs,
        /* Without dtlto-warm there are no notes of it. */
        .kind = runs_here(link) ? "here" : NULL,
        .began = link->began,
    };
    const struct run run = {
        .description = link->description,
        .files = &link->files,
        .ending = &link->ending,
        .progress = &link->progress,
        .log = log,
        .kept = link->options.keep,
        .failed = link->failed,
    };

    review_take(&link->review, &source, &link->options);
    if (status == STATUS_OK)
        return outcome_judge(&run);
    files_discard(&link->files);
    return status;
}

static enum status compile(struct link *link)
{
    const struct guard_calls calls = {take_output, start_warm, stop_warm, abandon, link};
    char number[32];

    const char *jobs = parallel_choose(&link->options, &link->ninja, &link->files, &link->jobserver,
                                       number, sizeof number);
    enum status status = run_ninja(link, jobs, &calls);
    jobserver_put_back(&link->jobserver);
    progress_end(&link->progress);
    if (!link->options.quiet)
        farm_report(&link->farm, link->folder, link->files.job_count);
    return judge(link, jobs, status);
}

enum status link_compile(struct link *link)
{
    enum status status = files_clear(&link->files);
    if (status != STATUS_OK)
        return status;
    link->progress = (struct progress){
        .quiet = link->options.quiet,
        .everything = link->options.verbose,
        .with_commands = link->template.path != NULL,
        .fold = {.is_name = is_file_name, .context = link},
    };
    link->failed = allocate(link->files.job_count * sizeof *link->failed);
    memset(link->failed, 0, link->files.job_count * sizeof *link->failed);
    mark_status();
    status = prepare_farm(link);
    if (status == STATUS_OK)
        return compile(link);
    files_discard(&link->files);
    return status;
}

enum status link_show(struct link *link)
{
    const struct guard_calls calls = {take_output, do_nothing, do_nothing, abandon_folder, link};

    link->progress = (struct progress){.quiet = link->options.quiet};
    mark_status();
    enum status status = run_ninja(link, NULL, &calls);
    progress_end(&link->progress);
    if (status == STATUS_OK && link->ending.signal)
        return signals_status();
    if (status == STATUS_OK && link->ending.wait_status != 0) {
        message("ninja cannot say what it would run; what it said is above");
        return STATUS_SYSTEM;
    }
    return status;
}

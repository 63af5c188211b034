/* dtlto-ninja: runs the ThinLTO backend compilations of a link with ninja. See dtlto-ninja(1). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "description.h"
#include "explain.h"
#include "farm.h"
#include "files.h"
#include "folder.h"
#include "guard.h"
#include "jobserver.h"
#include "manifest.h"
#include "memory.h"
#include "message.h"
#include "ninja-log.h"
#include "ninja.h"
#include "options.h"
#include "outcome.h"
#include "parallel.h"
#include "progress.h"
#include "repro.h"
#include "review.h"
#include "signals.h"
#include "template.h"
#include "text.h"
#include "version.h"
#include "warm.h"

const char program_name[] = "dtlto-ninja";

/* Descriptions up to this many bytes give manifests that name all inputs. Ninja reads some 90 MB of
 * such a manifest in a second; on larger ones that would be felt. */
enum { MOST_TO_LIST = 4 << 20 };

/* One link. */
struct link {
    struct options options;
    struct template template;
    struct description *description;
    struct files files;
    struct ninja ninja;
    struct jobserver jobserver;
    struct warm warm;
    struct farm farm;
    struct review review;
    struct ninja_log log;
    int64_t began;        /* when this program was, in microseconds since 1970 */
    bool is_warm;         /* the template's command goes through it */
    bool is_measured;     /* it goes through dtlto-warm in any case, for its notes */
    const char *folder;   /* the private one; a null pointer until it is made */
    struct text manifest; /* where the manifest is */
};

/* A program started with a standard descriptor closed would take the next file it opens for it. */
static bool hold_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    return fd >= 0 && close(fd) == 0;
}

/* Finds out whether the compiler can be kept warm. */
static void look_at_compiler(struct link *link)
{
    if (!template_find(&link->template, "dtlto_warm"))
        return;
    if (link->options.warm != WARM_NEVER)
        link->is_warm = warm_prepare(&link->warm, description_common(link->description)->compiler,
                                     link->folder);
    link->warm.verbose = link->options.verbose;
    if (review_wants_file(&link->options))
        link->is_measured = link->is_warm || warm_measure(&link->warm, link->folder);
}

/* Decides whether it is, now that the number of jobs is known: only when each slot has several jobs
 * does a compiler that has to be loaded first save time, unless the options ask for it. */
static void settle_warm(struct link *link)
{
    const struct options *options = &link->options;
    bool wanted = options->warm == WARM_ALWAYS;
    bool worth_it = link->files.job_count / 2 > parallel_slots(options);

    if (options->warm == WARM_NEVER || (!wanted && !worth_it)) {
        link->is_warm = false;
    } else if (!template_find(&link->template, "dtlto_warm")) {
        if (wanted && options->verbose)
            message("cannot keep the compiler warm: the template '%s' has no $dtlto_warm",
                    link->template.name);
    } else if (link->is_warm && options->verbose) {
        message("keeping the compiler '%s' warm", link->warm.compiler);
    } else if (!link->is_warm && link->warm.is_missing && wanted) {
        message("warning: --warm does nothing: %s", link->warm.problem.data);
    } else if (!link->is_warm && options->verbose) {
        message("cannot keep the compiler '%s' warm: %s", link->warm.compiler,
                link->warm.problem.data);
    }
}

/* What goes in front of the compiler; a null pointer for nothing. */
static const char *through_warm(const struct link *link)
{
    return link->is_warm || link->is_measured ? link->warm.command.data : NULL;
}

/* Writes the manifest, checking every job on the way. */
static enum status write_manifest(struct link *link, const char *builddir)
{
    struct job job = {0};
    enum status status;
    struct manifest_use use = {
        .path = link->manifest.data,
        .builddir = builddir,
        .with_imports = description_size(link->description) <= MOST_TO_LIST,
        .warm = through_warm(link),
        .clang = link->farm.is_used ? link->farm.command.data : NULL,
    };
    struct manifest *manifest =
        manifest_start(&use, link->description, &link->files, &link->template, &status);
    if (!manifest)
        return status;
    while (description_next(link->description, &job, &status)) {
        status = files_add(&link->files, link->description, &job);
        if (status == STATUS_OK)
            status = manifest_add(manifest, &job);
        if (status != STATUS_OK || signals_caught())
            break;
    }
    job_free(&job);
    /* Only a link that has jobs needs a ninja. */
    if (status == STATUS_OK && builddir && link->files.job_count > 0 && !link->ninja.path)
        status = ninja_find(&link->ninja, link->options.ninja);
    if (builddir && status == STATUS_OK)
        settle_warm(link);
    use.warm = through_warm(link);
    if (status == STATUS_OK)
        status = review_check(&link->options, &link->files, link->description);
    bool discard = status != STATUS_OK || signals_caught();
    enum status written = manifest_finish(manifest, discard);
    if (signals_caught())
        return signals_status();
    return status != STATUS_OK ? status : written;
}

/* Makes the private folder, and there lets ninja have a look at a template of somebody's own. */
static enum status prepare(struct link *link)
{
    link->folder = folder_make(link->options.description);
    if (!link->folder)
        return STATUS_SYSTEM;
    if (!link->template.path)
        return STATUS_OK;
    enum status status = ninja_find(&link->ninja, link->options.ninja);
    return status == STATUS_OK ? template_check(&link->template, &link->ninja, link->folder)
                               : status;
}

/* The manifest that --generate writes stands beside the description, unless told otherwise: a
 * "build.ninja" in the current directory may be somebody else's. */
static void name_manifest(struct link *link)
{
    const char *description = link->options.description;
    size_t length = strlen(description);

    if (link->options.output) {
        text_puts(&link->manifest, link->options.output);
        return;
    }
    if (length > 5 && strcmp(description + length - 5, ".json") == 0)
        length -= 5;
    text_write(&link->manifest, description, length);
    text_puts(&link->manifest, ".ninja");
}

/* What is known of a link without running it. */
static void review_unrun(struct link *link)
{
    struct record_source source = {
        .description = link->description, .files = &link->files, .began = link->began};

    review_take(&link->review, &source, &link->options);
    review_write(&link->review, &link->options, link->template.name, STATUS_OK);
}

/* What the calls of the guard are given. */
struct watched {
    struct link *link;
    struct progress progress;
};

static void take_output(void *context, const char *data, size_t length)
{
    struct watched *watched = context;
    progress_output(&watched->progress, data, length);
}

/* Packs the jobs WANTED, or where that is a null pointer all, for another machine. */
static void write_repro(const struct link *link, const bool *wanted)
{
    const struct repro repro = {
        .place = link->options.repro,
        .description = link->description,
        .files = &link->files,
        .wanted = wanted,
        .folder = link->folder,
        .quiet = link->options.quiet,
    };
    repro_write(&repro);
}

/* Packs those that failed, if any did. */
static void write_failed(const struct link *link, const bool *failed)
{
    bool any = false;

    for (size_t i = 0; i < link->files.job_count; i++)
        any |= failed[i];
    if (any)
        write_repro(link, failed);
}

static enum status generate(struct link *link)
{
    enum status status = STATUS_OK;

    if (link->template.path || link->options.repro)
        status = prepare(link);
    if (status == STATUS_OK)
        status = write_manifest(link, NULL);
    if (status == STATUS_OK)
        files_warn(&link->files, link->description);
    if (status == STATUS_OK && link->options.repro)
        write_repro(link, NULL);
    if (status == STATUS_OK)
        review_unrun(link);
    if (status == STATUS_OK && strcmp(link->manifest.data, "-") != 0)
        message("wrote %s; run it with: ninja -f %s", link->manifest.data, link->manifest.data);
    return status;
}

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

/* In the guard, before ninja and after it. */
static void start_warm(void *context)
{
    struct watched *watched = context;
    if (watched->link->is_warm)
        warm_start(&watched->link->warm);
}

static void stop_warm(void *context)
{
    struct watched *watched = context;
    if (watched->link->is_warm)
        warm_stop(&watched->link->warm);
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
    struct watched *watched = context;
    files_discard(&watched->link->files);
    jobserver_put_back(&watched->link->jobserver);
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

static enum status run_ninja(struct link *link)
{
    struct watched watched = {
        .link = link,
        .progress =
            {
                .quiet = link->options.quiet,
                .everything = link->options.verbose,
                .with_commands = link->template.path != NULL,
                .fold = {.is_name = is_file_name, .context = link},
            },
    };
    struct guard_calls calls = {take_output, start_warm, stop_warm, abandon, &watched};
    struct ending ending;
    struct words argv = {0};
    char number[32];

    mark_status();
    enum status status = prepare_farm(link);
    if (status != STATUS_OK) {
        files_discard(&link->files);
        return status;
    }
    const char *jobs = parallel_choose(&link->options, &link->ninja, &link->files, &link->jobserver,
                                       number, sizeof number);
    ninja_command(&link->ninja, &link->options, link->manifest.data, jobs, &argv);
    status = guard_run(argv.items, &calls, &ending);
    jobserver_put_back(&link->jobserver);
    progress_end(&watched.progress);
    if (!link->options.quiet)
        farm_report(&link->farm, link->folder, link->files.job_count);
    const struct ninja_log *log = read_log(link);
    const struct run run = {
        .description = link->description,
        .files = &link->files,
        .ending = &ending,
        .progress = &watched.progress,
        .log = log,
        .kept = link->options.keep,
        .failed = allocate(link->files.job_count * sizeof *run.failed),
    };
    memset(run.failed, 0, link->files.job_count * sizeof *run.failed);
    struct record_source source = {
        .description = link->description,
        .files = &link->files,
        .progress = &watched.progress,
        .ending = &ending,
        .folder = link->folder,
        .log = log,
        .slots = jobs,
        .began = link->began,
    };
    review_take(&link->review, &source, &link->options);
    if (status == STATUS_OK)
        status = outcome_judge(&run);
    else
        files_discard(&link->files);
    if (link->options.repro_failed)
        write_failed(link, run.failed);
    free(run.failed);
    review_write(&link->review, &link->options, link->template.name, status);
    words_free(&argv);
    progress_free(&watched.progress);
    return status;
}

/* Has ninja show what it would run. */
static enum status show(struct link *link)
{
    struct watched watched = {.link = link, .progress = {.quiet = link->options.quiet}};
    struct guard_calls calls = {take_output, do_nothing, do_nothing, abandon_folder, &watched};
    struct ending ending;
    struct words argv = {0};

    mark_status();
    ninja_command(&link->ninja, &link->options, link->manifest.data, NULL, &argv);
    enum status status = guard_run(argv.items, &calls, &ending);
    progress_end(&watched.progress);
    if (status == STATUS_OK && ending.signal)
        status = signals_status();
    else if (status == STATUS_OK && ending.wait_status != 0) {
        message("ninja cannot say what it would run; what it said is above");
        status = STATUS_SYSTEM;
    }
    review_write(&link->review, &link->options, link->template.name, status);
    words_free(&argv);
    progress_free(&watched.progress);
    return status;
}

/* All that comes before the backend compilations; leaves a manifest of at least one job. */
static enum status make_ready(struct link *link)
{
    enum status status = prepare(link);
    if (status != STATUS_OK)
        return status;
    text_printf(&link->manifest, "%s/build.ninja", link->folder);
    if (review_wants_file(&link->options) && !record_prepare(link->folder)) {
        message_error(errno, "cannot write to '%s'", link->folder);
        return STATUS_SYSTEM;
    }
    look_at_compiler(link);
    return write_manifest(link, link->folder);
}

static enum status compile(struct link *link)
{
    enum status status = files_clear(&link->files);
    return status == STATUS_OK ? run_ninja(link) : status;
}

static enum status run(struct link *link)
{
    enum status status = make_ready(link);
    if (status == STATUS_OK && (link->files.job_count == 0 || link->options.dry_run))
        review_unrun(link);
    if (status != STATUS_OK || link->files.job_count == 0)
        return status;
    /* Before anything can go wrong that would end this program. */
    if (link->options.repro && !link->options.repro_failed)
        write_repro(link, NULL);
    if (signals_caught())
        status = signals_status();
    else
        status = link->options.dry_run ? show(link) : compile(link);
    if (link->options.keep) {
        message("kept the manifest and ninja's log in %s", link->folder);
        folder_keep();
    }
    return status;
}

static enum status link_or_generate(struct link *link)
{
    enum status status;

    link->description = description_open(link->options.description, &status);
    if (!link->description)
        return status;
    bool generating = link->options.action == GENERATE;
    if (generating)
        name_manifest(link);
    bool is_file = generating && strcmp(link->manifest.data, "-") != 0;
    status = files_start(&link->files, link->description, link->template.path,
                         is_file ? link->manifest.data : NULL, generating);
    if (status != STATUS_OK)
        return status;
    version_compare(link->description);
    status = farm_find(&link->farm, &link->template);
    if (status != STATUS_OK)
        return status;
    return generating ? generate(link) : run(link);
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
        return status == STATUS_OK ? link_or_generate(link) : status;
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
    template_free(&link.template);
    description_close(link.description);
    files_free(&link.files);
    ninja_free(&link.ninja);
    ninja_log_free(&link.log);
    jobserver_close(&link.jobserver);
    warm_free(&link.warm);
    farm_free(&link.farm);
    review_free(&link.review);
    options_free(&link.options);
    text_free(&link.manifest);
    return (int)status;
}

#include "review.h"

#include <errno.h>
#include <string.h>

#include "headline.h"
#include "processors.h"
#include "replacement.h"
#include "report.h"
#include "signals.h"
#include "trace.h"

enum { FEW_SECONDS = 5, MICROSECONDS = 1000000 };

bool review_wants_file(const struct options *options)
{
    return options->trace || options->report;
}

static const struct path *find_file(const struct files *files, const char *path)
{
    bool is_new;
    return path ? paths_add(files->paths, path, &is_new)->file : NULL;
}

/* A place that an option names. */
struct place {
    const char *option, *path; /* a null pointer: not given */
    bool replaces;             /* what is there, whatever it is; a repro does not */
};

static enum status check_place(const struct place *place, const struct files *files,
                               const struct path *linked)
{
    const struct path *file = find_file(files, place->path);

    if (!file || (!(file->is_input && place->replaces) && !file->is_output && file != linked))
        return STATUS_OK;
    message("%s: expected a file of its own, found %s of this link: '%s'", place->option,
            file->is_input ? "an input" : "an output", place->path);
    return STATUS_USAGE;
}

static enum status check_two(const struct place *a, const struct place *b,
                             const struct files *files)
{
    if (!a->path || !b->path || find_file(files, a->path) != find_file(files, b->path))
        return STATUS_OK;
    message("%s and %s: expected two places, found '%s' for both", a->option, b->option, b->path);
    return STATUS_USAGE;
}

enum status review_check(const struct options *options, const struct files *files,
                         const struct description *description)
{
    const struct place places[] = {
        {"--trace", options->trace, true},
        {"--report", options->report, true},
        {"--repro", options->repro, false},
    };
    const struct path *linked = find_file(files, description_common(description)->linker_output);
    enum status status = STATUS_OK;

    for (size_t i = 0; i < sizeof places / sizeof *places && status == STATUS_OK; i++) {
        status = check_place(&places[i], files, linked);
        for (size_t j = 0; j < i && status == STATUS_OK; j++)
            status = check_two(&places[j], &places[i], files);
    }
    return status;
}

static void say_headline(struct review *review)
{
    struct text line = {0};
    struct job job = {0};
    const char *slowest = NULL;
    size_t index;

    if (record_slowest(&review->record, &index) &&
        description_reread(review->source.description, review->source.files->offsets[index], index,
                           &job) == STATUS_OK)
        slowest = job_module(&job);
    headline_say(&line, &review->record, (size_t)processors_available(""), slowest);
    message("%s", line.data);
    job_free(&job);
    text_free(&line);
}

void review_take(struct review *review, const struct record_source *source,
                 const struct options *options)
{
    bool ran = source->ending && source->ending->known && !signals_caught();
    bool was_long =
        ran && source->ending->ended - source->began > (int64_t)FEW_SECONDS * MICROSECONDS;
    bool says = ran && !options->quiet && (was_long || options->verbose);

    if (signals_caught() || (!says && !review_wants_file(options)))
        return;
    review->source =
        (struct record_source){.description = source->description, .files = source->files};
    record_take(&review->record, source);
    if (says)
        say_headline(review);
    if (review_wants_file(options))
        review->is_described = record_describe(&review->record, source);
}

static bool write_trace(FILE *file, const struct report *report, const struct record_source *source)
{
    (void)source;
    trace_write(file, report->record);
    return true;
}

/* Opens the file, has it written and puts it in its place. */
static void write_one(const char *option, const char *path, const struct report *report,
                      const struct record_source *source,
                      bool (*write)(FILE *, const struct report *, const struct record_source *))
{
    struct replacement file;
    bool good = replacement_open(&file, path);

    if (good) {
        errno = 0;
        bool whole = write(file.file, report, source);
        good = replacement_finish(&file, !whole);
    }
    if (!good)
        message_error(errno, "warning: %s: cannot write '%s'", option, path);
}

void review_write(const struct review *review, const struct options *options, const char *template,
                  enum status status)
{
    struct report report = {
        .record = &review->record,
        .template = template,
        .status = (int)status,
        .processors = (size_t)processors_available(""),
    };

    if (!review->is_described || signals_caught())
        return;
    if (options->trace)
        write_one("--trace", options->trace, &report, &review->source, write_trace);
    if (options->report)
        write_one("--report", options->report, &report, &review->source, report_write);
}

void review_free(struct review *review)
{
    record_free(&review->record);
}

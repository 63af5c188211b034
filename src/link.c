#include "link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "link-run.h"
#include "manifest.h"
#include "parallel.h"
#include "repro.h"
#include "signals.h"
#include "version.h"

/* Descriptions up to this many bytes give manifests that name all inputs. Ninja reads some 90 MB of
 * such a manifest in a second; on larger ones that would be felt. */
enum { MOST_TO_LIST = 4 << 20 };

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

/* Takes what is known of a link without running it. */
static void take_unrun(struct link *link)
{
    struct record_source source = {
        .description = link->description, .files = &link->files, .began = link->began};

    review_take(&link->review, &source, &link->options);
}

static void write_review(const struct link *link, enum status status)
{
    review_write(&link->review, &link->options, link->template.name, status);
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
static void write_failed(const struct link *link)
{
    bool any = false;

    for (size_t i = 0; link->failed && i < link->files.job_count; i++)
        any |= link->failed[i];
    if (any)
        write_repro(link, link->failed);
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
    if (status == STATUS_OK) {
        take_unrun(link);
        write_review(link, STATUS_OK);
    }
    if (status == STATUS_OK && strcmp(link->manifest.data, "-") != 0)
        message("wrote %s; run it with: ninja -f %s", link->manifest.data, link->manifest.data);
    return status;
}

/* All that comes before the backend compilations; leaves a manifest of at least one job. */
static enum status make_ready(struct link *link)
{
    enum status status = prepare(link);
    if (status != STATUS_OK)
        return status;
    text_printf(&link->manifest, "%s/build.ninja", link->folder);
    if (review_wants_file(&link->options) && !record_prepare()) {
        message_error(errno, "cannot write to '%s'", link->folder);
        return STATUS_SYSTEM;
    }
    look_at_compiler(link);
    return write_manifest(link, link->folder);
}

/* Has ninja run the jobs of a link that is ready, or show them. */
static enum status run_jobs(struct link *link)
{
    enum status status;

    /* Before anything can go wrong that would end this program. */
    if (link->options.repro && !link->options.repro_failed)
        write_repro(link, NULL);
    if (signals_caught())
        status = signals_status();
    else if (link->options.dry_run)
        status = link_show(link);
    else
        status = link_compile(link);
    if (link->options.repro_failed)
        write_failed(link);
    return status;
}

static enum status run(struct link *link)
{
    enum status status = make_ready(link);
    bool has_jobs = link->files.job_count > 0;

    if (status != STATUS_OK)
        return status;
    if (!has_jobs || link->options.dry_run)
        take_unrun(link);
    if (has_jobs)
        status = run_jobs(link);
    write_review(link, status);
    if (has_jobs && link->options.keep) {
        message("kept the manifest%s in %s", link->options.dry_run ? "" : " and ninja's log",
                link->folder);
        folder_keep();
    }
    return status;
}

enum status link_perform(struct link *link)
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

void link_free(struct link *link)
{
    template_free(&link->template);
    description_close(link->description);
    files_free(&link->files);
    ninja_free(&link->ninja);
    jobserver_close(&link->jobserver);
    warm_free(&link->warm);
    farm_free(&link->farm);
    progress_free(&link->progress);
    ninja_log_free(&link->log);
    free(link->failed);
    review_free(&link->review);
    options_free(&link->options);
    text_free(&link->manifest);
}

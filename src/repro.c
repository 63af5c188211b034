#include "repro.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "message.h"
#include "process.h"
#include "quote.h"
#include "repro-names.h"
#include "repro-sink.h"
#include "repro-text.h"
#include "shard.h"
#include "signals.h"

/* A repro that is written. */
struct writing {
    const struct repro *repro;
    struct repro_names names;
    struct sink sink;
    struct repro_facts facts;
    struct text first_missing;
};

static bool is_wanted(const struct repro *repro, size_t job)
{
    return !repro->wanted || repro->wanted[job];
}

/* Collects the jobs, in the order in which they shall start, and their inputs. */
static bool collect(struct writing *w)
{
    const struct repro *repro = w->repro;
    struct job job = {0};
    bool good = true;

    names_add_common(&w->names, description_common(repro->description));
    w->facts.jobs = allocate((repro->files->job_count + 1) * sizeof *w->facts.jobs);
    for (size_t i = 0; i < repro->files->job_count && good; i++) {
        if (!is_wanted(repro, i))
            continue;
        good =
            description_reread(repro->description, repro->files->offsets[i], i, &job) == STATUS_OK;
        if (good)
            names_add_job(&w->names, &job);
        w->facts.jobs[w->facts.job_count++] =
            (struct repro_job){i, repro->files->weights[i].module, repro->files->offsets[i]};
    }
    job_free(&job);
    repro_text_sort(&w->facts);
    return good;
}

/* For shard_rewrite: the module's name in the repro. */
static bool rename_module(void *context, const char *path, size_t length, struct text *name)
{
    const struct repro_file *file = names_find(context, path);

    (void)length;
    if (!file)
        return false;
    text_puts(name, file->name);
    return true;
}

/* Puts the shard, as the repro has it, into OUT. Returns why it cannot be rewritten, a null pointer
 * where it can. One that cannot be read is no reason. */
static const char *rewrite(struct writing *w, const struct repro_file *file, struct text *out)
{
    struct text shard = {0};

    text_clear(&shard);
    text_clear(out);
    if (text_read_file(&shard, file->path) != 0)
        text_clear(&shard);
    const char *problem = shard_rewrite(shard.data, shard.length, rename_module, &w->names, out);
    text_free(&shard);
    return problem;
}

/* Decides on the names: where an index shard cannot be rewritten modules must keep theirs. */
static void choose_names(struct writing *w)
{
    struct text shard = {0};
    const char *problem = NULL;

    names_make(&w->names, false);
    for (size_t i = 0; i < w->names.count && !problem; i++) {
        const struct repro_file *file = w->names.files[i];
        if (file->kind != REPRO_SHARD || file->is_in_place)
            continue;
        problem = rewrite(w, file, &shard);
        if (problem)
            text_printf(&w->facts.tree_reason, "%s: %s", file->path, problem);
    }
    text_free(&shard);
    if (!problem || names_make(&w->names, true))
        return;
    names_make(&w->names, false);
    w->facts.is_broken = true;
    message("warning: the repro will not make all objects: the index shard '%s', and its modules "
            "have no relative paths that they could keep",
            w->facts.tree_reason.data);
}

/* Notes that an input is not in the repro. */
static void note_missing(struct writing *w, const char *path)
{
    if (w->facts.missing_count++ == 0)
        text_puts(&w->first_missing, w->sink.problem.data);
    if (w->facts.missing_count <= REPRO_MOST_MISSING)
        text_printf(&w->facts.missing, "  %s\n", path);
}

static bool add_file(struct writing *w, const struct repro_file *file)
{
    struct text name = {0};
    bool is_missing = false;

    names_from_top(&w->names, &name, file->name);
    bool good = sink_copy(&w->sink, name.data, file->path, &is_missing);
    if (is_missing) {
        note_missing(w, file->path);
        good = true;
    }
    text_free(&name);
    return good;
}

/* An index shard with the names of the repro in it; or as it is where that cannot be. */
static bool add_shard(struct writing *w, const struct repro_file *file)
{
    struct text shard = {0}, name = {0};

    if (w->names.in_tree || access(file->path, R_OK) != 0 || rewrite(w, file, &shard)) {
        text_free(&shard);
        return add_file(w, file);
    }
    names_from_top(&w->names, &name, file->name);
    bool good = sink_text(&w->sink, name.data, &shard);
    text_free(&shard);
    text_free(&name);
    return good;
}

static bool add_inputs(struct writing *w)
{
    bool good = true;

    for (size_t i = 0; i < w->names.count && good; i++) {
        const struct repro_file *file = w->names.files[i];
        if (signals_caught())
            return false;
        if (!file->is_in_place)
            good = file->kind == REPRO_SHARD ? add_shard(w, file) : add_file(w, file);
    }
    return good;
}

/* A text that may be large: it is written to a file first. */
static bool add_large(struct writing *w, const char *name,
                      bool (*print)(FILE *file, const struct repro_facts *facts))
{
    struct text path = {0};
    bool is_missing;

    text_printf(&path, "%s/repro.tmp", w->repro->folder);
    FILE *file = fopen(path.data, "w");
    bool good = file && print(file, &w->facts);
    if (file)
        good = fclose(file) == 0 && good;
    if (good) {
        good = sink_copy(&w->sink, name, path.data, &is_missing);
    } else {
        text_clear(&w->sink.problem);
        text_printf(&w->sink.problem, "%s: %s", path.data, strerror(errno));
    }
    unlink(path.data);
    text_free(&path);
    return good;
}

/* What the compiler says of itself. */
static void ask_compiler(struct writing *w)
{
    const struct common *common = description_common(w->repro->description);
    const char *argv[4] = {common->compiler};
    size_t count = 1;

    if (common_subcommand(common))
        argv[count++] = common_subcommand(common);
    argv[count] = "--version";
    if (process_output(argv, &w->facts.version) != 0 || w->facts.version.length == 0) {
        text_clear(&w->facts.version);
        text_puts(&w->facts.version, "it could not be run\n");
    }
}

static bool write_all_files(struct writing *w)
{
    struct text readme = {0};
    bool good = add_large(w, REPRO_MANIFEST, repro_text_manifest) &&
                add_large(w, w->names.in_tree ? "tree/description.json" : "description.json",
                          repro_text_description) &&
                add_large(w, "names", repro_text_names) &&
                sink_text(&w->sink, "compiler", &w->facts.version) && add_inputs(w);
    /* dtlto-ninja wants the folder to be there; ninja makes it. */
    text_puts(&readme, "The objects come here.\n");
    good = good && sink_text(&w->sink, "objects/README", &readme);
    text_clear(&readme);
    if (good) {
        repro_text_readme(&readme, &w->facts);
        good = sink_text(&w->sink, "README", &readme);
    }
    text_free(&readme);
    return good;
}

static void report(const struct writing *w, bool good)
{
    const struct repro *repro = w->repro;
    struct text place = {0};

    if (signals_caught())
        return;
    quote_shell(&place, repro->place);
    if (good && w->facts.missing_count > 0)
        message("warning: the repro lacks %zu input%s that cannot be read; the first is %s",
                w->facts.missing_count, w->facts.missing_count == 1 ? "" : "s",
                w->first_missing.data);
    if (!good)
        message("warning: no repro was made in '%s': %s", repro->place, w->sink.problem.data);
    else if (!repro->quiet && sink_is_tar(repro->place))
        message("wrote a repro of %zu backend compilation%s: %s; unpack it, and run ninja in it",
                w->facts.job_count, w->facts.job_count == 1 ? "" : "s", repro->place);
    else if (!repro->quiet)
        message("wrote a repro of %zu backend compilation%s; run it with: ninja -C %s",
                w->facts.job_count, w->facts.job_count == 1 ? "" : "s", place.data);
    text_free(&place);
}

void repro_write(const struct repro *repro)
{
    struct writing w = {.repro = repro};

    w.facts.description = repro->description;
    w.facts.names = &w.names;
    w.facts.is_partial = repro->wanted != NULL;
    text_puts(&w.facts.missing, "");
    if (collect(&w)) {
        choose_names(&w);
        ask_compiler(&w);
        bool good = sink_start(&w.sink, repro->place) && write_all_files(&w);
        good = sink_end(&w.sink, good);
        report(&w, good);
    }
    names_free(&w.names);
    text_free(&w.sink.problem);
    text_free(&w.first_missing);
    repro_text_free(&w.facts);
}

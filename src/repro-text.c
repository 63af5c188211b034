#include "repro-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quote.h"
#include "repro-sink.h"

enum {
    MOST_WORDS = 20,    /* that are named in the README */
    MOST_NUMBERED = 20, /* likewise, modules */
    /* Of a description up to this many bytes all inputs are in the edges, as in the manifest of a
     * link; ninja does not need the modules that are imported from. */
    MOST_TO_LIST = 4 << 20,
};

static int compare_jobs(const void *a, const void *b)
{
    const struct repro_job *left = a, *right = b;

    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static int compare_indexes(const void *a, const void *b)
{
    const struct repro_job *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

void repro_text_sort(struct repro_facts *facts)
{
    qsort(facts->jobs, facts->job_count, sizeof *facts->jobs, compare_jobs);
}

static bool write_out(FILE *file, const struct text *text)
{
    return fwrite(text->data, 1, text->length, file) == text->length;
}

/* The words of JOB, or those that all jobs share, for the shell. */
static void add_words(struct text *out, const struct repro_facts *facts, const struct job *job)
{
    const struct words *words = job ? &job->args : &description_common(facts->description)->args;
    struct text word = {0};

    for (size_t i = 0; i < words->count; i++) {
        text_clear(&word);
        names_word(facts->names, &word, job, words->items[i]);
        text_puts(out, i > 0 ? " " : "");
        quote_shell(out, word.data);
    }
    text_free(&word);
}

/* "NAME = VALUE", where VALUE is quoted for the shell. */
static void add_setting(struct text *out, const char *name, const struct text *value)
{
    text_printf(out, "%s = ", name);
    quote_value(out, value->length > 0 ? value->data : "");
    text_putc(out, '\n');
}

/* Appends the compiler by a path that holds in any directory. */
static void add_compiler(struct text *out, const struct repro_facts *facts)
{
    const char *compiler = description_common(facts->description)->compiler;
    char *here = compiler[0] != '/' && strchr(compiler, '/') ? getcwd(NULL, 0) : NULL;

    text_printf(out, "%s%s%s", here ? here : "", here ? "/" : "", compiler);
    free(here);
}

static void add_head(struct text *out, const struct repro_facts *facts)
{
    struct text value = {0}, compiler = {0};

    text_puts(out, REPRO_HEAD "\n# See README. Written by dtlto-ninja " VERSION ".\n\n");
    text_puts(out, "# Another compiler may stand here; the file \"compiler\" has this one's "
                   "version.\n");
    add_compiler(&compiler, facts);
    quote_command(&value, compiler.data);
    text_free(&compiler);
    add_setting(out, "compiler", &value);
    text_clear(&value);
    add_words(&value, facts, NULL);
    add_setting(out, "common_args", &value);
    text_printf(out,
                "\nrule backend\n  command = %s$compiler $common_args $args\n"
                "  description = $module\n\n",
                facts->names->in_tree ? "cd tree && " : "");
    text_free(&value);
}

static void add_path(struct text *out, const struct repro_facts *facts, const char *name)
{
    struct text path = {0};

    names_from_top(facts->names, &path, name);
    quote_path(out, path.data);
    text_free(&path);
}

static void add_outputs(struct text *out, const struct repro_facts *facts, const struct job *job)
{
    struct text name = {0};

    for (size_t i = 0; i < job->outputs.count; i++) {
        text_clear(&name);
        names_output(facts->names, &name, job, i);
        text_putc(out, ' ');
        add_path(out, facts, name.data);
    }
    text_free(&name);
}

static void add_edge(struct text *out, const struct repro_facts *facts, const struct job *job)
{
    const struct words *common = &description_common(facts->description)->inputs;
    bool with_imports = description_size(facts->description) <= MOST_TO_LIST;
    struct text value = {0};

    text_puts(out, "build");
    add_outputs(out, facts, job);
    text_puts(out, ": backend");
    for (size_t i = 0; i < job->inputs.count && (i < 2 || with_imports); i++) {
        text_puts(out, i == 1 ? " | " : " ");
        add_path(out, facts, names_find(facts->names, job->inputs.items[i])->name);
    }
    for (size_t i = 0; i < common->count; i++) {
        text_puts(out, i == 0 && job->inputs.count < 2 ? " | " : " ");
        add_path(out, facts, names_find(facts->names, common->items[i])->name);
    }
    text_putc(out, '\n');
    add_words(&value, facts, job);
    add_setting(out, "  args", &value);
    text_clear(&value);
    quote_shell(&value, job_module(job));
    add_setting(out, "  module", &value);
    text_putc(out, '\n');
    text_free(&value);
}

static void add_json_job(struct text *out, const struct repro_facts *facts, const struct job *job);

/* Calls PRINT for each job and writes what it makes. */
static bool each_job(FILE *file, const struct repro_facts *facts,
                     void (*print)(struct text *out, const struct repro_facts *facts,
                                   const struct job *job))
{
    struct text out = {0};
    struct job job = {0};
    bool good = true;

    for (size_t i = 0; i < facts->job_count && good; i++) {
        const struct repro_job *place = &facts->jobs[i];
        text_clear(&out);
        good =
            description_reread(facts->description, place->offset, place->index, &job) == STATUS_OK;
        errno = good ? errno : EIO;
        if (good) {
            text_puts(&out, print == add_json_job && i > 0 ? ",\n" : "");
            print(&out, facts, &job);
            good = write_out(file, &out);
        }
    }
    job_free(&job);
    text_free(&out);
    return good;
}

bool repro_text_manifest(FILE *file, const struct repro_facts *facts)
{
    struct text head = {0};

    add_head(&head, facts);
    bool good = write_out(file, &head) && each_job(file, facts, add_edge);
    text_free(&head);
    return good;
}

static void add_json(struct text *out, const char *string)
{
    text_putc(out, '"');
    for (const char *c = string; *c; c++) {
        if ((unsigned char)*c < ' ') {
            text_printf(out, "\\u%04x", (unsigned)*c);
            continue;
        }
        if (*c == '"' || *c == '\\')
            text_putc(out, '\\');
        text_putc(out, *c);
    }
    text_putc(out, '"');
}

/* `"KEY":[...]`, with the words of a command as the repro has them. */
static void add_json_words(struct text *out, const struct repro_facts *facts, const char *key,
                           const struct job *job, const struct words *words, const char *first)
{
    struct text word = {0};

    text_printf(out, "\"%s\":[", key);
    if (first)
        add_json(out, first);
    for (size_t i = 0; i < words->count; i++) {
        text_clear(&word);
        names_word(facts->names, &word, job, words->items[i]);
        text_puts(out, i > 0 || first ? "," : "");
        add_json(out, word.data);
    }
    text_putc(out, ']');
    text_free(&word);
}

static void add_json_job(struct text *out, const struct repro_facts *facts, const struct job *job)
{
    text_putc(out, '{');
    add_json_words(out, facts, "args", job, &job->args, NULL);
    text_putc(out, ',');
    add_json_words(out, facts, "inputs", job, &job->inputs, NULL);
    text_putc(out, ',');
    add_json_words(out, facts, "outputs", job, &job->outputs, NULL);
    text_putc(out, '}');
}

bool repro_text_description(FILE *file, const struct repro_facts *facts)
{
    const struct common *common = description_common(facts->description);
    struct repro_facts sorted = *facts;
    struct text head = {0}, compiler = {0};

    add_compiler(&compiler, facts);
    /* In the order of the description that the jobs are from. */
    qsort(sorted.jobs, sorted.job_count, sizeof *sorted.jobs, compare_indexes);
    text_puts(&head, "{\"common\":{\"linker_output\":");
    add_json(&head, common->linker_output);
    text_putc(&head, ',');
    add_json_words(&head, facts, "args", NULL, &common->args, compiler.data);
    text_putc(&head, ',');
    add_json_words(&head, facts, "inputs", NULL, &common->inputs, NULL);
    text_puts(&head, "},\"jobs\":[\n");
    text_free(&compiler);
    bool good =
        write_out(file, &head) && each_job(file, &sorted, add_json_job) && fputs("]}\n", file) >= 0;
    qsort(sorted.jobs, sorted.job_count, sizeof *sorted.jobs, compare_jobs);
    text_free(&head);
    return good;
}

/* PATH without control characters: they would look like more lines, or more words. */
static void add_visible(struct text *out, const char *path)
{
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == '\\')
            text_printf(out, "\\%03o", (unsigned)*c);
        else
            text_putc(out, *c);
    }
}

static void add_name(struct text *out, const struct repro_facts *facts, const char *name,
                     const char *path)
{
    names_from_top(facts->names, out, name);
    text_putc(out, '\t');
    add_visible(out, path);
    text_putc(out, '\n');
}

static void add_output_names(struct text *out, const struct repro_facts *facts,
                             const struct job *job)
{
    struct text name = {0};

    for (size_t i = 0; i < job->outputs.count; i++) {
        text_clear(&name);
        names_output(facts->names, &name, job, i);
        add_name(out, facts, name.data, job->outputs.items[i]);
    }
    text_free(&name);
}

bool repro_text_names(FILE *file, const struct repro_facts *facts)
{
    const struct repro_names *names = facts->names;
    struct text line = {0};
    bool good = true;

    for (size_t i = 0; i < names->count && good; i++) {
        text_clear(&line);
        add_name(&line, facts, names->files[i]->name, names->files[i]->path);
        good = write_out(file, &line);
    }
    text_free(&line);
    return good && each_job(file, facts, add_output_names);
}

/* The words that name files which are in the repro's inputs, nor made by it. */
static void add_strangers(struct text *out, const struct repro_facts *facts)
{
    const struct words *words = &description_common(facts->description)->args;
    struct text word = {0};
    size_t count = 0;

    for (size_t i = 0; i < words->count && count < MOST_WORDS; i++) {
        text_clear(&word);
        if (names_word(facts->names, &word, NULL, words->items[i]))
            continue;
        if (count++ == 0)
            text_puts(out, "\nThese words of the command may name files that are not in here:\n");
        text_puts(out, "  ");
        add_visible(out, words->items[i]);
        text_putc(out, '\n');
    }
    text_free(&word);
}

static void add_failed(struct text *out, const struct repro_facts *facts)
{
    struct job job = {0};

    text_puts(out, "\nThese modules failed, and nothing else is in here:\n");
    for (size_t i = 0; i < facts->job_count && i < MOST_NUMBERED; i++) {
        const struct repro_job *place = &facts->jobs[i];
        if (description_reread(facts->description, place->offset, place->index, &job) != STATUS_OK)
            break;
        text_puts(out, "  ");
        add_visible(out, job_module(&job));
        text_putc(out, '\n');
    }
    if (facts->job_count > MOST_NUMBERED)
        text_printf(out, "  and %zu more\n", facts->job_count - MOST_NUMBERED);
    job_free(&job);
}

static void add_missing(struct text *out, const struct repro_facts *facts)
{
    if (facts->missing_count == 0)
        return;
    text_puts(out, "\nThese inputs could not be read, and are not in here:\n");
    text_puts(out, facts->missing.data);
    if (facts->missing_count > REPRO_MOST_MISSING)
        text_printf(out, "  and %zu more\n", facts->missing_count - REPRO_MOST_MISSING);
}

static void add_shards(struct text *out, const struct repro_facts *facts)
{
    if (facts->is_broken)
        text_puts(out,
                  "\nAn index shard could not be rewritten, and its modules had no relative paths "
                  "that they\ncould keep. It names modules that are not in here, and its object "
                  "will be empty or wrong:\n");
    else if (facts->names->in_tree)
        text_puts(out, "\nModules have the paths of the link, in the folder tree, since an index "
                       "shard could not be\nrewritten:\n");
    else
        text_puts(
            out, "\nThe index shards were rewritten: they name the modules as these are called "
                 "here. Nothing else in\nthem is changed, and neither are the modules. The names "
                 "sort as the old ones did, since the\norder of imports depends on it. So the "
                 "objects are the same, byte for byte, as those of the link;\nbut for COFF objects "
                 "with CodeView, which hold the command line.\n");
    if (facts->tree_reason.length > 0) {
        text_puts(out, "  ");
        add_visible(out, facts->tree_reason.data);
        text_putc(out, '\n');
    }
}

void repro_text_readme(struct text *out, const struct repro_facts *facts)
{
    text_puts(out, "The ThinLTO backend compilations of one link, to be run again without the "
                   "linker and the sources.\nWritten by dtlto-ninja " VERSION ".\n\n  link of:  ");
    add_visible(out, description_common(facts->description)->linker_output);
    text_printf(out, "\n  modules:  %zu\n  compiler: ", facts->job_count);
    add_visible(out, description_common(facts->description)->compiler);
    text_printf(out, "\n            %.*s\n", (int)strcspn(facts->version.data, "\n"),
                facts->version.data);
    text_puts(
        out,
        "\nTo run it, in this folder:\n\n"
        "  ninja                           compiles all; with -k 0 it goes on after a failure\n"
        "  ninja -t commands               shows the commands\n"
        "  dtlto-ninja --explain=MODULE .  shows what one of them reads\n\n"
        "The objects are then in the folder objects. Another compiler, or another path to it, "
        "goes into the\nline \"compiler = \" of build.ninja. ninja does not look for empty "
        "objects, which clang leaves after\nsome failures, with status 0: find objects "
        "-empty.\n\n"
        "The file names has what each file was called in the link, compiler what the "
        "compiler says of itself.\n");
    if (facts->is_partial)
        add_failed(out, facts);
    add_shards(out, facts);
    add_missing(out, facts);
    add_strangers(out, facts);
}

void repro_text_free(struct repro_facts *facts)
{
    free(facts->jobs);
    text_free(&facts->tree_reason);
    text_free(&facts->missing);
    text_free(&facts->version);
}

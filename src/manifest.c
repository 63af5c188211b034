#include "manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command-form.h"
#include "edge.h"
#include "memory.h"
#include "quote.h"
#include "replacement.h"

/* The longest command: ninja gives it to /bin/sh as one argument, and Linux takes no argument of
 * more than MAX_ARG_STRLEN bytes, 131072 with the NUL (include/uapi/linux/binfmts.h). Other systems
 * bound only all arguments together, and not more tightly. */
enum { LONGEST_COMMAND = 131071 };

static const char common_inputs_name[] = "dtlto-ninja:common-inputs";

/* An edge in the text of all edges. */
struct edge {
    size_t start, length;
    off_t cost;   /* the larger, the earlier it should start */
    size_t index; /* of its job */
};

struct manifest {
    const struct manifest_use *use;
    const char *path; /* for people; of the file, if it is one */
    bool is_file;     /* else it goes to stdout, from a file without a name once it is complete */
    struct replacement replacement;
    FILE *file;
    const struct description *description;
    const struct files *files;
    const struct template *template;
    struct text common_args;                      /* shell words */
    struct command_form form;                     /* of the template's command */
    size_t compiler_length, linker_output_length; /* as shell words */
    bool has_common_inputs;                       /* some that ninja can be told */
    struct text words, module;                    /* for one edge at a time */
    struct text inputs_file;                      /* and, where the template uses it, this */
    struct text out; /* all that stands before the edges, and these in the order of the jobs */
    size_t warm_at, opening; /* where dtlto_warm comes in, and where the edges begin */
    struct edge *edges;      /* owned */
    size_t edge_count, edge_room;
};

static enum status write_failed(const struct manifest *m)
{
    message_error(errno, "cannot write '%s'", m->path);
    return STATUS_SYSTEM;
}

/* Opens the file, under another name where one is to be replaced in the end. */
static bool open_file(struct manifest *m)
{
    if (strcmp(m->path, "-") == 0) {
        m->path = "stdout";
        m->file = tmpfile();
        return m->file != NULL;
    }
    m->is_file = replacement_open(&m->replacement, m->path);
    m->file = m->replacement.file;
    return m->is_file;
}

/* "NAME = VALUE", where VALUE is what ninja shall see. */
static void add_variable(struct text *out, const char *indent, const char *name, const char *value)
{
    text_printf(out, "%s%s =", indent, name);
    if (*value) {
        text_putc(out, ' ');
        quote_value(out, value);
    }
    text_putc(out, '\n');
}

static void add_quoted_variable(struct manifest *m, const char *indent, const char *name,
                                const char *value)
{
    text_clear(&m->words);
    quote_shell(&m->words, value);
    add_variable(&m->out, indent, name, m->words.data);
}

/* A comment cannot hold a newline, which a file name can; quote_shell leaves none. */
static void add_comment(struct manifest *m, const char *label, const char *value)
{
    text_printf(&m->out, "#   %-12s ", label);
    quote_shell(&m->out, value);
    text_putc(&m->out, '\n');
}

/* How long the command is that ninja hands to the shell, for a job with these arguments. */
static size_t measure(const struct manifest *m, size_t common_args, size_t args, size_t module)
{
    const struct command_form lengths = {
        .compiler = m->compiler_length,
        .common_args = common_args,
        .args = args,
        .module = module,
        .linker_output = m->linker_output_length,
        .warm = m->use->warm ? strlen(m->use->warm) : 0,
        .clang = m->use->clang ? strlen(m->use->clang) : 0,
        .inputs_file = m->inputs_file.length,
    };
    return command_form_length(&m->form, &lengths);
}

static void add_opening(struct manifest *m)
{
    const struct common *common = description_common(m->description);
    char *here = getcwd(NULL, 0);

    text_puts(&m->out,
              "# The backend compilations of one ThinLTO link, written by dtlto-ninja " VERSION
              ".\n");
    add_comment(m, "link of", common->linker_output);
    add_comment(m, "described in", description_path(m->description));
    add_comment(m, "template", m->template->name);
    if (here)
        add_comment(m, "directory", here);
    text_puts(&m->out,
              "# To run it by hand: ninja -f FILE, in that directory, while the inputs are "
              "there. The linker\n# removes them at its end unless it is given "
              "--save-temps.\n");
    if (!m->use->with_imports)
        text_puts(&m->out,
                  "# The description is large, so the modules that are imported from are not "
                  "among the inputs\n# here; dtlto-ninja has looked at each of them.\n");
    text_putc(&m->out, '\n');
    free(here);

    /* For ninja, not for the shell. */
    if (m->use->builddir)
        add_variable(&m->out, "", "builddir", m->use->builddir);
    text_clear(&m->words);
    quote_command(&m->words, common->compiler);
    m->compiler_length = m->words.length;
    add_variable(&m->out, "", "compiler", m->words.data);
    add_variable(&m->out, "", "common_args", m->common_args.data);
    add_quoted_variable(m, "", "linker_output", common->linker_output);
    m->linker_output_length = m->words.length;
    m->warm_at = m->out.length;
    if (m->use->clang)
        add_variable(&m->out, "", "dtlto_clang", m->use->clang);
    m->form = command_form_find(m->template->content);

    text_putc(&m->out, '\n');
    text_write(&m->out, m->template->content, m->template->length);
    text_putc(&m->out, '\n');
}

/* The inputs of all jobs, under one name. */
static void add_common_inputs(struct manifest *m)
{
    const struct words *inputs = &description_common(m->description)->inputs;

    for (size_t i = 0; i < inputs->count; i++) {
        if (!files_path(m->files, inputs->items[i])->sayable)
            continue;
        if (!m->has_common_inputs) {
            text_puts(&m->out, "build ");
            quote_path(&m->out, common_inputs_name);
            text_puts(&m->out, ": phony");
        }
        m->has_common_inputs = true;
        text_putc(&m->out, ' ');
        quote_path(&m->out, inputs->items[i]);
    }
    if (m->has_common_inputs)
        text_puts(&m->out, "\n\n");
}

struct manifest *manifest_start(const struct manifest_use *use,
                                const struct description *description, const struct files *files,
                                const struct template *template, enum status *status)
{
    const struct common *common = description_common(description);
    struct manifest *m = allocate(sizeof *m);

    *m = (struct manifest){
        .use = use,
        .path = use->path,
        .description = description,
        .files = files,
        .template = template,
    };
    text_clear(&m->common_args);
    quote_shell_words(&m->common_args, common->args.items, common->args.count);
    if (!open_file(m)) {
        *status = write_failed(m);
        manifest_finish(m, true);
        return NULL;
    }
    add_opening(m);
    add_common_inputs(m);
    m->opening = m->out.length;
    *status = STATUS_OK;
    return m;
}

/* "build OUTPUTS: backend MODULE | OTHERS". What ninja cannot be told of the inputs is left out,
 * since dtlto-ninja has looked at each itself. An output that it cannot be told stays out too;
 * where there is no other, an alias that no file has stands for it, so the edge is always run.
 * ninja does not mind that the command does not make it, and dtlto-ninja looks at the outputs at
 * the end. */
static void add_edge(struct manifest *m, const struct job *job)
{
    const struct path *const *inputs = m->files->current;
    const struct path *const *outputs = inputs + job->inputs.count;
    bool any = false, bar = false;

    text_puts(&m->out, "build");
    for (size_t i = 0; i < job->outputs.count; i++) {
        if (!outputs[i]->sayable)
            continue;
        any = true;
        text_putc(&m->out, ' ');
        quote_path(&m->out, job->outputs.items[i]);
    }
    if (!any) {
        text_clear(&m->words);
        edge_alias(&m->words, job->index);
        text_putc(&m->out, ' ');
        quote_path(&m->out, m->words.data);
    }
    text_puts(&m->out, ": backend");

    for (size_t i = 0; i < job->inputs.count; i++) {
        if (i > 1 && !m->use->with_imports)
            break;
        if (!inputs[i]->sayable)
            continue;
        if (i > 0 && !bar) {
            text_puts(&m->out, " |");
            bar = true;
        }
        text_putc(&m->out, ' ');
        quote_path(&m->out, job->inputs.items[i]);
    }
    if (m->has_common_inputs) {
        text_puts(&m->out, bar ? " " : " | ");
        quote_path(&m->out, common_inputs_name);
    }
    text_putc(&m->out, '\n');
}

/* The longest run, in bytes, of words that ninja can write into a response file, from FIRST on. */
static void longest_run(const struct words *words, size_t first, size_t *from, size_t *to)
{
    size_t best = 0;

    *from = *to = first;
    for (size_t i = first; i < words->count; i++) {
        size_t length = 0, end = i;
        while (end < words->count && quotable_value(words->items[end]))
            length += strlen(words->items[end++]) + 1;
        if (length > best) {
            best = length;
            *from = i;
            *to = end;
        }
        i = end;
    }
}

/* The response file of an edge for what KIND names. The caller frees it. */
static char *name_response(const struct manifest *m, const struct job *job, const char *kind)
{
    struct text name = {0};
    text_printf(&name, "%s.job-%zu.%s", !m->is_file ? "dtlto-ninja" : m->path, job->index, kind);
    return name.data;
}

/* Appends the words FROM to TO, as a response file has them. */
static void add_response(struct text *out, const struct words *words, size_t from, size_t to)
{
    for (size_t i = from; i < to && words->items; i++) {
        text_puts(out, out->length > 0 ? " " : "");
        quote_response(out, words->items[i]);
    }
}

/* Appends all that the job reads, in the order of the description; nothing where one of the names
 * cannot be said. */
static void add_inputs(const struct manifest *m, const struct job *job, struct text *content)
{
    const struct words *common = &description_common(m->description)->inputs;
    const struct words *lists[] = {&job->inputs, common};

    for (size_t list = 0; list < 2; list++) {
        for (size_t i = 0; i < lists[list]->count; i++) {
            if (!quotable_value(lists[list]->items[i])) {
                text_clear(content);
                return;
            }
        }
        add_response(content, lists[list], 0, lists[list]->count);
    }
}

/* The variables of an edge whose command the kernel would refuse: the edge's own "common_args" is
 * empty, and all arguments that can be are in a response file that ninja writes and removes. A name
 * with a newline in it cannot: ninja's values do not hold one. CONTENT is what is in the file
 * already, behind which it takes the arguments, or empty where there is no file yet. */
static enum status add_long_command(struct manifest *m, const struct job *job, size_t module,
                                    struct text *content)
{
    const struct common *common = description_common(m->description);
    bool has_file = m->form.inputs_file > 0;
    struct words words = {0};
    size_t from, to;

    for (size_t i = 0; i < common->args.count; i++)
        words_add(&words, common->args.items[i]);
    for (size_t i = 0; i < job->args.count; i++)
        words_add(&words, job->args.items[i]);
    /* A subcommand must come before everything. */
    longest_run(&words, common_subcommand(common) != NULL, &from, &to);

    char *file = name_response(m, job, "rsp");
    text_clear(&m->words);
    quote_shell_words(&m->words, words.items, from);
    if (has_file) {
        text_puts(content, content->length > 0 ? " --" : "--");
    } else {
        struct text word = {0};
        text_printf(&word, "@%s", file);
        text_puts(&m->words, from > 0 ? " " : "");
        quote_shell(&m->words, word.data);
        text_free(&word);
        add_variable(&m->out, "  ", "rspfile", file);
    }
    add_response(content, &words, from, to);
    if (to < words.count) {
        text_putc(&m->words, ' ');
        quote_shell_words(&m->words, &words.items[to], words.count - to);
    }
    bool fits = measure(m, 0, m->words.length, module) <= LONGEST_COMMAND && quotable_value(file) &&
                !(has_file && to < words.count);
    add_variable(&m->out, "  ", "common_args", "");
    add_variable(&m->out, "  ", "args", m->words.data);
    words_free(&words);
    free(file);
    if (fits)
        return STATUS_OK;
    message("%s: jobs[%zu].args: expected a command of at most %d bytes, or one that a response "
            "file can shorten, found one that stays longer",
            description_path(m->description), job->index, LONGEST_COMMAND);
    return STATUS_USAGE;
}

/* The variables of an edge, and its response file if it has one. */
static enum status add_variables(struct manifest *m, const struct job *job)
{
    struct text content = {0};
    enum status status = STATUS_OK;

    text_clear(&content);
    text_clear(&m->inputs_file);
    if (m->form.inputs_file > 0) {
        char *file = name_response(m, job, "inputs");
        quote_shell(&m->inputs_file, file);
        add_variable(&m->out, "  ", "inputs_file", m->inputs_file.data);
        add_variable(&m->out, "  ", "rspfile", file);
        add_inputs(m, job, &content);
        free(file);
    }
    text_clear(&m->words);
    quote_shell_words(&m->words, job->args.items, job->args.count);
    text_clear(&m->module);
    quote_shell(&m->module, job_module(job));
    size_t length = measure(m, m->common_args.length, m->words.length, m->module.length);
    bool is_long = length > LONGEST_COMMAND;
    if (is_long)
        status = add_long_command(m, job, m->module.length, &content);
    else
        add_variable(&m->out, "  ", "args", m->words.data);
    if (is_long || m->form.inputs_file > 0)
        add_variable(&m->out, "  ", "rspfile_content", content.data);
    add_variable(&m->out, "  ", "module", m->module.data);
    text_free(&content);
    return status;
}

enum status manifest_add(struct manifest *m, const struct job *job)
{
    size_t start = m->out.length;

    add_edge(m, job);
    enum status status = add_variables(m, job);
    text_putc(&m->out, '\n');
    m->edges = grow(m->edges, m->edge_count, &m->edge_room, sizeof *m->edges);
    m->edges[m->edge_count++] = (struct edge){
        .start = start,
        .length = m->out.length - start,
        .cost = m->files->weights[job->index].module,
        .index = job->index,
    };
    return status;
}

/* The one that should start earlier comes first; of equal ones, that of the earlier job. */
static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;

    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static bool write_out(struct manifest *m, size_t start, size_t end)
{
    return fwrite(m->out.data + start, 1, end - start, m->file) == end - start;
}

static bool write_opening(struct manifest *m)
{
    text_clear(&m->words);
    if (m->use->warm)
        add_variable(&m->words, "", "dtlto_warm", m->use->warm);
    return write_out(m, 0, m->warm_at) &&
           fwrite(m->words.data, 1, m->words.length, m->file) == m->words.length &&
           write_out(m, m->warm_at, m->opening);
}

/* Ready edges are started in the order of the file: seen with ninja 1.11 to 1.13, and with samurai
 * 1.2 and 1.3 where no target is asked for (a target that needs them all would turn it round). */
static bool write_edges(struct manifest *m)
{
    if (m->edge_count > 0)
        qsort(m->edges, m->edge_count, sizeof *m->edges, compare_edges);
    for (size_t i = 0; i < m->edge_count; i++) {
        const struct edge *edge = &m->edges[i];
        if (!write_out(m, edge->start, edge->start + edge->length))
            return false;
    }
    return true;
}

/* Copies the complete manifest to stdout: never half of one. */
static bool copy_to_stdout(FILE *file)
{
    char buffer[16384];
    size_t count;

    if (fseek(file, 0, SEEK_SET) != 0)
        return false;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0) {
        if (fwrite(buffer, 1, count, stdout) != count)
            return false;
    }
    return !ferror(file) && fflush(stdout) == 0;
}

static enum status close_file(struct manifest *m, bool discard)
{
    bool good =
        discard || (write_opening(m) && write_edges(m) && (m->is_file || copy_to_stdout(m->file)));

    if (!good)
        write_failed(m);
    bool closed =
        m->is_file ? replacement_finish(&m->replacement, discard || !good) : fclose(m->file) == 0;
    if (good && !closed && !discard)
        write_failed(m);
    return good && (closed || discard) ? STATUS_OK : STATUS_SYSTEM;
}

enum status manifest_finish(struct manifest *m, bool discard)
{
    enum status status = m->file ? close_file(m, discard) : STATUS_OK;

    free(m->edges);
    text_free(&m->common_args);
    text_free(&m->words);
    text_free(&m->module);
    text_free(&m->inputs_file);
    text_free(&m->out);
    free(m);
    return status;
}

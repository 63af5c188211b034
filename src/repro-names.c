#include "repro-names.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bundle.h"
#include "memory.h"
#include "quote.h"

enum { LONGEST_BASE = 80 }; /* so that a tar archive takes the names */

static const char up[] = "../";

static void free_file(struct lh_entry *entry)
{
    struct repro_file *file = (struct repro_file *)lh_entry_v(entry);

    free(file->path);
    free(file->name);
    free(file);
}

static void add(struct repro_names *names, const char *path, enum repro_kind kind, size_t job)
{
    struct stat info;

    if (!names->table)
        names->table = lh_kchar_table_new(256, free_file);
    if (!names->table)
        out_of_memory();
    if (lh_table_lookup_ex(names->table, path, NULL))
        return;
    struct repro_file *file = allocate(sizeof *file);
    *file = (struct repro_file){.path = duplicate(path), .kind = kind, .job = job};
    file->is_in_place = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    if (lh_table_insert(names->table, file->path, file) != 0)
        out_of_memory();
    names->files = grow(names->files, names->count, &names->room, sizeof(struct repro_file *));
    names->files[names->count++] = file;
}

const char *names_shard(const struct job *job)
{
    static const char option[] = "-fthinlto-index=";

    for (size_t i = 0; i < job->args.count; i++) {
        if (strncmp(job->args.items[i], option, sizeof option - 1) == 0)
            return job->args.items[i] + sizeof option - 1;
    }
    return NULL;
}

void names_add_job(struct repro_names *names, const struct job *job)
{
    const char *shard = names_shard(job);

    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *path = job->inputs.items[i];
        enum repro_kind kind = i < job_bitcode_inputs(job) ? REPRO_MODULE : REPRO_OTHER;
        if (shard && strcmp(path, shard) == 0)
            kind = REPRO_SHARD;
        add(names, path, kind, job->index);
    }
}

void names_add_common(struct repro_names *names, const struct common *common)
{
    for (size_t i = 0; i < common->inputs.count; i++)
        add(names, common->inputs.items[i], REPRO_OTHER, 0);
}

static int compare(const void *a, const void *b)
{
    const struct repro_file *left = *(struct repro_file *const *)a;
    const struct repro_file *right = *(struct repro_file *const *)b;

    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->kind != REPRO_MODULE && left->job != right->job)
        return left->job < right->job ? -1 : 1;
    return strcmp(left->path, right->path);
}

/* The last part of PATH, with nothing in it that a shell, ninja or a file system minds. */
static void add_base(struct text *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);

    for (const char *c = length > LONGEST_BASE ? base + length - LONGEST_BASE : base; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("._+-", *c);
        text_putc(out, plain ? *c : '_');
    }
}

static void name_flat(struct repro_file *file, size_t number, bool in_tree)
{
    static const char *const folders[] = {
        [REPRO_MODULE] = "modules", [REPRO_SHARD] = "shards", [REPRO_OTHER] = "files"};
    struct text name = {0};

    text_printf(&name, "%s%s/%07zu-", in_tree ? up : "", folders[file->kind], number);
    add_base(&name, file->path);
    file->name = name.data;
}

static bool keeps_place(const struct repro_file *file)
{
    return file->is_in_place ||
           (bundle_is_place(file->path) && quotable_path(file->path) && !strchr(file->path, '\t'));
}

bool names_make(struct repro_names *names, bool in_tree)
{
    bool good = true;
    size_t number = 0;

    names->in_tree = in_tree;
    if (names->count > 0)
        qsort(names->files, names->count, sizeof(struct repro_file *), compare);
    for (size_t i = 0; i < names->count; i++) {
        struct repro_file *file = names->files[i];
        bool stays = in_tree && file->kind == REPRO_MODULE;
        number = i > 0 && names->files[i - 1]->kind == file->kind ? number + 1 : 0;
        free(file->name);
        if (stays || file->is_in_place)
            file->name = duplicate(file->path);
        else if (file->kind == REPRO_SHARD)
            name_flat(file, file->job, in_tree);
        else
            name_flat(file, number, in_tree);
        good = good && (!stays || keeps_place(file));
    }
    return good;
}

const struct repro_file *names_find(const struct repro_names *names, const char *path)
{
    void *found;

    if (!names->table || !lh_table_lookup_ex(names->table, path, &found))
        return NULL;
    return found;
}

void names_output(const struct repro_names *names, struct text *out, const struct job *job,
                  size_t output)
{
    text_printf(out, "%sobjects/%07zu", names->in_tree ? up : "", job->index);
    if (output > 0)
        text_printf(out, ".%zu", output);
    text_putc(out, '-');
    add_base(out, job->outputs.items[output]);
}

void names_from_top(const struct repro_names *names, struct text *out, const char *name)
{
    bool is_up = strncmp(name, up, sizeof up - 1) == 0;

    if (names->in_tree && !is_up && name[0] != '/')
        text_puts(out, "tree/");
    text_puts(out, is_up ? name + sizeof up - 1 : name);
}

/* Appends the name of the file PATH, if it is one. */
static bool add_name(const struct repro_names *names, struct text *out, const struct job *job,
                     const char *path)
{
    const struct repro_file *file = names_find(names, path);

    for (size_t i = 0; job && i < job->outputs.count; i++) {
        if (strcmp(path, job->outputs.items[i]) == 0) {
            names_output(names, out, job, i);
            return true;
        }
    }
    if (file)
        text_puts(out, file->name);
    return file != NULL;
}

bool names_word(const struct repro_names *names, struct text *out, const struct job *job,
                const char *word)
{
    const char *at = word, *equals;

    do {
        size_t start = out->length;
        text_write(out, word, (size_t)(at - word));
        if (add_name(names, out, job, at))
            return true;
        out->length = start;
        out->data[start] = '\0';
        equals = strchr(at, '=');
        at = equals ? equals + 1 : NULL;
    } while (equals);
    text_puts(out, word);
    return strchr(word, '/') == NULL;
}

void names_free(struct repro_names *names)
{
    if (names->table)
        lh_table_free(names->table);
    free(names->files);
    *names = (struct repro_names){0};
}

#include "explain.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/linkhash.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advice.h"
#include "description.h"
#include "distance.h"
#include "explain-log.h"
#include "memory.h"
#include "quote.h"
#include "repro-names.h"
#include "repro-sink.h"

enum {
    MOST_LISTED = 20, /* modules that fit */
    MOST_NEAR = 3,    /* that are proposed */
};

/* A job, as far as finding one needs it. */
struct entry {
    char *module, *output; /* owned */
    off_t size;            /* of the module; -1 where it cannot be read */
    off_t offset;
};

struct explanation {
    const char *place; /* as the user called it */
    bool is_repro;
    struct text description; /* its path, from the current directory */
    struct text prefix;      /* of the paths in ninja's log: "tree/" in a repro that has one */
    struct entry *entries;   /* owned */
    size_t count, room;
    struct lh_table *names; /* owned; of a repro: name -> what it was called in the link */
};

static off_t size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : -1;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What the link called PATH, which is a file of a repro; or PATH itself. */
static const char *old_name(const struct explanation *e, const char *path)
{
    void *found;
    struct text name = {0};

    if (!e->names)
        return path;
    if (strncmp(path, "../", 3) == 0)
        text_puts(&name, path + 3);
    else
        text_printf(&name, "%s%s", e->prefix.data, path);
    bool is_there = lh_table_lookup_ex(e->names, name.data, &found);
    text_free(&name);
    return is_there ? found : path;
}

static void free_name(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
}

/* Reads the file "names" of a repro. */
static void read_names(struct explanation *e, const char *path)
{
    struct text text = {0};

    e->names = lh_kchar_table_new(256, free_name);
    if (!e->names)
        out_of_memory();
    if (text_read_file(&text, path) != 0)
        text_clear(&text);
    for (char *line = text.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        char *key = duplicate(line), *tab = strchr(key, '\t');
        if (tab)
            *tab = '\0';
        /* The value is part of the key's memory. */
        if (!tab || lh_table_lookup_ex(e->names, key, NULL))
            free(key);
        else if (lh_table_insert(e->names, key, tab + 1) != 0)
            out_of_memory();
    }
    text_free(&text);
}

/* Finds the description, and where its paths hold. */
static enum status find_description(struct explanation *e)
{
    struct stat info;

    text_puts(&e->prefix, "");
    if (sink_is_tar(e->place)) {
        message("'%s' is an archive; unpack it first", e->place);
        return STATUS_USAGE;
    }
    if (stat(e->place, &info) != 0 || !S_ISDIR(info.st_mode)) {
        text_puts(&e->description, e->place);
        return STATUS_OK;
    }
    e->is_repro = true;
    text_puts(&e->description, "description.json");
    if (chdir(e->place) != 0) {
        message_error(errno, "cannot look into '%s'", e->place);
        return STATUS_SYSTEM;
    }
    read_names(e, "names");
    if (access("description.json", F_OK) == 0)
        return STATUS_OK;
    if (chdir("tree") == 0 && access("description.json", F_OK) == 0) {
        text_puts(&e->prefix, "tree/");
        return STATUS_OK;
    }
    message("'%s' is no repro: it has no description.json", e->place);
    return STATUS_USAGE;
}

static void add_entry(struct explanation *e, const struct job *job)
{
    e->entries = grow(e->entries, e->count, &e->room, sizeof *e->entries);
    e->entries[e->count++] = (struct entry){
        .module = duplicate(job_module(job)),
        .output = duplicate(job->outputs.items[0]),
        .size = job->inputs.count > 0 ? size_of(job->inputs.items[0]) : -1,
        .offset = job->offset,
    };
}

static enum status read_entries(struct explanation *e, struct description *description)
{
    struct job job = {0};
    enum status status = STATUS_OK;

    while (description_next(description, &job, &status))
        add_entry(e, &job);
    job_free(&job);
    return status;
}

/* The ways in which a module can be named, the strictest first. */
enum way { BY_PATH, BY_FILE_NAME, BY_PART, WAYS };

static bool fits_name(const char *path, const char *wanted, enum way way)
{
    if (way == BY_PATH)
        return strcmp(path, wanted) == 0;
    if (way == BY_FILE_NAME)
        return strcmp(base_of(path), wanted) == 0;
    return strstr(path, wanted) != NULL;
}

static bool fits(const struct explanation *e, const struct entry *entry, const char *wanted,
                 enum way way)
{
    /* By the names of objects only in full: they hold the modules' names. */
    return fits_name(entry->module, wanted, way) ||
           fits_name(old_name(e, entry->module), wanted, way) ||
           (way != BY_PART && (fits_name(entry->output, wanted, way) ||
                               fits_name(old_name(e, entry->output), wanted, way)));
}

/* Names some of the modules that come nearest. */
static void say_near(const struct explanation *e, const char *wanted)
{
    const char *near[MOST_NEAR] = {NULL};
    size_t away[MOST_NEAR] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    struct text list = {0};

    for (size_t i = 0; i < e->count; i++) {
        const char *name = old_name(e, e->entries[i].module);
        size_t this = distance(base_of(wanted), base_of(name));
        for (size_t at = 0; at < MOST_NEAR; at++) {
            if (this >= away[at])
                continue;
            memmove(&away[at + 1], &away[at], (MOST_NEAR - 1 - at) * sizeof *away);
            memmove(&near[at + 1], &near[at], (MOST_NEAR - 1 - at) * sizeof *near);
            away[at] = this;
            near[at] = name;
            break;
        }
    }
    text_puts(&list, "");
    for (size_t i = 0; i < MOST_NEAR && near[i]; i++)
        text_printf(&list, "%s'%s'", i > 0 ? ", " : "; near to it are ", near[i]);
    message("%s: no module is called '%s'%s", e->place, wanted, list.data);
    text_free(&list);
}

static void say_several(const struct explanation *e, const char *wanted, enum way way, size_t count)
{
    size_t listed = 0;

    message("%s: '%s' fits %zu modules; more of the name tells them apart:", e->place, wanted,
            count);
    for (size_t i = 0; i < e->count && listed < MOST_LISTED; i++) {
        if (fits(e, &e->entries[i], wanted, way)) {
            listed++;
            message("  %s", old_name(e, e->entries[i].module));
        }
    }
    if (listed < count)
        message("  and %zu more", count - listed);
}

/* Finds the one job that is meant. */
static enum status find_entry(const struct explanation *e, const char *wanted, size_t *index)
{
    for (enum way way = BY_PATH; way < WAYS; way++) {
        size_t count = 0;
        for (size_t i = 0; i < e->count; i++) {
            if (fits(e, &e->entries[i], wanted, way) && count++ == 0)
                *index = i;
        }
        if (count == 1)
            return STATUS_OK;
        if (count > 1) {
            say_several(e, wanted, way, count);
            return STATUS_USAGE;
        }
    }
    say_near(e, wanted);
    return STATUS_USAGE;
}

static void print_size(off_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double value = (double)size;
    size_t unit = 0;

    while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    if (size < 0)
        printf("  %11s", "not there");
    else if (unit == 0)
        printf("  %9jd B", (intmax_t)size);
    else
        printf("  %7.1f %s", value, units[unit]);
}

/* A name, quoted where a shell would want that, so that it is one line. */
static void print_name(const struct explanation *e, const char *path)
{
    struct text name = {0};

    quote_shell(&name, old_name(e, path));
    fputs(name.data, stdout);
    text_free(&name);
}

static void print_file(const struct explanation *e, const char *path, const char *role)
{
    print_size(size_of(path));
    printf("  %-13s ", role);
    print_name(e, path);
    putchar('\n');
}

static void print_inputs(const struct explanation *e, const struct job *job,
                         const struct common *common)
{
    const char *shard = names_shard(job);
    off_t total = 0;

    puts("inputs");
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *path = job->inputs.items[i], *role = "imported from";
        off_t size = size_of(path);
        total += size > 0 ? size : 0;
        if (i == 0)
            role = "module";
        else if (shard && strcmp(path, shard) == 0)
            role = "index shard";
        else if (i >= job_bitcode_inputs(job))
            role = "other";
        print_file(e, path, role);
    }
    for (size_t i = 0; i < common->inputs.count; i++) {
        off_t size = size_of(common->inputs.items[i]);
        total += size > 0 ? size : 0;
        print_file(e, common->inputs.items[i], "of all jobs");
    }
    print_size(total);
    puts("  in all");
}

static bool imports(const struct job *job, const char *module)
{
    for (size_t i = 1; i < job->inputs.count; i++) {
        if (strcmp(job->inputs.items[i], module) == 0)
            return true;
    }
    return false;
}

/* Reads the description once more. */
static enum status print_importers(const struct explanation *e, const char *module)
{
    enum status status;
    struct description *description = description_open(e->description.data, &status);
    struct job job = {0};
    size_t count = 0;

    if (!description)
        return status;
    while (description_next(description, &job, &status)) {
        if (strcmp(job_module(&job), module) == 0 || !imports(&job, module))
            continue;
        if (count++ == 0)
            puts("who imports from it");
        fputs("  ", stdout);
        print_name(e, job_module(&job));
        putchar('\n');
    }
    if (status == STATUS_OK && count == 0)
        puts("who imports from it\n  nobody");
    job_free(&job);
    description_close(description);
    return status;
}

/* Which of the jobs starts how early, in the order of the manifest: the largest modules first. */
static size_t place_in_order(const struct explanation *e, size_t index)
{
    size_t place = 1;

    for (size_t i = 0; i < e->count; i++) {
        off_t size = e->entries[i].size, ours = e->entries[index].size;
        if (size > ours || (size == ours && i < index))
            place++;
    }
    return place;
}

static void print_times(const struct explanation *e, size_t index)
{
    struct job_times times = {0};
    const char **outputs = allocate(e->count * sizeof *outputs);

    for (size_t i = 0; i < e->count; i++)
        outputs[i] = e->entries[i].output;
    const struct log_place place = {
        .description = e->description.data,
        .prefix = e->prefix.data,
        .is_repro = e->is_repro,
    };
    if (explain_log(&place, outputs, e->count, index, &times)) {
        printf("  it ran for %.3f s, from %.3f s to %.3f s of %.3f s; as number %zu to start and "
               "%zu to end of %zu, and the %zu. longest\n",
               (double)(times.end - times.start) / 1e3, (double)times.start / 1e3,
               (double)times.end / 1e3, (double)times.last / 1e3, times.started, times.ended,
               times.count, times.longest);
        printf("  says %s\n", times.log.data);
    } else {
        puts("  no log of ninja's that knows it is beside the description");
    }
    text_free(&times.log);
    free(outputs);
}

static enum status print_all(const struct explanation *e, struct description *description,
                             size_t index)
{
    const struct common *common = description_common(description);
    struct text command = {0};
    struct job job = {0};
    enum status status = description_reread(description, e->entries[index].offset, index, &job);

    if (status == STATUS_OK) {
        fputs("module ", stdout);
        print_name(e, job_module(&job));
        printf("\n  jobs[%zu] of %zu, in the link of %s\n", index, e->count, common->linker_output);
        puts("outputs");
        for (size_t i = 0; i < job.outputs.count; i++)
            print_file(e, job.outputs.items[i], i == 0 ? "object" : "other");
        print_inputs(e, &job, common);
        status = print_importers(e, job_module(&job));
    }
    if (status == STATUS_OK) {
        printf("schedule\n  number %zu of %zu in the order of the manifest, the largest modules "
               "first\n",
               place_in_order(e, index), e->count);
        print_times(e, index);
        advice_command(&command, common, &job);
        printf("command\n  %s\n", command.data);
    }
    text_free(&command);
    job_free(&job);
    return status;
}

enum status explain(const char *module, const char *place)
{
    struct explanation e = {.place = place};
    struct description *description = NULL;
    size_t index = 0;
    enum status status = find_description(&e);

    if (status == STATUS_OK)
        description = description_open(e.description.data, &status);
    if (description)
        status = read_entries(&e, description);
    if (status == STATUS_OK)
        status = find_entry(&e, module, &index);
    if (status == STATUS_OK)
        status = print_all(&e, description, index);
    description_close(description);
    for (size_t i = 0; i < e.count; i++) {
        free(e.entries[i].module);
        free(e.entries[i].output);
    }
    free(e.entries);
    if (e.names)
        lh_table_free(e.names);
    text_free(&e.description);
    text_free(&e.prefix);
    return status;
}

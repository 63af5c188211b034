#include "pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bitcode.h"
#include "memory.h"
#include "shard.h"

/* Module paths, as the index shard has them. */
struct modules {
    char **paths; /* owned, each */
    size_t count, room;
    const struct words *inputs;
};

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_module(struct modules *modules, const char *path)
{
    modules->paths = grow(modules->paths, modules->count, &modules->room, sizeof *modules->paths);
    modules->paths[modules->count++] = duplicate(path);
    return true;
}

static bool take_module(void *context, const char *path)
{
    return add_module(context, path);
}

/* Sorts the paths, as lld does by bytes, and drops what is there twice. */
static void sort_modules(struct modules *modules)
{
    size_t kept = 0;

    qsort(modules->paths, modules->count, sizeof *modules->paths, compare);
    for (size_t i = 0; i < modules->count; i++) {
        if (kept > 0 && strcmp(modules->paths[kept - 1], modules->paths[i]) == 0)
            free(modules->paths[i]);
        else
            modules->paths[kept++] = modules->paths[i];
    }
    modules->count = kept;
}

static void free_modules(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        free(modules->paths[i]);
    free(modules->paths);
}

static void name_module(struct text *name, size_t rank)
{
    text_printf(name, "m%07zu", rank);
}

/* Puts the flat name of the module PATH into NAME. */
static bool rename_module(void *context, const char *path, size_t length, struct text *name)
{
    const struct modules *modules = context;

    (void)length;
    char **found = bsearch(&path, modules->paths, modules->count, sizeof *modules->paths, compare);

    if (!found)
        return false;
    name_module(name, (size_t)(found - modules->paths));
    return true;
}

/* Whether PATH is one that the manifest gave: nothing else is ever sent anywhere. */
static bool all_are_inputs(const struct modules *modules)
{
    size_t count = modules->inputs->count;
    const char **sorted = allocate(count * sizeof *sorted);
    bool good = true;

    for (size_t i = 0; i < count; i++)
        sorted[i] = modules->inputs->items[i];
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; good && i < modules->count; i++)
        good = bsearch(&modules->paths[i], sorted, count, sizeof *sorted, compare) != NULL;
    free(sorted);
    return good;
}

/* Whether an option names the input NUMBER. */
static bool is_carried(const struct compilation *compilation, size_t number)
{
    for (size_t i = 0; i < compilation->carried_count; i++) {
        if (compilation->carried[i].input == number)
            return true;
    }
    return false;
}

/* The modules keep their paths, below a folder on the far side. Which ones are needed is not known:
 * all inputs go that are no others. */
static bool pack_tree(struct bundle *bundle, const struct compilation *compilation,
                      const struct words *inputs, struct text *reason)
{
    struct text name = {0};
    bool good = true;

    for (size_t i = 0; good && i < inputs->count; i++) {
        const char *path = inputs->items[i];
        if ((compilation->index && strcmp(path, compilation->index) == 0) ||
            is_carried(compilation, i))
            continue;
        good = bundle_is_place(path);
        text_clear(&name);
        name_module(&name, i);
        bundle_add_member(bundle, name.data, path, path);
    }
    if (!good)
        text_puts(reason, "its index shard cannot be rewritten, and its modules make no tree");
    text_free(&name);
    return good;
}

static void pack_flat(struct bundle *bundle, const struct modules *modules)
{
    struct text name = {0};

    for (size_t i = 0; i < modules->count; i++) {
        text_clear(&name);
        name_module(&name, i);
        bundle_add_member(bundle, name.data, modules->paths[i], NULL);
    }
    text_free(&name);
}

/* Reads the shard, if there is one: a missing file, or a device as /dev/null, is none of 0 bytes.
 */
static bool read_shard(struct text *shard, const char *path, struct text *reason)
{
    struct stat info;

    text_clear(shard);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return true;
    int error = text_read_file(shard, path);
    if (error)
        text_printf(reason, "its index shard cannot be read: %s", strerror(error));
    return !error;
}

/* The modules, and the index shard with their new names. */
static bool pack_modules(struct bundle *bundle, const struct compilation *compilation,
                         struct modules *modules, struct text *reason)
{
    struct text shard = {0};
    const char *problem = NULL;

    add_module(modules, compilation->module);
    if (compilation->index) {
        if (!read_shard(&shard, compilation->index, reason)) {
            text_free(&shard);
            return false;
        }
        bundle->has_index = true;
        if (shard.length > 0 && !bitcode_each_module(compilation->index, take_module, modules))
            problem = "the layout of its index shard is unknown";
    }
    sort_modules(modules);
    if (!problem && !all_are_inputs(modules)) {
        text_puts(reason, "its index shard names a module that is none of its inputs");
        text_free(&shard);
        return false;
    }
    if (!problem)
        problem = shard_rewrite(shard.data ? shard.data : "", shard.length, rename_module, modules,
                                &bundle->index);
    bool good = true;
    if (problem) {
        text_free(&bundle->index);
        bundle->index = shard;
        shard = (struct text){0};
        good = pack_tree(bundle, compilation, modules->inputs, reason);
        bundle->module = duplicate(compilation->module);
    } else {
        struct text name = {0};
        pack_flat(bundle, modules);
        rename_module(modules, compilation->module, 0, &name);
        bundle->module = name.data;
    }
    text_free(&shard);
    return good;
}

/* The options, and the files that they name. */
static void pack_options(struct bundle *bundle, const struct compilation *compilation,
                         const struct words *inputs)
{
    const struct carried *carried = compilation->carried;
    const struct carried *end = carried + compilation->carried_count;

    for (size_t i = 0; i < compilation->options.count; i++) {
        const char *option = compilation->options.items[i];
        if (carried == end || carried->option != i) {
            bundle_add_option(bundle, option, NULL);
            continue;
        }
        struct text prefix = {0}, name = {0};
        text_write(&prefix, option, carried->prefix);
        text_printf(&name, "f%07zu", (size_t)(carried - compilation->carried));
        bundle_add_option(bundle, prefix.data, name.data);
        bundle_add_member(bundle, name.data, inputs->items[carried->input], NULL);
        text_free(&prefix);
        text_free(&name);
        carried++;
    }
}

bool pack(struct bundle *bundle, const struct compilation *compilation, const struct words *inputs,
          struct text *reason)
{
    struct modules modules = {.inputs = inputs};
    bool good = pack_modules(bundle, compilation, &modules, reason);

    if (good)
        pack_options(bundle, compilation, inputs);
    free_modules(&modules);
    return good;
}

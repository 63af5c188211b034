#include "paths.h"

#include <json-c/linkhash.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "quote.h"
#include "text.h"

enum {
    FIRST_SIZE = 1024,
    /* ninja before 1.12, and samurai, end with "path has too many components" beyond this many
     * (CanonicalizePath in ninja's src/util.cc). */
    MOST_COMPONENTS = 60,
};

/* A directory by one of its names. */
struct directory {
    dev_t device;
    ino_t inode;
    bool exists;
};

/* Names are looked up millions of times in a large link, by a table of our own: json-c's compares
 * whole strings at every step, and names that begin alike are the rule. */
struct slot {
    uint64_t hash;
    struct entry *entry; /* owned; a null pointer where the slot is free */
};

struct paths {
    struct slot *slots; /* owned; SIZE of them, a power of two, never more than half in use */
    size_t size, used;
    struct lh_table *by_file;      /* struct key * (inside a struct entry) -> struct path * */
    struct lh_table *directories;  /* char * -> struct directory * */
    struct directory *last_parent; /* of the name last looked up: neighbours tend to share it */
    struct text last_name, name;
};

struct key {
    const struct directory *directory;
    const char *base;
};

struct entry {
    struct path path; /* first: a struct path * is a struct entry * */
    struct key key;
    char text[];
};

static unsigned long hash_key(const void *k)
{
    const struct key *key = k;
    unsigned long hash =
        (unsigned long)key->directory->inode * 31 + (unsigned long)key->directory->device;
    for (const char *c = key->base; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash ^ hash >> 15;
}

static bool same_directory(const struct directory *a, const struct directory *b)
{
    if (!a->exists || !b->exists)
        return a == b;
    return a->device == b->device && a->inode == b->inode;
}

static int equal_keys(const void *a, const void *b)
{
    const struct key *left = a, *right = b;
    return same_directory(left->directory, right->directory) && !strcmp(left->base, right->base);
}

static void free_directory(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
    free((void *)(uintptr_t)lh_entry_v(entry));
}

struct paths *paths_new(void)
{
    struct paths *paths = allocate(sizeof *paths);
    *paths = (struct paths){
        .size = FIRST_SIZE,
        .slots = allocate(FIRST_SIZE * sizeof *paths->slots),
        .by_file = lh_table_new(1024, NULL, hash_key, equal_keys),
        .directories = lh_kchar_table_new(64, free_directory),
    };
    if (!paths->by_file || !paths->directories)
        out_of_memory();
    memset(paths->slots, 0, FIRST_SIZE * sizeof *paths->slots);
    return paths;
}

void paths_free(struct paths *paths)
{
    if (!paths)
        return;
    lh_table_free(paths->by_file);
    for (size_t i = 0; i < paths->size; i++)
        free(paths->slots[i].entry);
    free(paths->slots);
    lh_table_free(paths->directories);
    text_free(&paths->last_name);
    text_free(&paths->name);
    free(paths);
}

static void insert(struct lh_table *table, const void *key, const void *value)
{
    if (lh_table_insert(table, key, value) != 0)
        out_of_memory();
}

static struct directory *find_directory(struct paths *paths, const char *name)
{
    void *found;
    struct stat info;

    if (lh_table_lookup_ex(paths->directories, name, &found))
        return found;
    struct directory *directory = allocate(sizeof *directory);
    *directory = (struct directory){0};
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode))
        *directory = (struct directory){info.st_dev, info.st_ino, true};
    insert(paths->directories, duplicate(name), directory);
    return directory;
}

/* The directory that the file TEXT is in; *BASE is the last component of TEXT. */
static struct directory *find_parent(struct paths *paths, const char *text, const char **base)
{
    const char *slash = strrchr(text, '/');

    *base = slash ? slash + 1 : text;
    text_clear(&paths->name);
    if (!slash)
        text_putc(&paths->name, '.');
    else
        text_write(&paths->name, text, slash == text ? 1 : (size_t)(slash - text));
    if (paths->last_parent && strcmp(paths->name.data, paths->last_name.data) == 0)
        return paths->last_parent;
    text_clear(&paths->last_name);
    text_puts(&paths->last_name, paths->name.data);
    return paths->last_parent = find_directory(paths, paths->last_name.data);
}

char *path_as_ninja(const char *path)
{
    size_t length = strlen(path);
    char *out = allocate(length + 2);
    size_t *starts = allocate((length / 2 + 1) * sizeof *starts); /* of components but ".." */
    size_t count = 0, used = 0;

    if (*path == '/')
        out[used++] = '/';
    size_t root = used;
    while (*path) {
        path += strspn(path, "/");
        size_t part = strcspn(path, "/");
        bool dot = part == 1 && path[0] == '.';
        bool up = part == 2 && path[0] == '.' && path[1] == '.';
        if (up && count > 0) {
            used = starts[--count];
        } else if (part > 0 && !dot) {
            if (used > root && out[used - 1] != '/')
                out[used++] = '/';
            if (!up)
                starts[count++] = used > root ? used - 1 : used;
            memcpy(out + used, path, part);
            used += part;
        }
        path += part;
    }
    if (used == 0)
        out[used++] = '.';
    out[used] = '\0';
    free(starts);
    return out;
}

static size_t count_components(const char *text)
{
    size_t count = 0;

    while (*(text += strspn(text, "/"))) {
        text += strcspn(text, "/");
        count++;
    }
    return count;
}

/* Whether TEXT has a component ".." that ninja would resolve against one before it. */
static bool has_inner_parent(const char *text)
{
    bool inner = false;

    while (*text) {
        text += strspn(text, "/");
        size_t part = strcspn(text, "/");
        bool up = part == 2 && text[0] == '.' && text[1] == '.';
        if (up && inner)
            return true;
        if (part > 0 && !up && !(part == 1 && text[0] == '.'))
            inner = true;
        text += part;
    }
    return false;
}

static bool is_sayable(struct paths *paths, const char *text, const struct key *key)
{
    if (!quotable_path(text) || count_components(text) > MOST_COMPONENTS)
        return false;
    if (!has_inner_parent(text))
        return true;

    struct key ninjas;
    char *canonical = path_as_ninja(text);
    ninjas.directory = find_parent(paths, canonical, &ninjas.base);
    bool same = equal_keys(key, &ninjas);
    free(canonical);
    return same;
}

static uint64_t hash_text(const char *text)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    size_t length = strlen(text);
    uint64_t hash = length, block;

    for (; length >= sizeof block; text += sizeof block, length -= sizeof block) {
        memcpy(&block, text, sizeof block);
        hash = (hash ^ block) * factor;
        hash ^= hash >> 32;
    }
    block = 0;
    memcpy(&block, text, length);
    hash = (hash ^ block) * factor;
    return hash ^ hash >> 29;
}

/* The slot where the text is, or where it would go. */
static struct slot *find_slot(const struct paths *paths, uint64_t hash, const char *text)
{
    size_t at = (size_t)(hash & (paths->size - 1));

    for (;; at = (at + 1) & (paths->size - 1)) {
        struct slot *slot = &paths->slots[at];
        if (!slot->entry || (slot->hash == hash && strcmp(slot->entry->text, text) == 0))
            return slot;
    }
}

#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

void paths_fetch(const struct paths *paths, const char *const *texts, size_t count,
                 uint64_t hashes[PATHS_TOGETHER])
{
    if (count > PATHS_TOGETHER)
        count = PATHS_TOGETHER;
    for (size_t i = 0; i < count; i++) {
        hashes[i] = hash_text(texts[i]);
        FETCH(&paths->slots[hashes[i] & (paths->size - 1)]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = paths->slots[hashes[i] & (paths->size - 1)].entry;
        if (entry) {
            FETCH(entry);
            FETCH(entry->text);
            FETCH(entry->text + 64);
        }
    }
}

static void double_slots(struct paths *paths)
{
    struct slot *old = paths->slots;
    size_t count = paths->size;

    paths->size *= 2;
    paths->slots = allocate(paths->size * sizeof *paths->slots);
    memset(paths->slots, 0, paths->size * sizeof *paths->slots);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = old[i].entry;
        if (entry)
            *find_slot(paths, old[i].hash, entry->text) = old[i];
    }
    free(old);
}

static struct entry *new_entry(struct paths *paths, const char *text)
{
    size_t length = strlen(text);
    struct entry *entry = allocate(sizeof *entry + length + 1);
    void *found;

    memcpy(entry->text, text, length + 1);
    entry->key.directory = find_parent(paths, entry->text, &entry->key.base);
    entry->path = (struct path){
        .text = entry->text,
        .file = &entry->path,
        .in_directory = entry->key.directory->exists,
        .sayable = is_sayable(paths, entry->text, &entry->key),
    };
    if (lh_table_lookup_ex(paths->by_file, &entry->key, &found))
        entry->path.file = found;
    else
        insert(paths->by_file, &entry->key, entry);
    return entry;
}

struct path *paths_add_fetched(struct paths *paths, const char *text, uint64_t hash, bool *is_new)
{
    struct slot *slot = find_slot(paths, hash, text);

    *is_new = !slot->entry;
    if (slot->entry)
        return &slot->entry->path;
    struct entry *entry = new_entry(paths, text);
    *slot = (struct slot){hash, entry};
    if (++paths->used > paths->size / 2)
        double_slots(paths);
    return &entry->path;
}

struct path *paths_add(struct paths *paths, const char *text, bool *is_new)
{
    return paths_add_fetched(paths, text, hash_text(text), is_new);
}

const struct path *paths_find(const struct paths *paths, const char *text)
{
    const struct slot *slot = find_slot(paths, hash_text(text), text);
    return slot->entry ? &slot->entry->path : NULL;
}

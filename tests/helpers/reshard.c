/* Rewrites an index shard so that its modules are called m0000000, m0000001 and so on, in the order
 * of their paths.
 *
 * usage: reshard SHARD OUTPUT
 * Prints a line for each module: the new name, a tab and the path. */
#include "shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { MOST_PATHS = 65536 };

struct paths {
    char *items[MOST_PATHS];
    size_t count;
};

const char program_name[] = "reshard";

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool collect(void *context, const char *path, size_t length, struct text *name)
{
    struct paths *paths = context;

    if (paths->count == MOST_PATHS)
        return false;
    paths->items[paths->count++] = strdup(path);
    text_write(name, path, length);
    return true;
}

static bool give_number(void *context, const char *path, size_t length, struct text *name)
{
    struct paths *paths = context;
    char **found = bsearch(&path, paths->items, paths->count, sizeof *paths->items, compare);

    (void)length;
    text_printf(name, "m%07zu", (size_t)(found - paths->items));
    printf("%s\t%s\n", name->data, path);
    return true;
}

static int refuse(const char *shard, const char *trouble)
{
    fprintf(stderr, "reshard: %s: %s\n", shard, trouble);
    return 1;
}

static int write_all(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(text->data, 1, text->length, file) == text->length;

    good = file && fclose(file) == 0 && good;
    return good && fflush(stdout) == 0 ? 0 : refuse(path, "cannot be written");
}

int main(int argc, char **argv)
{
    static struct paths paths;
    struct text shard = {0}, ignored = {0}, result = {0};

    text_clear(&result);
    if (argc != 3)
        return refuse("usage", "reshard SHARD OUTPUT");
    if (text_read_file(&shard, argv[1]) != 0)
        return refuse(argv[1], "cannot be read");
    const char *trouble = shard_rewrite(shard.data, shard.length, collect, &paths, &ignored);
    if (!trouble) {
        qsort(paths.items, paths.count, sizeof *paths.items, compare);
        trouble = shard_rewrite(shard.data, shard.length, give_number, &paths, &result);
    }
    int status = trouble ? refuse(argv[1], trouble) : write_all(argv[2], &result);
    for (size_t i = 0; i < paths.count; i++)
        free(paths.items[i]);
    text_free(&shard);
    text_free(&ignored);
    text_free(&result);
    return status;
}

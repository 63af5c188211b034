#include "template.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "builtin.h"
#include "memory.h"
#include "process.h"
#include "signals.h"
#include "text.h"
#include "words.h"

static const struct {
    const char *name, *content;
} builtins[] = {{"local", builtin_local},
                {"distcc", builtin_distcc},
                {"icecream", builtin_icecream},
                {"ccache", builtin_ccache},
                {"ccache-distcc", builtin_ccache_distcc},
                {"ccache-icecream", builtin_ccache_icecream}};
enum { BUILTINS = sizeof builtins / sizeof *builtins };
static const char suffix[] = ".ninja";

static bool ends_in_suffix(const char *name)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

/* The folders that people have put templates in, those in front of the built-in one; each is
 * owned by the list. */
static void user_folders(struct words *folders)
{
    const char *list = getenv("DTLTO_NINJA_TEMPLATES");
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    struct text folder = {0};

    while (list && *list) {
        size_t length = strcspn(list, ":");
        text_clear(&folder);
        text_write(&folder, list, length);
        if (length > 0)
            words_add(folders, duplicate(folder.data));
        list += length + (list[length] == ':');
    }
    text_clear(&folder);
    if (config && *config)
        text_printf(&folder, "%s/dtlto-ninja/templates", config);
    else if (home && *home)
        text_printf(&folder, "%s/.config/dtlto-ninja/templates", home);
    if (folder.length > 0)
        words_add(folders, duplicate(folder.data));
    text_free(&folder);
}

static void free_folders(struct words *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free((char *)(uintptr_t)folders->items[i]);
    words_free(folders);
}

/* Reads the file PATH into TEMPLATE. Returns an errno value. */
static int read_file(const char *path, struct template *template)
{
    struct text content = {0};

    text_clear(&content);
    int error = text_read_file(&content, path);
    if (error) {
        text_free(&content);
        return error;
    }
    if (content.length > 0 && content.data[content.length - 1] != '\n')
        text_putc(&content, '\n');
    template->path = duplicate(path);
    template->content = content.data;
    template->length = content.length;
    return 0;
}

/* Looks for the template in FOLDER. Returns an errno value: ENOENT where it is not there. */
static int look_in(const char *folder, struct template *template)
{
    struct text path = {0};
    text_printf(&path, "%s/%s%s", folder, template->name, suffix);
    int error = read_file(path.data, template);
    if (error && error != ENOENT && error != ENOTDIR)
        message_error(error, "cannot read the template '%s'", path.data);
    text_free(&path);
    return error == ENOTDIR ? ENOENT : error;
}

static int find_by_name(struct template *template)
{
    struct words folders = {0};
    int error = ENOENT;

    user_folders(&folders);
    for (size_t i = 0; i < folders.count && error == ENOENT; i++)
        error = look_in(folders.items[i], template);
    free_folders(&folders);
    for (size_t i = 0; i < BUILTINS && error == ENOENT; i++) {
        if (strcmp(template->name, builtins[i].name) == 0) {
            template->content = duplicate(builtins[i].content);
            template->length = strlen(template->content);
            return 0;
        }
    }
    if (error == ENOENT)
        error = look_in(TEMPLATE_FOLDER, template);
    if (error == ENOENT)
        message("no template is called '%s'; --list-templates lists them, and a file is named with "
                "a '/' or '%s'",
                template->name, suffix);
    return error;
}

enum status template_load(const char *wanted, struct template *template)
{
    int error;

    *template = (struct template){.name = duplicate(wanted)};
    if (strchr(wanted, '/') || ends_in_suffix(wanted)) {
        error = read_file(wanted, template);
        if (error)
            message_error(error, "cannot read the template '%s'", wanted);
    } else {
        error = find_by_name(template);
    }
    if (!error && strlen(template->content) != template->length) {
        message("the template '%s' is no ninja file: it holds a NUL byte", wanted);
        return STATUS_USAGE;
    }
    if (error)
        return error == ENOENT || error == EISDIR ? STATUS_USAGE : STATUS_SYSTEM;
    return STATUS_OK;
}

const char *template_find_behind(const struct template *template, const char *at, const char *text)
{
    for (const char *found = at; (found = strstr(found, text)); found++) {
        const char *line = found;
        while (line > template->content && line[-1] != '\n')
            line--;
        if (line[strspn(line, " ")] != '#')
            return found;
    }
    return NULL;
}

const char *template_find(const struct template *template, const char *text)
{
    return template_find_behind(template, template->content, text);
}

void template_free(struct template *template)
{
    free(template->name);
    free(template->path);
    free(template->content);
    *template = (struct template){0};
}

/* A template to be listed; both strings are owned. */
struct listed {
    char *name;
    char *origin;
};

struct listing {
    struct listed *items;
    size_t count, room;
};

/* Adds a template, unless one of that name comes earlier in the search. Takes both strings. */
static void list_one(struct listing *listing, char *name, char *origin)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (strcmp(listing->items[i].name, name) == 0) {
            free(name);
            free(origin);
            return;
        }
    }
    listing->items = grow(listing->items, listing->count, &listing->room, sizeof *listing->items);
    listing->items[listing->count++] = (struct listed){name, origin};
}

static void list_folder(struct listing *listing, const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        if (!ends_in_suffix(entry->d_name))
            continue;
        struct text origin = {0};
        text_printf(&origin, "%s/%s", path, entry->d_name);
        char *name = duplicate(entry->d_name);
        name[strlen(name) - strlen(suffix)] = '\0';
        list_one(listing, name, origin.data);
    }
    if (folder)
        closedir(folder);
}

static int compare_listed(const void *a, const void *b)
{
    const struct listed *left = a, *right = b;
    return strcmp(left->name, right->name);
}

enum status template_list(void)
{
    struct listing listing = {0};
    struct words folders = {0};

    user_folders(&folders);
    for (size_t i = 0; i < folders.count; i++)
        list_folder(&listing, folders.items[i]);
    free_folders(&folders);
    for (size_t i = 0; i < BUILTINS; i++)
        list_one(&listing, duplicate(builtins[i].name), duplicate("built in"));
    list_folder(&listing, TEMPLATE_FOLDER);
    qsort(listing.items, listing.count, sizeof *listing.items, compare_listed);
    for (size_t i = 0; i < listing.count; i++) {
        printf("%-15s %s\n", listing.items[i].name, listing.items[i].origin);
        free(listing.items[i].name);
        free(listing.items[i].origin);
    }
    free(listing.items);
    return STATUS_OK;
}

/* Writes the file PATH, which holds the template, its lines with the same numbers, and, with USE,
 * an edge that uses its rule. */
static enum status write_check(const char *path, const struct template *template, bool use)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(template->content, 1, template->length, file) == template->length &&
                (!use || fputs("\nbuild dtlto-ninja-check: backend\n", file) >= 0);
    int error = errno;

    if (file && fclose(file) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good)
        return STATUS_OK;
    message_error(error, "cannot write '%s'", path);
    return STATUS_SYSTEM;
}

/* Whether ninja can read the check file; what it says is put into OUTPUT. */
static bool ninja_reads(const struct ninja *ninja, const char *path, struct text *output)
{
    const char *argv[] = {ninja->path, "-f", path, "-t", "targets", "all", NULL};
    int status = process_output(argv, output);

    return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool has_default(const struct template *template)
{
    static const char word[] = "default ";

    for (const char *line = template->content; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, sizeof word - 1) == 0)
            return true;
    }
    return false;
}

/* Says what ninja has said, "ninja: error: CHECK:LINE: ...", with the template's name for the file
 * PATH that ninja was given. */
static void report_syntax(const struct template *template, const char *path, const char *said)
{
    const char *at = strstr(said, path);
    const char *rest = at ? at + strlen(path) : said;

    message("the template '%s' is no ninja file: %s%.*s", template->name, at ? template->name : "",
            (int)strcspn(rest, "\n"), rest);
}

enum status template_check(const struct template *template, const struct ninja *ninja,
                           const char *folder)
{
    struct text path = {0}, output = {0};

    if (!template->path)
        return STATUS_OK;
    if (has_default(template)) {
        message("the template '%s' has a default statement: ninja would build that and no backend "
                "compilation",
                template->name);
        return STATUS_USAGE;
    }
    text_printf(&path, "%s/check.ninja", folder);
    enum status status = write_check(path.data, template, true);
    if (status == STATUS_OK && !ninja_reads(ninja, path.data, &output)) {
        text_clear(&output);
        status = write_check(path.data, template, false);
        if (signals_caught())
            status = signals_status();
        else if (status == STATUS_OK && ninja_reads(ninja, path.data, &output))
            message("the template '%s' does not define the rule 'backend'", template->name);
        else if (status == STATUS_OK)
            report_syntax(template, path.data, output.data);
        status = status == STATUS_OK ? STATUS_USAGE : status;
    }
    text_free(&path);
    text_free(&output);
    return status;
}

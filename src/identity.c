#include "identity.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "process.h"
#include "text.h"

static const char target_label[] = "Target: ";

/* A copy of the line at TEXT. */
static char *copy_line(const char *text)
{
    size_t length = strcspn(text, "\r\n");
    char *line = allocate(length + 1);

    memcpy(line, text, length);
    line[length] = '\0';
    return line;
}

/* Adds what the compiler's configuration files hold: they are options, which must be the same. */
static void add_configuration(struct text *version, const char *text)
{
    static const char label[] = "Configuration file: ";
    uint64_t hash = UINT64_C(14695981039346656037);
    bool is_there = false;

    for (; text; text = strchr(text, '\n'), text = text ? text + 1 : NULL) {
        struct text file = {0};
        if (strncmp(text, label, strlen(label)) != 0)
            continue;
        char *path = copy_line(text + strlen(label));
        is_there = true;
        text_clear(&file);
        if (text_read_file(&file, path) != 0)
            text_puts(&file, path);
        for (size_t i = 0; i <= file.length; i++)
            hash = (hash ^ (unsigned char)file.data[i]) * UINT64_C(1099511628211);
        text_free(&file);
        free(path);
    }
    if (is_there)
        text_printf(version, ", configured %016" PRIx64, hash);
}

bool identity_read(struct identity *identity, const char *text)
{
    const char *target = text;

    *identity = (struct identity){0};
    while (strncmp(target, target_label, strlen(target_label)) != 0) {
        target = strchr(target, '\n');
        if (!target)
            return false;
        target++;
    }
    size_t version = strcspn(text, "\r\n");
    const char *word = strstr(text, "clang version ");
    if (!word || word >= text + version)
        return false;
    identity->version = copy_line(text);
    identity->target = copy_line(target + strlen(target_label));
    return true;
}

bool identity_ask(struct identity *identity, const char *compiler, const char *subcommand)
{
    const char *argv[4] = {compiler};
    struct text output = {0};
    size_t count = 1;

    if (subcommand)
        argv[count++] = subcommand;
    argv[count] = "--version";
    *identity = (struct identity){0};
    bool good = process_output(argv, &output) == 0 && identity_read(identity, output.data);
    if (good) {
        struct text version = {0};
        text_puts(&version, identity->version);
        add_configuration(&version, output.data);
        free(identity->version);
        identity->version = version.data;
    }
    text_free(&output);
    return good;
}

char *identity_text(const struct identity *identity)
{
    struct text text = {0};

    text_printf(&text, "%s\n%s%s\n", identity->version, target_label, identity->target);
    return text.data;
}

bool identity_same(const struct identity *a, const struct identity *b)
{
    return strcmp(a->version, b->version) == 0 && strcmp(a->target, b->target) == 0;
}

void identity_free(struct identity *identity)
{
    free(identity->version);
    free(identity->target);
    *identity = (struct identity){0};
}

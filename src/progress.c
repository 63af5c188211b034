#include "progress.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "message.h"

enum {
    LONGEST_LINE = 1 << 20, /* what follows is passed on, but not looked at */
};

/* ninja: "FAILED: OUTPUT ..." up to 1.12, "FAILED: [code=N] OUTPUT ..." after. */
static const char ninja_failure[] = "FAILED: ", code[] = "[code=";
/* What a shell says of SIGKILL, and ninja since 1.13. */
static const char shell_killed[] = "Killed", ninja_killed[] = "FAILED: [code=137] ";
/* samurai, after the name it was called by: "job failed with status N: COMMAND", up to 1.2 "job
 * failed: COMMAND", and "job terminated due to signal N: COMMAND". */
static const char *const samurai_failures[] = {": job failed", ": job terminated due to signal"};
static const char samurai_killed[] = ": job terminated due to signal 9: ";
enum { LONGEST_NAME = 64 };

/* Copies LINE without terminal sequences ("ESC [ ... letter") to PLAIN. */
static void strip(const struct text *line, struct text *plain)
{
    text_clear(plain);
    for (size_t i = 0; i < line->length; i++) {
        if (line->data[i] == '\033' && line->data[i + 1] == '[') {
            i += 2;
            i += strspn(line->data + i, "0123456789;?");
        } else {
            text_putc(plain, line->data[i]);
        }
    }
}

/* Whether PHRASE stands in LINE behind the name that samurai was called by: its own or ninja's. */
static bool samurai_says(const char *line, const char *phrase)
{
    const char *at = strstr(line, phrase), *name = line;

    if (!at || at - line > LONGEST_NAME || memchr(line, ' ', (size_t)(at - line)))
        return false;
    for (const char *c = line; c < at; c++) {
        if (*c == '/')
            name = c + 1;
    }
    return strncmp(name, "samu", 4) == 0 || strncmp(name, "ninja", 5) == 0;
}

static void free_edge(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
}

/* Keeps the names of a line "FAILED: [code=N] OUTPUT OUTPUT ", which ends in a blank. */
static void keep_edge(struct progress *progress, const char *names)
{
    if (!progress->edges)
        progress->edges = lh_kchar_table_new(64, free_edge);
    if (!progress->edges)
        out_of_memory();
    if (strncmp(names, code, sizeof code - 1) == 0 && strchr(names, ']'))
        names = strchr(names, ']') + 2;
    char *key = duplicate(names);
    size_t length = strlen(key);
    if (length > 0 && key[length - 1] == ' ')
        key[length - 1] = '\0';
    if (lh_table_lookup_ex(progress->edges, key, NULL))
        free(key);
    else if (lh_table_insert(progress->edges, key, NULL) != 0)
        out_of_memory();
}

static void keep_command(struct progress *progress, const char *line)
{
    progress->commands =
        grow(progress->commands, progress->count, &progress->room, sizeof *progress->commands);
    progress->commands[progress->count++] = duplicate(line);
}

static void end_line(struct progress *progress)
{
    strip(&progress->line, &progress->plain);
    const char *line = progress->plain.data;
    bool edge = strncmp(line, ninja_failure, sizeof ninja_failure - 1) == 0;
    bool command =
        samurai_says(line, samurai_failures[0]) || samurai_says(line, samurai_failures[1]);

    if (edge)
        keep_edge(progress, line + sizeof ninja_failure - 1);
    else if (command)
        keep_command(progress, line);
    progress->any_failed |= edge || command;
    if (strcmp(line, shell_killed) == 0 || samurai_says(line, samurai_killed) ||
        strncmp(line, ninja_killed, sizeof ninja_killed - 1) == 0)
        progress->killed = true;
    text_clear(&progress->line);
}

void progress_scan(struct progress *progress, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (data[i] == '\n' || data[i] == '\r')
            end_line(progress);
        else if (data[i] && progress->line.length < LONGEST_LINE)
            text_putc(&progress->line, data[i]);
    }
}

void progress_output(struct progress *progress, const char *data, size_t length)
{
    progress_scan(progress, data, length);
    message_write(data, length);
}

void progress_free(struct progress *progress)
{
    for (size_t i = 0; i < progress->count; i++)
        free(progress->commands[i]);
    free(progress->commands);
    if (progress->edges)
        lh_table_free(progress->edges);
    text_free(&progress->line);
    text_free(&progress->plain);
    *progress = (struct progress){0};
}

/* A word ends where a shell's quoting could, too. */
static bool is_edge(char c)
{
    return c == '\0' || c == ' ' || c == '\'' || c == '"';
}

bool progress_has_failed(const struct progress *progress, const char *name)
{
    return progress->edges && lh_table_lookup_ex(progress->edges, name, NULL);
}

bool progress_names(const char *command, const char *output)
{
    size_t length = strlen(output);
    const char *at = command;

    while (length > 0 && (at = strstr(at, output))) {
        if (at > command && is_edge(at[-1]) && is_edge(at[length]))
            return true;
        at++;
    }
    return false;
}

#include "progress.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "message.h"

enum {
    LONGEST_LINE = 1 << 20, /* what follows is passed on, but not looked at */
    MOST_HELD = 20,         /* failures */
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

/* The names in a line "FAILED: [code=N] OUTPUT OUTPUT ", which ends in a blank; NAMES is what
 * stands behind the colon. The caller frees them. */
static char *copy_edge(const char *names)
{
    if (strncmp(names, code, sizeof code - 1) == 0 && strchr(names, ']'))
        names = strchr(names, ']') + 2;
    char *key = duplicate(names);
    size_t length = strlen(key);
    if (length > 0 && key[length - 1] == ' ')
        key[length - 1] = '\0';
    return key;
}

static void keep_edge(struct progress *progress, const char *names)
{
    if (!progress->edges)
        progress->edges = lh_kchar_table_new(64, free_edge);
    if (!progress->edges)
        out_of_memory();
    char *key = copy_edge(names);
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

static void show(struct progress *progress, const char *data, size_t length)
{
    if (length == 0)
        return;
    message_write(data, length);
    progress->mid_line = data[length - 1] != '\n';
}

/* Begins a line where a status, or a compiler, has left one open. */
static void begin_line(struct progress *progress)
{
    if (progress->mid_line)
        show(progress, "\n", 1);
}

static void take_status(void *context, const char *data, size_t length)
{
    struct progress *progress = context;

    if (progress->line.length > 0)
        progress_scan(progress, "\n", 1);
    progress->open_status = data[length - 1] != '\n';
    if (progress->quiet)
        return;
    /* On a terminal a status overwrites the last one. */
    if (*data != '\r')
        begin_line(progress);
    show(progress, data, length);
}

/* Shows what is new in it. */
static void show_new(struct progress *progress, const char *data, size_t length)
{
    struct text new = {0};

    if (progress->everything)
        text_write(&new, data, length);
    else
        fold_take(&progress->fold, data, length, &new);
    if (new.length > 0) {
        begin_line(progress);
        show(progress, new.data, new.length);
    }
    text_free(&new);
}

/* Puts the line at DATA without its end and without escape sequences into PLAIN. Returns its length
 * in DATA, with its end. */
static size_t take_line(struct text *plain, const char *data, size_t length)
{
    const char *newline = memchr(data, '\n', length);
    size_t size = newline ? (size_t)(newline - data) : length;
    struct text line = {0};

    text_write(&line, data, size);
    strip(&line, plain);
    text_free(&line);
    return newline ? size + 1 : size;
}

/* Where behind a failure ninja's own last words begin, "ninja: build stopped: ..."; LENGTH where
 * they are not there. */
static size_t find_last_words(const char *data, size_t length)
{
    static const char words[] = "ninja: build stopped: ";
    size_t size = sizeof words - 1;

    for (size_t i = 0; i + size <= length; i++) {
        if ((i == 0 || data[i - 1] == '\n') && memcmp(data + i, words, size) == 0)
            return i;
    }
    return length;
}

/* Holds a failure back: DATA begins with ninja's line that names the edge, and then has the
 * command.
 */
static void hold(struct progress *progress, const char *data, size_t length)
{
    size_t at = take_line(&progress->plain, data, length), end = find_last_words(data, length);
    struct failure failure = {
        .edge = copy_edge(progress->plain.data + sizeof ninja_failure - 1),
    };

    if (!progress->quiet) {
        begin_line(progress);
        show(progress, data, at);
    }
    size_t command = at < end ? take_line(&progress->plain, data + at, end - at) : 0;
    text_clear(&failure.command);
    if (progress->with_commands)
        text_write(&failure.command, data + at, command);
    at += command;
    text_clear(&failure.said);
    if (progress->everything)
        text_write(&failure.said, data + at, end - at);
    else
        fold_take(&progress->fold, data + at, end - at, &failure.said);
    if (failure.said.length > 0 && failure.said.data[failure.said.length - 1] != '\n')
        text_putc(&failure.said, '\n');
    progress->failures = grow(progress->failures, progress->failure_count, &progress->failure_room,
                              sizeof *progress->failures);
    progress->failures[progress->failure_count++] = failure;
    if (end < length && !progress->quiet)
        show(progress, data + end, length - end);
}

static bool is_failure(struct progress *progress, const char *data, size_t length)
{
    take_line(&progress->plain, data, length);
    return strncmp(progress->plain.data, ninja_failure, sizeof ninja_failure - 1) == 0;
}

static void take_block(void *context, const char *data, size_t length, bool is_part)
{
    struct progress *progress = context;

    progress_scan(progress, data, length);
    /* The end of a status line that has none of its own. */
    if (progress->open_status && *data == '\n') {
        data++;
        length--;
    }
    progress->open_status = false;
    if (length > 0 && is_part)
        show(progress, data, length);
    else if (length > 0 && progress->failure_count < MOST_HELD &&
             is_failure(progress, data, length))
        hold(progress, data, length);
    else if (length > 0)
        show_new(progress, data, length);
}

void progress_output(struct progress *progress, const char *data, size_t length)
{
    progress->blocks.calls = (struct blocks_calls){take_status, take_block, progress};
    blocks_take(&progress->blocks, data, length);
}

void progress_end(struct progress *progress)
{
    blocks_end(&progress->blocks);
    begin_line(progress);
    fold_report(&progress->fold);
}

struct failure *progress_failure(const struct progress *progress, const char *name)
{
    for (size_t i = 0; i < progress->failure_count; i++) {
        if (strcmp(progress->failures[i].edge, name) == 0)
            return &progress->failures[i];
    }
    return NULL;
}

void progress_release(struct progress *progress)
{
    for (size_t i = 0; i < progress->failure_count; i++) {
        struct failure *failure = &progress->failures[i];
        if (!failure->is_shown) {
            show(progress, failure->command.data, failure->command.length);
            show(progress, failure->said.data, failure->said.length);
        }
        failure->is_shown = true;
    }
}

void progress_free(struct progress *progress)
{
    for (size_t i = 0; i < progress->count; i++)
        free(progress->commands[i]);
    free(progress->commands);
    for (size_t i = 0; i < progress->failure_count; i++) {
        free(progress->failures[i].edge);
        text_free(&progress->failures[i].command);
        text_free(&progress->failures[i].said);
    }
    free(progress->failures);
    fold_free(&progress->fold);
    text_free(&progress->blocks.held);
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

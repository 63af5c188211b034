#include "fold.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "message.h"

enum {
    MOST_BYTES = 1 << 20,
    MOST_REPORTED = 10,
    LONGEST_NAME = 4096,
    LONGEST_REPORTED = 300, /* bytes of a line that is repeated in the report */
};

/* A diagnostic that was shown. */
struct said {
    char *key;  /* owned by the table: all of it, with the names taken out */
    char *line; /* owned; its first line, for people */
    size_t again;
    struct said *next;
};

enum kind { NO_HEADER, FOLDABLE, OTHER };

static size_t line_length(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    return newline ? (size_t)(newline - line) + 1 : (size_t)(end - line);
}

/* Whether LABEL stands in the line, at its beginning or behind a blank or an escape sequence. */
static const char *find_label(const char *line, size_t length, const char *label)
{
    size_t size = strlen(label);

    for (size_t i = 0; i + size <= length; i++) {
        if (memcmp(line + i, label, size) == 0 &&
            (i == 0 || line[i - 1] == ' ' || line[i - 1] == 'm'))
            return line + i;
    }
    return NULL;
}

/* What begins with this line. Of several labels the first one counts: an error may quote others. */
static enum kind classify(const char *line, size_t length)
{
    static const struct {
        const char *label;
        enum kind kind;
    } labels[] = {{"warning: ", FOLDABLE}, {"remark: ", FOLDABLE}, {"error: ", OTHER},
                  {"ERROR: ", OTHER},      {"PLEASE ", OTHER},     {"Stack dump:", OTHER},
                  {"FAILED: ", OTHER},     {"ninja: ", OTHER},     {"samu: ", OTHER}};
    const char *first = NULL;
    enum kind kind = NO_HEADER;

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const char *at = find_label(line, length, labels[i].label);
        if (at && (!first || at < first)) {
            first = at;
            kind = labels[i].kind;
        }
    }
    return kind;
}

/* clang's "1 warning generated.", and not "1 warning and 1 error generated." */
static bool is_count(const char *line, size_t length)
{
    size_t digits = strspn(line, "0123456789");
    static const char *const rests[] = {" warning generated.\n", " warnings generated.\n"};

    for (size_t i = 0; digits > 0 && i < 2; i++) {
        if (length == digits + strlen(rests[i]) &&
            memcmp(line + digits, rests[i], length - digits) == 0)
            return true;
    }
    return false;
}

static bool is_name(const struct fold *fold, const char *word, size_t length)
{
    struct text name = {0};

    if (!fold->is_name || length == 0)
        return false;
    text_write(&name, word, length);
    bool found = fold->is_name(fold->context, name.data);
    text_free(&name);
    return found;
}

/* Where in the LENGTH bytes at TEXT the string END begins; LENGTH where it is not there. */
static size_t find_end(const char *text, size_t length, const char *end)
{
    size_t size = strlen(end);

    for (size_t i = 0; i + size <= length; i++) {
        if (memcmp(text + i, end, size) == 0)
            return i;
    }
    return length;
}

/* The length of the name of a file that begins at TEXT, 0 where none does: a word, or what stands
 * in quotes or in front of ": ", since names may hold blanks. */
static size_t name_at(const struct fold *fold, const char *text, const char *end)
{
    static const char *const ends[] = {" ", "'", "\"", ": ", ":", ")"};
    size_t line = line_length(text, end);

    if (text[line - 1] == '\n')
        line--;
    if (line > LONGEST_NAME)
        line = LONGEST_NAME;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = find_end(text, line, ends[i]);
        if (is_name(fold, text, length))
            return length;
    }
    return 0;
}

/* Puts the LENGTH bytes at TEXT into KEY, with a control character in place of each name. */
static void make_key(const struct fold *fold, const char *text, size_t length, struct text *key)
{
    const char *end = text + length;
    bool at_word = true;

    text_clear(key);
    while (text < end) {
        size_t name = at_word ? name_at(fold, text, end) : 0;
        if (name > 0)
            text_putc(key, '\001');
        else if (*text)
            text_putc(key, *text);
        at_word = name == 0 && strchr(" '\"(\n", *text) != NULL;
        text += name > 0 ? name : 1;
    }
}

static void free_said(struct lh_entry *entry)
{
    struct said *said = (struct said *)lh_entry_v(entry);

    free(said->key);
    free(said->line);
    free(said);
}

static void keep(struct fold *fold, const struct text *key, const char *line, size_t length)
{
    struct text first = {0};

    if (!fold->seen)
        fold->seen = lh_kchar_table_new(64, free_said);
    if (!fold->seen)
        out_of_memory();
    if (fold->bytes + key->length > MOST_BYTES)
        return;
    fold->bytes += key->length + sizeof(struct said) + LONGEST_REPORTED;
    length = length > LONGEST_REPORTED ? LONGEST_REPORTED : length;
    text_clear(&first);
    for (size_t i = 0; i < length && line[i] != '\n' && line[i] != '\r'; i++) {
        if (line[i] == '\033' && line[i + 1] == '[')
            i += 1 + strcspn(line + i + 1, "mK\n");
        else
            text_putc(&first, line[i]);
    }
    struct said *said = allocate(sizeof *said);
    *said = (struct said){.key = duplicate(key->data), .line = first.data};
    if (lh_table_insert(fold->seen, said->key, said) != 0)
        out_of_memory();
    if (fold->last)
        fold->last->next = said;
    else
        fold->first = said;
    fold->last = said;
}

/* Whether the diagnostic was shown before; else it is kept. KEY is memory to work in. */
static bool is_repeated(struct fold *fold, const char *data, size_t length, struct text *key)
{
    void *found;

    make_key(fold, data, length, key);
    if (fold->seen && lh_table_lookup_ex(fold->seen, key->data, &found)) {
        ((struct said *)found)->again++;
        return true;
    }
    keep(fold, key, data, line_length(data, data + length));
    return false;
}

/* The length of what begins at TEXT: one header line, and those behind it without one. A count is
 * for itself. */
static size_t measure(const char *text, const char *end)
{
    const char *at = text + line_length(text, end);

    if (is_count(text, (size_t)(at - text)))
        return (size_t)(at - text);
    while (at < end) {
        size_t length = line_length(at, end);
        if (classify(at, length) != NO_HEADER || is_count(at, length))
            break;
        at += length;
    }
    return (size_t)(at - text);
}

void fold_take(struct fold *fold, const char *data, size_t length, struct text *out)
{
    const char *end = data + length;
    struct text key = {0};
    bool dropped = false;

    for (size_t part; data < end; data += part) {
        part = measure(data, end);
        if (is_count(data, part) && dropped)
            continue;
        if (classify(data, line_length(data, end)) == FOLDABLE &&
            is_repeated(fold, data, part, &key))
            dropped = true;
        else
            text_write(out, data, part);
    }
    text_free(&key);
}

void fold_report(const struct fold *fold)
{
    size_t reported = 0, others = 0, times = 0;

    for (const struct said *said = fold->first; said; said = said->next) {
        if (said->again == 0)
            continue;
        if (reported == MOST_REPORTED) {
            others++;
            times += said->again;
            continue;
        }
        reported++;
        message("%zu more time%s: %s", said->again, said->again == 1 ? "" : "s", said->line);
    }
    if (others > 0)
        message("%zu more times: %zu other warnings; -v shows each", times, others);
}

void fold_free(struct fold *fold)
{
    if (fold->seen)
        lh_table_free(fold->seen);
    *fold = (struct fold){0};
}

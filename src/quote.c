#include "quote.h"

#include <string.h>

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* Characters that no shell treats specially anywhere in a word. Bytes over 127 are not among them:
 * in some locales a shell takes one of them for a blank. */
static bool is_plain(unsigned char c)
{
    return is_letter(c) || is_digit(c) || (c && strchr("@%+=:,./-", c));
}

/* "name=..." in front of a command is an assignment. */
static bool is_assignment(const char *word)
{
    if (!is_letter((unsigned char)*word))
        return false;
    while (is_letter((unsigned char)*word) || is_digit((unsigned char)*word))
        word++;
    return *word == '=';
}

static bool needs_quotes(const char *word)
{
    if (!*word || is_assignment(word))
        return true;
    while (*word && is_plain((unsigned char)*word))
        word++;
    return *word != '\0';
}

static void quote_always(struct text *out, const char *word)
{
    bool open = false;

    for (const char *c = word; *c; c++) {
        bool special = *c == '\'' || *c == '\n' || *c == '\r';
        if (special == open) {
            text_putc(out, '\'');
            open = !open;
        }
        if (*c == '\'')
            text_puts(out, "\\'");
        else if (*c == '\n')
            text_puts(out, "\"${IFS#??}\"");
        else if (*c == '\r')
            text_puts(out, "\"$(printf '\\015')\"");
        else
            text_putc(out, *c);
    }
    if (open)
        text_putc(out, '\'');
    if (!*word)
        text_puts(out, "''");
}

void quote_shell(struct text *out, const char *word)
{
    if (needs_quotes(word))
        quote_always(out, word);
    else
        text_puts(out, word);
}

void quote_command(struct text *out, const char *word)
{
    /* Otherwise it could be a reserved word, an assignment ("c+=d/prog" to bash), or an option of
     * the shell itself ("sh -c -/prog"). */
    if (*word == '/' || *word == '.')
        quote_shell(out, word);
    else
        quote_always(out, word);
}

void quote_shell_words(struct text *out, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_putc(out, ' ');
        quote_shell(out, words[i]);
    }
}

/* Appends TEXT with '$' in front of each of the characters in SPECIAL. */
static void escape_for_ninja(struct text *out, const char *text, const char *special)
{
    for (;;) {
        size_t span = strcspn(text, special);
        text_write(out, text, span);
        text += span;
        if (!*text)
            break;
        text_putc(out, '$');
        text_putc(out, *text++);
    }
}

void quote_value(struct text *out, const char *value)
{
    /* ninja skips blanks in front of a value. */
    if (*value == ' ')
        text_putc(out, '$');
    escape_for_ninja(out, value, "$");
    /* Readers, and editors, would lose one at the end. */
    if (value[0] && value[1] && value[strlen(value) - 1] == ' ') {
        out->data[out->length - 1] = '$';
        text_putc(out, ' ');
    }
}

void quote_path(struct text *out, const char *path)
{
    escape_for_ninja(out, path, "$ :");
}

bool quotable_value(const char *value)
{
    return !strpbrk(value, "\n\r");
}

bool quotable_path(const char *path)
{
    return *path && !strpbrk(path, "\n\r|");
}

void quote_response(struct text *out, const char *word)
{
    if (!*word)
        text_puts(out, "\"\"");
    for (; *word; word++) {
        if (strchr(" \t\n\r\v\f\\'\"", *word))
            text_putc(out, '\\');
        text_putc(out, *word);
    }
}

/* Copies one word from *FROM to OUT, and moves *FROM past it. */
static bool take_word(const char **from, struct text *out)
{
    char quote = '\0';
    const char *c = *from;

    for (; *c && (quote || !strchr(" \t\n", *c)); c++) {
        if (*c == quote) {
            quote = '\0';
        } else if (!quote && (*c == '\'' || *c == '"')) {
            quote = *c;
        } else if (*c == '\\' && quote != '\'') {
            if (!*++c)
                return false;
            if (*c == '\n')
                continue;
            if (quote && !strchr("\"\\$`", *c))
                text_putc(out, '\\');
            text_putc(out, *c);
        } else {
            text_putc(out, *c);
        }
    }
    *from = c;
    return !quote;
}

bool split_options(const char *options, struct text *storage, struct words *words)
{
    size_t count = 0;

    text_clear(storage);
    for (options += strspn(options, " \t\n"); *options; options += strspn(options, " \t\n")) {
        if (!take_word(&options, storage))
            return false;
        text_putc(storage, '\0');
        count++;
    }
    /* Only now does the storage stay where it is. */
    const char *word = storage->data;
    for (size_t i = 0; i < count; i++) {
        words_add(words, word);
        word += strlen(word) + 1;
    }
    return true;
}

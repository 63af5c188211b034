#include "note.h"

#include <stdlib.h>
#include <string.h>

void note_write(struct text *out, const struct note *note)
{
    size_t start = out->length;

    text_printf(out, NOTE_FORMAT, note->kind, note->job, (long long)note->start,
                (long long)note->end, note->peak, note->status, note->host, note->text);
    for (size_t i = start; i < out->length; i++)
        out->data[i] = (unsigned char)out->data[i] < ' ' ? '?' : out->data[i];
    text_putc(out, '\n');
}

/* Cuts the next word off the line at *REST; a null pointer where there is none. */
static char *next_word(char **rest)
{
    char *word = *rest, *end = word + strcspn(word, " ");

    if (*word == '\0' || *end == '\0')
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return word;
}

/* The same for a number. */
static bool next_number(char **rest, long long *number)
{
    char *word = next_word(rest), *end = NULL;

    if (word)
        *number = strtoll(word, &end, 10);
    return word && *end == '\0';
}

bool note_read(char *line, struct note *note)
{
    long long numbers[5];

    note->kind = next_word(&line);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!note->kind || !next_number(&line, &numbers[i]))
            return false;
    }
    note->host = next_word(&line);
    note->text = line;
    note->job = (long)numbers[0];
    note->start = numbers[1];
    note->end = numbers[2];
    note->peak = (long)numbers[3];
    note->status = (int)numbers[4];
    return note->host != NULL;
}

#include "tally.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "note.h"

enum { MOST_REASONS = 3 };

struct reason {
    const char *text;
    size_t count;
};

/* The jobs of one kind. */
struct tally {
    size_t count;
    struct reason *reasons; /* owned; their texts are not */
    size_t reason_count, room;
};

static void add(struct tally *tally, const char *reason)
{
    tally->count++;
    for (size_t i = 0; i < tally->reason_count; i++) {
        if (strcmp(tally->reasons[i].text, reason) == 0) {
            tally->reasons[i].count++;
            return;
        }
    }
    tally->reasons =
        grow(tally->reasons, tally->reason_count, &tally->room, sizeof *tally->reasons);
    tally->reasons[tally->reason_count++] = (struct reason){reason, 1};
}

/* The most frequent first; of equal ones, in the order of the alphabet. */
static int compare(const void *a, const void *b)
{
    const struct reason *left = a, *right = b;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(left->text, right->text);
}

static void say_kind(struct text *out, struct tally *tally, const char *label)
{
    if (tally->count == 0)
        return;
    text_printf(out, ", %zu %s", tally->count, label);
    qsort(tally->reasons, tally->reason_count, sizeof *tally->reasons, compare);
    for (size_t i = 0; i < tally->reason_count && i < MOST_REASONS; i++) {
        text_printf(out, "%s%s", i > 0 ? ", " : ": ", tally->reasons[i].text);
        if (tally->reason_count > 1)
            text_printf(out, " (%zu)", tally->reasons[i].count);
    }
    if (tally->reason_count > MOST_REASONS)
        text_puts(out, ", and others");
}

void tally_say(struct text *out, char *lines, size_t jobs, const char *through)
{
    struct tally local = {0}, back = {0};
    bool is_cache = through && strncmp(through, "ccache", strlen("ccache")) == 0;
    size_t remote = 0, cached = 0, compiled = 0;

    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        struct note note;
        if (!note_read(line, &note))
            continue;
        if (strcmp(note.kind, "remote") == 0)
            remote++;
        else if (strcmp(note.kind, "cached") == 0)
            cached++;
        else if (strcmp(note.kind, "compiled") == 0)
            compiled++;
        else if (strcmp(note.kind, "local") == 0)
            add(&local, note.text);
        else if (strcmp(note.kind, "back") == 0)
            add(&back, note.text);
    }
    if (is_cache)
        text_printf(out, "%zu of %zu from the cache (%s)", cached, jobs, through);
    else
        text_printf(out, "%zu of %zu remote", remote, jobs);
    if (through && !is_cache)
        text_printf(out, " (%s)", through);
    if (is_cache && remote > 0)
        text_printf(out, ", %zu remote", remote);
    if (compiled > 0)
        text_printf(out, ", %zu compiled", compiled);
    say_kind(out, &local, "local");
    say_kind(out, &back, "fell back");
    free(local.reasons);
    free(back.reasons);
}

#include "bundle.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum {
    MOST_PLACE = 1000, /* bytes of a place, and how many parts it may have */
    MOST_PARTS = 40,
};

static char *copy(const char *string)
{
    return string ? duplicate(string) : NULL;
}

void bundle_add_option(struct bundle *bundle, const char *text, const char *member)
{
    bundle->options =
        grow(bundle->options, bundle->option_count, &bundle->option_room, sizeof *bundle->options);
    bundle->options[bundle->option_count++] = (struct bundle_option){copy(text), copy(member)};
}

void bundle_add_member(struct bundle *bundle, const char *name, const char *path, const char *place)
{
    bundle->members =
        grow(bundle->members, bundle->member_count, &bundle->member_room, sizeof *bundle->members);
    bundle->members[bundle->member_count++] =
        (struct bundle_member){copy(name), copy(path), copy(place)};
}

void bundle_free(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->option_count; i++) {
        free(bundle->options[i].text);
        free(bundle->options[i].member);
    }
    for (size_t i = 0; i < bundle->member_count; i++) {
        free(bundle->members[i].name);
        free(bundle->members[i].path);
        free(bundle->members[i].place);
    }
    free(bundle->options);
    free(bundle->members);
    free(bundle->module);
    text_free(&bundle->index);
    identity_free(&bundle->identity);
    *bundle = (struct bundle){0};
}

/* The files that the compiler reads and writes besides have places, too. */
static bool is_taken(const char *place)
{
    size_t length = strcspn(place, "/");

    return (length == strlen(BUNDLE_INDEX) && strncmp(place, BUNDLE_INDEX, length) == 0) ||
           (length == strlen(BUNDLE_OBJECT) && strncmp(place, BUNDLE_OBJECT, length) == 0);
}

bool bundle_is_place(const char *place)
{
    const char *part = place;

    if (is_taken(place))
        return false;
    if (strlen(place) > MOST_PLACE || place[0] == '-' || place[0] == '@' || strpbrk(place, "\n\r"))
        return false;
    for (int parts = 1; parts <= MOST_PARTS; parts++) {
        size_t length = strcspn(part, "/");
        if (length == 0 || length > 255 || (length == 1 && part[0] == '.') ||
            (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        if (!part[length])
            return true;
        part += length + 1;
    }
    return false;
}

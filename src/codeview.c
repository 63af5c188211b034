#include "codeview.h"

#include <stddef.h>
#include <string.h>

#include "text.h"

static bool contains(const struct text *text, const char *bytes)
{
    size_t length = strlen(bytes);
    const char *at = text->data, *end = text->data + text->length;

    while (at && (size_t)(end - at) >= length) {
        if (memcmp(at, bytes, length) == 0)
            return true;
        at = memchr(at + 1, bytes[0], (size_t)(end - at) - 1);
    }
    return false;
}

/* Whether the target is Windows, by any of its names, or UEFI. */
static bool may_have(const char *target)
{
    static const char *const names[] = {"windows", "win32", "mingw", "cygwin", "uefi"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(target, names[i]))
            return true;
    }
    return false;
}

bool codeview_records(const struct compilation *compilation, const struct words *inputs)
{
    bool found = false;

    if (!may_have(compilation->target))
        return false;
    for (size_t i = 0; !found && i < inputs->count; i++) {
        struct text file = {0};
        found = text_read_file(&file, inputs->items[i]) != 0 || contains(&file, "CodeView");
        text_free(&file);
    }
    return found;
}

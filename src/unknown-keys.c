#include "unknown-keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

void unknown_keys_note(struct unknown_keys *keys, const char *where, const char *key)
{
    struct text name = {0};
    bool known = keys->count == UNKNOWN_KEYS_NAMED;

    text_printf(&name, "%s%s", where, key);
    for (size_t i = 0; i < keys->count && !known; i++)
        known = strcmp(keys->names[i], name.data) == 0;
    if (known)
        text_free(&name);
    else
        keys->names[keys->count++] = name.data;
}

void unknown_keys_warn(const struct unknown_keys *keys, const char *path)
{
    struct text list = {0};

    if (keys->count == 0)
        return;
    for (size_t i = 0; i < keys->count; i++)
        text_printf(&list, "%s%s", i ? ", " : "", keys->names[i]);
    message("warning: %s: passed over keys that this version does not know: %s%s", path, list.data,
            keys->count == UNKNOWN_KEYS_NAMED ? ", perhaps others" : "");
    text_free(&list);
}

void unknown_keys_free(struct unknown_keys *keys)
{
    while (keys->count > 0)
        free(keys->names[--keys->count]);
}

#include "setting.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"

bool setting_read(const char *name, const char *unit, uint64_t *value)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text)
        return true;
    uint64_t number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || strlen(text) > 18) {
        message("%s: expected a number of %s, found '%s'", name, unit, text);
        return false;
    }
    *value = number;
    return true;
}

#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool program_find(struct text *path, const char *variable, const char *name, const char *folder)
{
    const char *given = getenv(variable);
    char self[4096] = "";

    text_clear(path);
    if (given && *given) {
        text_puts(path, given);
        return access(path->data, X_OK) == 0;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash) {
        text_write(path, self, (size_t)(slash - self) + 1);
        text_puts(path, name);
        if (access(path->data, X_OK) == 0)
            return true;
    }
    text_clear(path);
    text_printf(path, "%s/%s", folder, name);
    return access(path->data, X_OK) == 0;
}

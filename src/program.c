#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool program_self(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool program_in_path(struct text *file, const char *name)
{
    const char *list = getenv("PATH");

    text_clear(file);
    text_puts(file, name);
    if (strchr(name, '/'))
        return true;
    while (list) {
        size_t length = strcspn(list, ":");
        struct stat info;
        text_clear(file);
        text_write(file, list, length);
        text_printf(file, "%s%s", length > 0 ? "/" : "", name);
        if (stat(file->data, &info) == 0 && S_ISREG(info.st_mode) && access(file->data, X_OK) == 0)
            return true;
        list = list[length] ? list + length + 1 : NULL;
    }
    return false;
}

bool program_find(struct text *path, const char *variable, const char *name, const char *folder)
{
    const char *given = getenv(variable);
    char self[4096];

    text_clear(path);
    if (given && *given) {
        text_puts(path, given);
        return access(path->data, X_OK) == 0;
    }
    char *slash = program_self(self, sizeof self) ? strrchr(self, '/') : NULL;
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

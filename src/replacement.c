#include "replacement.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

bool replacement_open(struct replacement *r, const char *path)
{
    struct stat info;
    struct text name = {0};

    *r = (struct replacement){.path = path};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        r->file = fopen(path, "w");
        return r->file != NULL;
    }
    text_printf(&name, "%s.XXXXXX", path);
    int fd = mkstemp(name.data);
    if (fd < 0) {
        int error = errno;
        text_free(&name);
        errno = error;
        return false;
    }
    r->temporary = name.data;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    r->file = fdopen(fd, "w");
    if (!r->file) {
        close(fd);
        unlink(r->temporary);
        free(r->temporary);
    }
    return r->file != NULL;
}

bool replacement_finish(struct replacement *r, bool discard)
{
    bool good = !discard && !ferror(r->file);
    /* ferror does not say why; the last error is most likely that. */
    int error = errno;

    if (fclose(r->file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (r->temporary && good && rename(r->temporary, r->path) != 0) {
        good = false;
        error = errno;
    }
    if (r->temporary && !good)
        unlink(r->temporary);
    free(r->temporary);
    *r = (struct replacement){0};
    errno = error;
    return good || discard;
}

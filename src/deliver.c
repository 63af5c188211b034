#include "deliver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

bool write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t count = write(fd, data, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        data += count;
        length -= (size_t)count;
    }
    return true;
}

static bool copy(int from, int to)
{
    char buffer[65536];
    ssize_t count;

    while ((count = read(from, buffer, sizeof buffer)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || !write_all(to, buffer, (size_t)count))
            return false;
    }
    return true;
}

bool deliver(int from, const char *to)
{
    struct text name = {0};
    mode_t mask = umask(0);

    umask(mask);
    text_printf(&name, "%s.XXXXXX", to);
    int fd = mkstemp(name.data);
    bool good = fd >= 0 && copy(from, fd) && fchmod(fd, 0666 & ~mask) == 0;
    if (fd >= 0)
        good = close(fd) == 0 && good;
    good = good && rename(name.data, to) == 0;
    int error = errno;
    if (!good && fd >= 0)
        unlink(name.data);
    text_free(&name);
    errno = error;
    return good;
}

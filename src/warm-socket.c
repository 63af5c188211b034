#define _GNU_SOURCE /* O_PATH */

#include "warm-socket.h"

#ifdef HAVE_WARM

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Fills in ADDRESS. The address of a Unix socket has room for some hundred bytes; a longer path is
 * reached through its folder, whose descriptor is returned then, to be closed. Returns -1 where
 * that is not needed, and -2 on failure. */
static int set_address(struct sockaddr_un *address, const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) < sizeof address->sun_path) {
        memcpy(address->sun_path, path, strlen(path) + 1);
        return -1;
    }
    if (!slash || (size_t)(slash - path) >= sizeof folder || strlen(slash) > 32) {
        errno = ENAMETOOLONG;
        return -2;
    }
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -2;
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d%.32s", fd, slash);
    return fd;
}

static int open_socket(const char *path, bool listening)
{
    struct sockaddr_un address;
    int folder = set_address(&address, path);

    if (folder == -2)
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0;
    if (good && listening)
        good = bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 4096) == 0;
    else if (good)
        good = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    int error = errno;
    if (folder >= 0)
        close(folder);
    if (!good && fd >= 0)
        close(fd);
    errno = error;
    return good ? fd : -1;
}

int warm_listen(const char *path)
{
    return open_socket(path, true);
}

int warm_connect(const char *path)
{
    return open_socket(path, false);
}

#endif

#include "slots.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processors.h"
#include "signals.h"
#include "text.h"

enum { STEP_MS = 20 };

static long count_slots(void)
{
    const char *value = getenv("DTLTO_CLANG_SLOTS");
    long count = value ? strtol(value, NULL, 10) : 0;

    if (count <= 0)
        count = (long)processors_available("");
    return count > 0 ? count : 1;
}

/* A slot is a byte of the file that somebody has locked: the system unlocks it, however its owner
 * ends. */
static int try_all(int fd, long count)
{
    for (long i = 0; i < count; i++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = i, .l_len = 1};
        if (fcntl(fd, F_SETLK, &lock) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return errno;
    }
    return EAGAIN;
}

/* The file of a manifest that is run by hand: one of this user. */
static int open_own(void)
{
    const char *temporary = getenv("TMPDIR");
    struct text path = {0};
    struct stat info;

    text_printf(&path, "%s/dtlto-clang-%ld.slots", temporary && *temporary ? temporary : "/tmp",
                (long)geteuid());
    int fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    text_free(&path);
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int slots_take(const char *folder)
{
    struct text path = {0};
    long count = count_slots();
    int error;

    text_printf(&path, "%s/slots", folder);
    int fd = open(path.data, O_RDWR | O_CLOEXEC);
    text_free(&path);
    if (fd < 0)
        fd = open_own();
    if (fd < 0)
        return -1;
    /* A system that has run out of locks has them again when others have ended. */
    while ((error = try_all(fd, count)) != 0 && (error == EAGAIN || error == ENOLCK) &&
           !signals_caught()) {
        struct pollfd signal = {signals_fd(), POLLIN, 0};
        poll(&signal, 1, STEP_MS);
    }
    if (error == 0)
        return fd;
    close(fd);
    return -1;
}

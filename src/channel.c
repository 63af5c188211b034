#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* No output processing: what ninja writes goes on to the real terminal as it is. */
static void make_raw(int fd)
{
    struct termios mode;

    if (tcgetattr(fd, &mode) == 0) {
        mode.c_oflag &= ~(tcflag_t)OPOST;
        mode.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
        tcsetattr(fd, TCSANOW, &mode);
    }
}

static bool open_terminal(struct channel *channel)
{
    channel->read_end = posix_openpt(O_RDWR | O_NOCTTY);
    if (channel->read_end < 0)
        return false;
    const char *name = NULL;
    if (grantpt(channel->read_end) == 0 && unlockpt(channel->read_end) == 0)
        name = ptsname(channel->read_end);
    channel->write_end = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (channel->write_end < 0) {
        close(channel->read_end);
        channel->read_end = -1;
        return false;
    }
    channel->is_terminal = true;
    make_raw(channel->write_end);
    channel_resize(channel);
    return true;
}

bool channel_open(struct channel *channel)
{
    int ends[2];

    *channel = (struct channel){-1, -1, false};
    /* A system that is out of pseudo-terminals still has pipes. */
    if (!isatty(STDERR_FILENO) || !open_terminal(channel)) {
        if (pipe(ends) != 0)
            return false;
        *channel = (struct channel){ends[0], ends[1], false};
    }
    fcntl(channel->read_end, F_SETFD, FD_CLOEXEC);
    fcntl(channel->write_end, F_SETFD, FD_CLOEXEC);
    return true;
}

void channel_resize(const struct channel *channel)
{
    struct winsize size;

    if (channel->is_terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        ioctl(channel->read_end, TIOCSWINSZ, &size);
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void channel_close_write(struct channel *channel)
{
    close_one(&channel->write_end);
}

void channel_close(struct channel *channel)
{
    close_one(&channel->read_end);
    close_one(&channel->write_end);
}

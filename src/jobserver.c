#include "jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "text.h"

/* Where the value of the last of the options NAME begins in FLAGS; a null pointer where there is
 * none. */
static const char *last_value(const char *flags, const char *name)
{
    const char *found = NULL, *at = flags;

    while ((at = strstr(at, name))) {
        at += strlen(name);
        found = at;
    }
    return found;
}

/* Opens what the descriptor FD refers to once more: to set O_NONBLOCK on make's own would change it
 * for everybody who has it. Only Linux can; on other systems there is no such file. */
static int reopen(int fd, int flags)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_NONBLOCK | O_CLOEXEC);
}

static void open_fifo(struct jobserver *jobserver, const char *value)
{
    struct text path = {0};
    struct stat info;

    text_write(&path, value, strcspn(value, " "));
    jobserver->read_fd = open(path.data, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (jobserver->read_fd >= 0)
        jobserver->write_fd = open(path.data, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    text_free(&path);
    jobserver->is_fifo = true;
    jobserver->exists =
        jobserver->write_fd >= 0 && fstat(jobserver->read_fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* Whether both descriptors are the two ends of one pipe. */
static bool is_pipe(int read_end, int write_end)
{
    struct stat first, second;

    return fstat(read_end, &first) == 0 && fstat(write_end, &second) == 0 &&
           S_ISFIFO(first.st_mode) && S_ISFIFO(second.st_mode) && first.st_ino == second.st_ino &&
           first.st_dev == second.st_dev;
}

static void open_pipe(struct jobserver *jobserver, const char *value)
{
    char *end;
    long read_end = strtol(value, &end, 10), write_end = -1;

    if (*end == ',')
        write_end = strtol(end + 1, NULL, 10);
    if (read_end < 0 || write_end < 0 || read_end > 65535 || write_end > 65535 ||
        !is_pipe((int)read_end, (int)write_end))
        return;
    jobserver->read_fd = reopen((int)read_end, O_RDONLY);
    jobserver->write_fd = reopen((int)write_end, O_WRONLY);
    jobserver->exists = jobserver->read_fd >= 0 && jobserver->write_fd >= 0;
}

void jobserver_open(struct jobserver *jobserver)
{
    const char *flags = getenv("MAKEFLAGS");
    const char *value = flags ? last_value(flags, "--jobserver-auth=") : NULL;

    *jobserver = (struct jobserver){.read_fd = -1, .write_fd = -1};
    if (flags && !value)
        value = last_value(flags, "--jobserver-fds="); /* before make 4.2 */
    if (!value)
        return;
    const char *slots = last_value(flags, " -j");
    jobserver->slots = slots ? strtoul(slots, NULL, 10) : 0;
    if (strncmp(value, "fifo:", 5) == 0)
        open_fifo(jobserver, value + 5);
    else
        open_pipe(jobserver, value);
}

size_t jobserver_take(struct jobserver *jobserver, size_t most)
{
    ssize_t count = 0;

    if (!jobserver->exists || most == 0)
        return 0;
    jobserver->tokens = reallocate(jobserver->tokens, jobserver->count + most, 1);
    do
        count = read(jobserver->read_fd, jobserver->tokens + jobserver->count, most);
    while (count < 0 && errno == EINTR);
    if (count <= 0)
        return 0;
    jobserver->count += (size_t)count;
    return (size_t)count;
}

void jobserver_put_back(struct jobserver *jobserver)
{
    while (jobserver->count > 0) {
        ssize_t count = write(jobserver->write_fd, jobserver->tokens, jobserver->count);
        if (count > 0) {
            jobserver->count -= (size_t)count;
            memmove(jobserver->tokens, jobserver->tokens + count, jobserver->count);
        } else if (errno != EINTR) {
            break;
        }
    }
}

void jobserver_close(struct jobserver *jobserver)
{
    jobserver_put_back(jobserver);
    if (jobserver->read_fd >= 0)
        close(jobserver->read_fd);
    if (jobserver->write_fd >= 0)
        close(jobserver->write_fd);
    free(jobserver->tokens);
    *jobserver = (struct jobserver){.read_fd = -1, .write_fd = -1};
}

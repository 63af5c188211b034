#include "json-input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "signals.h"

enum { FIRST_ROOM = 256 * 1024 }; /* bytes read at once */

enum status input_open(struct input *input, const char *path)
{
    int fd;

    do
        fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR && !signals_caught());
    if (fd < 0 && signals_caught())
        return signals_status();
    if (fd < 0) {
        enum status status = errno == ENOENT || errno == ENOTDIR ? STATUS_USAGE : STATUS_SYSTEM;
        message_error(errno, "cannot open the job description '%s'", path);
        return status;
    }
    *input = (struct input){.path = path, .fd = fd, .room = FIRST_ROOM, .lines_known = true};
    input->buffer = allocate(input->room);
    return STATUS_OK;
}

void input_close(struct input *input)
{
    free(input->buffer);
    close(input->fd);
}

/* Counts the lines in the first LENGTH bytes of the buffer. */
static void count_lines(const struct input *input, size_t length, size_t *lines, off_t *line_offset)
{
    const char *at = input->buffer, *end = input->buffer + length;

    *lines = input->lines;
    *line_offset = input->line_offset;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        (*lines)++;
        *line_offset = input->base + (at - input->buffer);
    }
}

/* Counts the lines in front of buffer[0] anew, for a message. */
static void recount_lines(struct input *input)
{
    char block[4096];
    off_t at = 0;

    input->lines = 0;
    input->line_offset = 0;
    while (at < input->base) {
        off_t left = input->base - at;
        ssize_t count = pread(input->fd, block, left < 4096 ? (size_t)left : 4096, at);
        if (count <= 0)
            break;
        for (ssize_t i = 0; i < count; i++) {
            at++;
            if (block[i] == '\n') {
                input->lines++;
                input->line_offset = at;
            }
        }
    }
    input->lines_known = true;
}

/* Drops what was consumed and reads more behind what was not. */
static enum status read_more(struct input *input)
{
    if (input->from > 0) {
        count_lines(input, input->from, &input->lines, &input->line_offset);
        memmove(input->buffer, input->buffer + input->from, input->to - input->from);
        input->base += (off_t)input->from;
        input->to -= input->from;
        input->from = 0;
    }
    if (input->to == input->room) {
        input->buffer = reallocate(input->buffer, input->room, 2);
        input->room *= 2;
    }
    ssize_t count;
    do
        count = read(input->fd, input->buffer + input->to, input->room - input->to);
    while (count < 0 && errno == EINTR && !signals_caught());
    if (count < 0 && signals_caught())
        return signals_status();
    if (count < 0) {
        message_error(errno, "cannot read the job description '%s'", input->path);
        return STATUS_SYSTEM;
    }
    input->at_end = count == 0;
    input->to += (size_t)count;
    return STATUS_OK;
}

int input_peek(struct input *input, size_t ahead)
{
    while (input->from + ahead >= input->to) {
        if (input->at_end)
            return INPUT_END;
        if (read_more(input) != STATUS_OK)
            return INPUT_BROKEN;
    }
    return (unsigned char)input->buffer[input->from + ahead];
}

off_t input_tell(const struct input *input)
{
    return input->base + (off_t)input->from;
}

bool input_seek(struct input *input, off_t offset)
{
    if (lseek(input->fd, offset, SEEK_SET) < 0) {
        message_error(errno, "cannot go back in the job description '%s', which must be a file",
                      input->path);
        return false;
    }
    input->from = input->to = 0;
    input->at_end = false;
    input->base = offset;
    input->lines_known = false;
    return true;
}

void input_place(struct input *input, size_t ahead, size_t *line, long long *column)
{
    off_t line_offset;

    if (!input->lines_known)
        recount_lines(input);
    count_lines(input, input->from + ahead, line, &line_offset);
    ++*line;
    *column = (long long)(input->base + (off_t)(input->from + ahead) - line_offset) + 1;
}

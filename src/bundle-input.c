#include "bundle-input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"

enum {
    BLOCK = 512,
    LEAST_ZEROS = 2 * BLOCK,
    MOST_ZEROS = 1 << 16, /* writers fill up their last record, of 10240 bytes mostly */

    /* Where POSIX.1-2008 has the fields of a header (pax, "ustar Interchange Format"). */
    NAME_END = 100,
    SIZE = 124,
    SIZE_DIGITS = 11,
    TYPE = 156,
    LINK = 157,
    MAGIC = 257,
    PREFIX = 345,
};

/* The magic and the version. */
static const char ustar[] = "ustar\00000";

static ptrdiff_t fail(struct bundle_input *input, const char *problem)
{
    input->problem = problem;
    return -1;
}

/* Waits for more of the bundle, or for a signal: an iceccd that has lost its client sends one, and
 * leaves its end of the pipe open. */
static bool wait_for_input(int fd)
{
    struct pollfd ready[] = {{fd, POLLIN, 0}, {signals_fd(), POLLIN, 0}};

    while (!signals_caught()) {
        if (poll(ready, 2, -1) > 0 && ready[0].revents)
            return true;
        signals_drain();
    }
    return false;
}

/* Fills LENGTH bytes of the buffer. Returns how many came before the end. */
static ptrdiff_t fill(struct bundle_input *input, size_t length)
{
    size_t have = 0;

    while (have < length) {
        if (!wait_for_input(input->fd))
            return fail(input, "ended by a signal");
        ssize_t count = read(input->fd, input->buffer + have, length - have);
        if (count == 0)
            break;
        if (count < 0 && errno != EINTR && errno != EAGAIN)
            return fail(input, strerror(errno));
        if (count > 0)
            have += (size_t)count;
    }
    return (ptrdiff_t)have;
}

static bool are_zeros(const char *bytes, size_t length)
{
    return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

/* The size that a header has, of whole blocks. */
static bool read_size(const char *field, uint64_t *size)
{
    *size = 0;
    for (int i = 0; i < SIZE_DIGITS; i++) {
        if (field[i] < '0' || field[i] > '7')
            return false;
        *size = *size * 8 + (uint64_t)(field[i] - '0');
    }
    *size = (*size + BLOCK - 1) / BLOCK * BLOCK;
    return field[SIZE_DIGITS] == '\0' || field[SIZE_DIGITS] == ' ';
}

/* The checksum is for libarchive. */
static ptrdiff_t check_header(struct bundle_input *input)
{
    const char *header = input->buffer;
    size_t name = strnlen(header, NAME_END);

    if (memcmp(header + MAGIC, ustar, sizeof ustar - 1) != 0)
        return fail(input, "a member is not in the format ustar");
    if (header[TYPE] != '0' || !are_zeros(header + LINK, MAGIC - LINK))
        return fail(input, "a member is no regular file");
    if (!are_zeros(header + name, NAME_END - name) || !are_zeros(header + PREFIX, BLOCK - PREFIX))
        return fail(input, "a member's name is not a plain one");
    if (!read_size(header + SIZE, &input->left))
        return fail(input, "a member's size is not a plain one");
    return BLOCK;
}

/* Checks COUNT bytes at the end of the archive. */
static ptrdiff_t take_zeros(struct bundle_input *input, size_t count)
{
    input->zeros += count;
    if (!are_zeros(input->buffer, count) || input->zeros > MOST_ZEROS)
        return fail(input, "there is more behind its end");
    if (count == 0 && input->zeros < LEAST_ZEROS)
        return fail(input, "it ends too early");
    return (ptrdiff_t)count;
}

ptrdiff_t bundle_input_read(struct bundle_input *input, const void **data)
{
    size_t wanted = input->left == 0                     ? BLOCK
                    : input->left < sizeof input->buffer ? (size_t)input->left
                                                         : sizeof input->buffer;

    *data = input->buffer;
    if (input->problem)
        return -1;
    ptrdiff_t count = fill(input, wanted);
    if (count < 0)
        return count;
    if (input->zeros > 0)
        return take_zeros(input, (size_t)count);
    if ((size_t)count < wanted)
        return fail(input, "it ends too early");
    if (input->left > 0) {
        input->left -= wanted;
        return count;
    }
    return are_zeros(input->buffer, BLOCK) ? take_zeros(input, BLOCK) : check_header(input);
}

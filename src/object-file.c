#include "object-file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

bool object_is_damaged(struct object_file *file, const char *format, ...)
{
    va_list arguments;

    if (file->problem->length == 0) {
        va_start(arguments, format);
        text_vprintf(file->problem, format, arguments);
        va_end(arguments);
    }
    return false;
}

/* Puts the part of the file that begins at OFFSET into the window. */
static bool fill(struct object_file *file, uint64_t offset)
{
    file->start = offset;
    file->count = 0;
    while (file->count < OBJECT_WINDOW) {
        ssize_t count = pread(file->fd, file->window + file->count, OBJECT_WINDOW - file->count,
                              (off_t)(offset + file->count));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return object_is_damaged(file, "cannot be read: %s", strerror(errno));
        if (count == 0)
            break;
        file->count += (size_t)count;
    }
    return true;
}

bool object_holds(struct object_file *file, uint64_t offset, uint64_t count, uint64_t size,
                  const char *part, long index)
{
    if (count == 0 || size == 0)
        return true;
    if (offset <= file->size && count <= (file->size - offset) / size)
        return true;
    if (count > UINT64_MAX / size || offset > UINT64_MAX - count * size)
        return object_is_damaged(file, "is damaged: %s has an impossible size", part);
    uint64_t end = offset + count * size;
    if (index < 0)
        return object_is_damaged(file, "is cut short: %s ends at byte %" PRIu64 " of %" PRIu64,
                                 part, end, file->size);
    return object_is_damaged(file, "is cut short: %s %ld ends at byte %" PRIu64 " of %" PRIu64,
                             part, index, end, file->size);
}

const unsigned char *object_bytes(struct object_file *file, uint64_t offset, size_t length,
                                  const char *part)
{
    if (!object_holds(file, offset, 1, length, part, -1))
        return NULL;
    bool is_there = offset >= file->start && offset - file->start <= file->count &&
                    length <= file->count - (size_t)(offset - file->start);
    if (!is_there && !fill(file, offset))
        return NULL;
    /* Somebody may have cut it since its size was asked for. */
    if (length > file->count - (size_t)(offset - file->start)) {
        object_is_damaged(file, "is cut short: %s is not there", part);
        return NULL;
    }
    return file->window + (offset - file->start);
}

uint64_t object_number(const struct object_file *file, const unsigned char *bytes, size_t width)
{
    uint64_t number = 0;

    for (size_t i = 0; i < width; i++)
        number = number << 8 | bytes[file->big_endian ? i : width - 1 - i];
    return number;
}

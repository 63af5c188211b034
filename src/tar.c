#include "tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "signals.h"

static bool fail(struct tar *tar, int error, const char *what)
{
    text_clear(tar->problem);
    text_printf(tar->problem, "%s: %s", what, strerror(error));
    return false;
}

static bool archive_failed(struct tar *tar)
{
    const char *reason = archive_error_string(tar->archive);
    int error = archive_errno(tar->archive);

    text_clear(tar->problem);
    text_printf(tar->problem, "cannot write an archive: %s", reason ? reason : "no reason given");
    if (error > 0)
        text_printf(tar->problem, ": %s", strerror(error));
    return false;
}

bool tar_start(struct tar *tar, int fd, struct text *problem)
{
    *tar = (struct tar){.archive = archive_write_new(), .problem = problem};
    if (!tar->archive)
        out_of_memory();
    /* ustar: no extensions with times or ids in them. */
    return (archive_write_set_format_ustar(tar->archive) == ARCHIVE_OK &&
            archive_write_add_filter_none(tar->archive) == ARCHIVE_OK &&
            archive_write_open_fd(tar->archive, fd) == ARCHIVE_OK) ||
           archive_failed(tar);
}

static bool begin_member(struct tar *tar, const char *name, off_t size)
{
    struct archive_entry *entry = archive_entry_new();

    if (!entry)
        out_of_memory();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, size);
    archive_entry_set_mtime(entry, 0, 0);
    bool good = archive_write_header(tar->archive, entry) == ARCHIVE_OK;
    archive_entry_free(entry);
    return good || archive_failed(tar);
}

static bool add_data(struct tar *tar, const char *data, size_t length)
{
    return archive_write_data(tar->archive, data, length) == (la_ssize_t)length ||
           archive_failed(tar);
}

bool tar_add(struct tar *tar, const char *name, const char *data, size_t length)
{
    return begin_member(tar, name, (off_t)length) && add_data(tar, data, length);
}

/* Reads up to SIZE bytes; the count, or -1 with errno set. */
static ssize_t read_some(int fd, char *buffer, size_t size)
{
    for (;;) {
        ssize_t count = signals_caught() ? -1 : read(fd, buffer, size);
        if (signals_caught())
            errno = EINTR;
        if (count >= 0 || errno != EINTR || signals_caught())
            return count;
    }
}

/* Adds the next LENGTH bytes of the file to the member. */
static bool copy(struct tar *tar, const char *path, int fd, off_t length)
{
    char buffer[65536];

    while (length > 0) {
        size_t wanted = length < (off_t)sizeof buffer ? (size_t)length : sizeof buffer;
        ssize_t count = read_some(fd, buffer, wanted);
        if (count <= 0)
            return fail(tar, count == 0 ? EIO : errno, path);
        if (!add_data(tar, buffer, (size_t)count))
            return false;
        length -= count;
    }
    return true;
}

bool tar_add_file(struct tar *tar, const char *name, const char *path, int fd, off_t size,
                  struct tar_hole hole)
{
    char more;

    if (!begin_member(tar, name, size - (hole.end - hole.start)) ||
        !copy(tar, path, fd, hole.start))
        return false;
    if (hole.end > hole.start && lseek(fd, hole.end, SEEK_SET) < 0)
        return fail(tar, errno, path);
    if (!copy(tar, path, fd, size - hole.end))
        return false;
    /* One that has become longer since it was measured is as bad as a shorter one. */
    ssize_t count = read_some(fd, &more, 1);
    return count == 0 || fail(tar, count < 0 ? errno : EIO, path);
}

bool tar_end(struct tar *tar, bool good)
{
    good = good && (archive_write_close(tar->archive) == ARCHIVE_OK || archive_failed(tar));
    archive_write_free(tar->archive);
    return good;
}

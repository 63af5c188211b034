#ifdef HAVE_COPY_FILE_RANGE
#define _GNU_SOURCE
#endif

#include "repro-sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deliver.h"
#include "signals.h"

enum { BYTES_AT_ONCE = 1 << 20 }; /* between two looks for a signal */

/* Notes what errno says of the file PATH, or of the repro itself. */
static bool fail(struct sink *sink, const char *path)
{
    int error = errno;
    text_clear(&sink->problem);
    if (path != sink->place)
        text_printf(&sink->problem, "%s: ", path);
    text_puts(&sink->problem, strerror(error));
    return false;
}

static bool refuse(struct sink *sink, const char *reason)
{
    text_clear(&sink->problem);
    text_puts(&sink->problem, reason);
    return false;
}

bool sink_is_tar(const char *place)
{
    static const char suffix[] = ".tar";
    size_t length = strlen(place), end = sizeof suffix - 1;
    return length > end && strcmp(place + length - end, suffix) == 0;
}

static bool is_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    bool empty = directory != NULL;

    while (empty && (entry = readdir(directory)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory)
        closedir(directory);
    return empty;
}

/* Whether FOLDER has the manifest of a repro. */
static bool is_repro(const char *folder)
{
    char head[sizeof REPRO_HEAD];
    struct text path = {0};

    text_printf(&path, "%s/" REPRO_MANIFEST, folder);
    FILE *file = fopen(path.data, "r");
    size_t count = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    text_free(&path);
    return count == sizeof head - 1 && memcmp(head, REPRO_HEAD, count) == 0;
}

/* Nothing is replaced that somebody may miss. */
static bool may_replace(struct sink *sink)
{
    struct stat info;

    if (stat(sink->place, &info) != 0)
        return errno == ENOENT || fail(sink, sink->place);
    if (sink->is_tar)
        return S_ISREG(info.st_mode) || refuse(sink, "it is there already and is no regular file");
    if (!S_ISDIR(info.st_mode))
        return refuse(sink, "it is there already and is no folder");
    return is_repro(sink->place) || is_empty(sink->place) ||
           refuse(sink, "it is there already and holds something else");
}

/* The members of "r.tar" are in a folder "r". */
static void name_top(struct sink *sink)
{
    const char *slash = strrchr(sink->place, '/'), *base = slash ? slash + 1 : sink->place;

    text_write(&sink->top, base, strlen(base) - strlen(".tar"));
    text_putc(&sink->top, '/');
}

static bool make_temporary(struct sink *sink)
{
    size_t length = strlen(sink->place);
    mode_t mask = umask(0);

    umask(mask);
    while (length > 1 && sink->place[length - 1] == '/')
        length--;
    text_write(&sink->temporary, sink->place, length);
    text_puts(&sink->temporary, ".XXXXXX");
    bool made = false;
    if (sink->is_tar) {
        sink->fd = mkstemp(sink->temporary.data);
        made = sink->fd >= 0;
        if (made)
            fchmod(sink->fd, 0666 & ~mask);
    } else {
        made = mkdtemp(sink->temporary.data) != NULL;
        if (made)
            chmod(sink->temporary.data, 0777 & ~mask);
    }
    if (!made) {
        fail(sink, sink->place);
        text_clear(&sink->temporary);
    }
    return made;
}

bool sink_start(struct sink *sink, const char *place)
{
    *sink = (struct sink){.place = place, .is_tar = sink_is_tar(place), .fd = -1};
    if (!may_replace(sink) || !make_temporary(sink))
        return false;
    if (!sink->is_tar)
        return true;
    name_top(sink);
    return tar_start(&sink->tar, sink->fd, &sink->problem);
}

/* The path of the file NAME, its folders made. */
static bool name_file(struct sink *sink, const char *name)
{
    struct text *path = &sink->path;

    text_clear(path);
    text_printf(path, "%s%s", sink->is_tar ? sink->top.data : sink->temporary.data,
                sink->is_tar ? "" : "/");
    size_t start = path->length;
    text_puts(path, name);
    for (char *c = path->data + start; !sink->is_tar && *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        bool made = mkdir(path->data, 0777) == 0 || errno == EEXIST;
        *c = '/';
        if (!made)
            return fail(sink, sink->place);
    }
    return true;
}

static int create(struct sink *sink)
{
    return open(sink->path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static bool close_written(struct sink *sink, int fd, bool good)
{
    if (close(fd) != 0 && good)
        good = fail(sink, sink->place);
    return good;
}

bool sink_text(struct sink *sink, const char *name, const struct text *text)
{
    if (!name_file(sink, name))
        return false;
    if (sink->is_tar)
        return tar_add(&sink->tar, sink->path.data, text->data, text->length);
    int fd = create(sink);
    if (fd < 0)
        return fail(sink, sink->place);
    bool good = write_all(fd, text->data, text->length) || fail(sink, sink->place);
    return close_written(sink, fd, good);
}

/* Copies some bytes; 0 at the end, -1 with errno set. Where the system can, without reading them:
 * some file systems let two files share what they hold. */
static ssize_t copy_some(int from, int to)
{
    char buffer[65536];

#ifdef HAVE_COPY_FILE_RANGE
    ssize_t copied = copy_file_range(from, NULL, to, NULL, BYTES_AT_ONCE, 0);
    /* 0 also for some files that are not really empty, as in /proc. */
    if (copied > 0)
        return copied;
#endif
    ssize_t count = read(from, buffer, sizeof buffer);
    if (count > 0 && !write_all(to, buffer, (size_t)count))
        return -1;
    return count;
}

static bool copy_to_folder(struct sink *sink, int from)
{
    int fd = create(sink);
    ssize_t count = 1;

    if (fd < 0)
        return fail(sink, sink->place);
    while (count > 0) {
        count = copy_some(from, fd);
        if (count < 0 && errno == EINTR)
            count = 1;
        if (count > 0 && signals_caught()) {
            errno = EINTR;
            count = -1;
        }
    }
    bool good = count == 0 || fail(sink, sink->place);
    return close_written(sink, fd, good);
}

bool sink_copy(struct sink *sink, const char *name, const char *path, bool *is_missing)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good = fd >= 0 && fstat(fd, &info) == 0;

    if (good && !S_ISREG(info.st_mode)) {
        errno = EINVAL;
        good = false;
    }
    *is_missing = !good;
    if (!good)
        fail(sink, path);
    else if (sink->is_tar)
        good = name_file(sink, name) && tar_add_file(&sink->tar, sink->path.data, path, fd,
                                                     info.st_size, (struct tar_hole){0});
    else
        good = name_file(sink, name) && copy_to_folder(sink, fd);
    if (fd >= 0)
        close(fd);
    return good;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    (void)remove(path);
    return 0;
}

static void remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Gives it its name. An older repro goes away only when the new one can take its place. */
static bool put_in_place(struct sink *sink)
{
    struct text old = {0};

    if (!sink->is_tar && is_repro(sink->place)) {
        text_printf(&old, "%s.old", sink->temporary.data);
        if (rename(sink->place, old.data) != 0) {
            text_free(&old);
            return fail(sink, sink->place);
        }
    }
    bool good = rename(sink->temporary.data, sink->place) == 0 || fail(sink, sink->place);
    if (old.length > 0 && good)
        remove_all(old.data);
    else if (old.length > 0)
        (void)rename(old.data, sink->place);
    text_free(&old);
    return good;
}

bool sink_end(struct sink *sink, bool good)
{
    if (sink->tar.archive)
        good = tar_end(&sink->tar, good);
    if (sink->fd >= 0)
        good = close_written(sink, sink->fd, good);
    if (sink->temporary.length > 0) {
        good = good && put_in_place(sink);
        if (!good)
            remove_all(sink->temporary.data);
    }
    text_free(&sink->temporary);
    text_free(&sink->top);
    text_free(&sink->path);
    return good;
}

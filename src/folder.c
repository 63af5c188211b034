#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_FLOCK
#include <sys/file.h>
#endif

#include "memory.h"
#include "message.h"
#include "quote.h"
#include "text.h"

#define UNIQUE ".XXXXXX" /* what mkdtemp changes */

enum {
    TRIES = 100,
    OPEN_FOLDERS = 16, /* at once, while one is removed */
    RESERVE = 1 << 18, /* bytes; nftw and opendir take less */
};

/* The one folder, for the function that exit calls, and memory for that to work with. */
static char *folder;
static void *reserve;

/* PATH, which becomes ours, is the folder from now on. */
static void take(char *path)
{
    folder = path;
    atexit(folder_remove);
    reserve = allocate(RESERVE);
}

const char *folder_path(void)
{
    return folder;
}

bool folder_add_file(const char *name)
{
    struct text path = {0};

    text_printf(&path, "%s/%s", folder_path(), name);
    FILE *file = fopen(path.data, "w");
    bool good = file && fclose(file) == 0;
    int error = errno;
    text_free(&path);
    errno = error;
    return good;
}

const char *folder_make(const char *beside)
{
    struct text path = {0};
    const char *slash = strrchr(beside, '/');

    struct stat info;
    bool is_file = lstat(beside, &info) == 0 && S_ISREG(info.st_mode);

    if (!quotable_value(beside) || !is_file) {
        const char *temporary = getenv("TMPDIR");
        text_printf(&path, "%s/", temporary && *temporary ? temporary : "/tmp");
    } else if (slash) {
        text_write(&path, beside, (size_t)(slash - beside) + 1);
    }
    text_puts(&path, "dtlto-ninja" UNIQUE);
    if (!mkdtemp(path.data)) {
        /* Some systems have changed the template by now. */
        int error = errno;
        char *name = strrchr(path.data, '/');
        if (name)
            *name = '\0';
        message_error(error, "cannot make a private folder in '%s'", name ? path.data : ".");
        text_free(&path);
        return NULL;
    }
    take(path.data);
    return folder;
}

static int remove_quietly(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    remove(path);
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    if (remove(path) != 0 && errno != ENOENT)
        message_error(errno, "cannot remove '%s'", path);
    return 0;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

#ifdef HAVE_FLOCK
static bool lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Whether PATH is still what FD is open at. */
static bool is_at(int fd, const char *path)
{
    struct stat there, here;
    return lstat(path, &there) == 0 && fstat(fd, &here) == 0 && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

/* Removes the folder PATH if it is one of this user whose owner is gone. One that others may look
 * into was made by somebody else, who has liked its name. */
static void remove_abandoned(const char *path)
{
    struct stat info;
    int fd = lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
                     (info.st_mode & 0777) == 0700
                 ? open_folder(path)
                 : -1;

    if (fd < 0)
        return;
    if (lock(fd) && is_at(fd, path))
        nftw(path, remove_quietly, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    close(fd);
}

static void remove_all_abandoned(const char *directory, const char *name)
{
    size_t length = strlen(name);
    DIR *stream = opendir(directory);
    const struct dirent *entry;
    struct text path = {0};

    while (stream && (entry = readdir(stream))) {
        if (strncmp(entry->d_name, name, length) != 0 || entry->d_name[length] != '.' ||
            strlen(entry->d_name) != length + strlen(UNIQUE))
            continue;
        text_clear(&path);
        text_printf(&path, "%s/%s", directory, entry->d_name);
        remove_abandoned(path.data);
    }
    if (stream)
        closedir(stream);
    text_free(&path);
}
#else
static bool lock(int fd)
{
    (void)fd;
    return true;
}

static bool is_at(int fd, const char *path)
{
    (void)fd;
    (void)path;
    return true;
}

static void remove_all_abandoned(const char *directory, const char *name)
{
    (void)directory;
    (void)name;
}
#endif

/* Before the lock is there, another process can take the new folder for an abandoned one: whoever
 * has the lock first has the folder. Where a file system has no locks, nobody gets one. */
static bool is_lost(int fd, const char *path)
{
    return (!lock(fd) && errno == EWOULDBLOCK) || !is_at(fd, path);
}

/* Makes a folder and locks it. Returns its descriptor; or -1, errno set, which is EAGAIN where
 * another process has taken it. */
static int make_locked(char *path)
{
    if (!mkdtemp(path))
        return -1;
    int fd = open_folder(path);
    if (fd < 0) {
        int error = errno;
        rmdir(path);
        errno = error == ENOENT ? EAGAIN : error;
    } else if (is_lost(fd, path)) {
        close(fd);
        errno = EAGAIN;
        fd = -1;
    }
    return fd;
}

int folder_claim(const char *directory, const char *name)
{
    struct text path = {0};
    int fd = -1, tries = TRIES;

    remove_all_abandoned(directory, name);
    do {
        text_clear(&path);
        text_printf(&path, "%s/%s" UNIQUE, directory, name);
        fd = make_locked(path.data);
    } while (fd < 0 && errno == EAGAIN && --tries > 0);
    if (fd >= 0) {
        take(path.data);
    } else {
        int error = errno;
        text_free(&path);
        errno = error;
    }
    return fd;
}

void folder_remove(void)
{
    free(reserve); /* for nftw, where memory has run out */
    reserve = NULL;
    if (folder)
        nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    folder_keep();
}

void folder_keep(void)
{
    free(reserve);
    free(folder);
    reserve = folder = NULL;
}

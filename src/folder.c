#include "folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "message.h"
#include "quote.h"
#include "text.h"

/* The one folder, for the function that exit calls: it must go also where memory runs out. */
static char *folder;

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
    text_puts(&path, "dtlto-ninja.XXXXXX");
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
    folder = path.data;
    atexit(folder_remove);
    return folder;
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

void folder_remove(void)
{
    if (folder)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    folder_keep();
}

void folder_keep(void)
{
    free(folder);
    folder = NULL;
}

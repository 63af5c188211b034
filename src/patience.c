#include "patience.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "home-run.h"
#include "text.h"

static uint64_t seconds_now(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

/* The path of the file in the folder of BASE. */
static void find_file(const char *base, struct text *path)
{
    const char *slash = strrchr(base, '/');

    text_write(path, base, slash ? (size_t)(slash - base) + 1 : 0);
    text_puts(path, PATIENCE_FILE);
}

/* dtlto-ninja has made the file; by hand there is none. */
static void lose(const struct patience *patience)
{
    struct text path = {0};

    find_file(patience->base, &path);
    int fd = open(path.data, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "\n", 1);
        close(fd);
    }
    text_free(&path);
}

void patience_start(struct patience *patience, const char *base, uint64_t seconds)
{
    *patience = (struct patience){.base = base, .start = seconds_now(), .seconds = seconds};
}

bool patience_lasts(void *context)
{
    struct patience *patience = context;
    uint64_t waited = seconds_now() - patience->start;

    if (patience->runs_here || patience->seconds == 0)
        return true;
    char *here = home_file(patience->base, HOME_HERE);
    patience->runs_here = access(here, F_OK) == 0;
    free(here);
    patience->is_over = !patience->runs_here && waited >= patience->seconds;
    if (patience->is_over || (patience->runs_here && waited > patience->seconds / 4))
        lose(patience);
    return !patience->is_over;
}

bool patience_is_lost(const char *base)
{
    struct text path = {0};
    struct stat info;

    find_file(base, &path);
    bool lost = stat(path.data, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
    text_free(&path);
    return lost;
}

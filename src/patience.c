#include "patience.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "home-run.h"
#include "message.h"
#include "note.h"
#include "signals.h"
#include "text.h"

/* Less than a client of a farm waits for one that hangs. */
enum { LATE_SECONDS = 200, SECOND = 1000000 };

void patience_start(struct patience *patience, const char *base, uint64_t seconds)
{
    *patience = (struct patience){
        .base = base, .seconds = seconds, .start = clock_ticks(), .since = clock_now()};
}

static uint64_t waited(const struct patience *patience)
{
    return (uint64_t)(clock_ticks() - patience->start);
}

static bool is_late(const struct patience *patience)
{
    uint64_t quarter = patience->seconds * SECOND / 4, most = (uint64_t)LATE_SECONDS * SECOND;
    return waited(patience) > (quarter < most ? quarter : most);
}

/* Whether another machine has done a compilation of this link meanwhile. */
static bool has_done_any(const struct patience *patience)
{
    char *path = home_beside(patience->base, NOTE_FILE);
    struct text lines = {0};
    bool any = false;

    if (text_read_file(&lines, path) == 0) {
        for (char *line = strtok(lines.data, "\n"); line && !any; line = strtok(NULL, "\n")) {
            struct note note;
            any = note_read(line, &note) && strcmp(note.kind, "remote") == 0 &&
                  note.end > patience->since;
        }
    }
    free(path);
    text_free(&lines);
    return any;
}

void patience_judge(const struct patience *patience)
{
    const char *path = getenv(PATIENCE_VARIABLE);

    if (!path || patience->seconds == 0 || signals_caught() || !is_late(patience) ||
        has_done_any(patience))
        return;
    /* Many may find that out at the same time. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    close(fd);
    message("the farm has done nothing for %lld s; what is left of this link is done here",
            (long long)(waited(patience) / SECOND));
}

bool patience_lasts(void *context)
{
    struct patience *patience = context;

    if (patience->is_over || patience->runs_here || patience->seconds == 0)
        return !patience->is_over;
    char *here = home_file(patience->base, HOME_HERE);
    patience->runs_here = access(here, F_OK) == 0;
    free(here);
    patience->is_over = !patience->runs_here && waited(patience) / SECOND >= patience->seconds;
    if (patience->is_over || patience->runs_here)
        patience_judge(patience);
    return !patience->is_over;
}

bool patience_is_lost(void)
{
    const char *path = getenv(PATIENCE_VARIABLE);
    return path && access(path, F_OK) == 0;
}

#ifdef HAVE_PRCTL
#define _GNU_SOURCE /* prctl's header uses types that POSIX does not have */
#include <sys/prctl.h>
#endif

#include "far-run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"
#include "text.h"

enum { TICK_MS = 200 };

extern char **environ;

#ifdef __GLIBC__ /* elsewhere it is an int, as POSIX has it */
typedef __rlimit_resource_t resource_kind;
#else
typedef int resource_kind;
#endif

static void limit(resource_kind resource, uint64_t value)
{
    struct rlimit now;

    if (value == 0 || getrlimit(resource, &now) != 0)
        return;
    rlim_t wanted = (rlim_t)value;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted)
        wanted = now.rlim_max;
    now.rlim_cur = now.rlim_max = wanted;
    setrlimit(resource, &now);
}

/* Standard input is a pipe that is at its end: in a chroot there is no /dev/null, and LLVM fails
 * where the descriptor is closed. */
static void close_input(void)
{
    int ends[2];

    if (pipe(ends) == 0) {
        dup2(ends[0], STDIN_FILENO);
        if (ends[0] != STDIN_FILENO)
            close(ends[0]);
        close(ends[1]);
    }
}

/* In a child: becomes the compiler. */
_Noreturn static void become(const char *const *argv, const char *folder, char *const *environment,
                             const struct far_limits *limits, pid_t parent)
{
    signals_release();
    setpgid(0, 0);
#ifdef HAVE_PRCTL
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent || chdir(folder) != 0)
        _exit(127);
    close_input();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifdef RLIMIT_AS
    limit(RLIMIT_AS, limits->memory);
#else
    limit(RLIMIT_DATA, limits->memory);
#endif
    limit(RLIMIT_FSIZE, limits->output);
    environ = (char **)(uintptr_t)environment;
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static pid_t start(const char *const *argv, const char *folder, const char *libraries,
                   const struct far_limits *limits)
{
    struct text temporary = {0}, path = {0};
    char *environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL, NULL, NULL};
    pid_t parent = getpid();

    text_printf(&temporary, "TMPDIR=%s", folder);
    environment[2] = temporary.data;
    if (libraries) {
        text_printf(&path, "LD_LIBRARY_PATH=%s", libraries);
        environment[3] = path.data;
    }
    pid_t child = fork();
    if (child == 0)
        become(argv, folder, environment, limits, parent);
    int error = errno;
    text_free(&temporary);
    text_free(&path);
    errno = error;
    return child;
}

int far_run(const char *const *argv, const char *folder, const char *libraries,
            const struct far_limits *limits)
{
    int status = 0;
    pid_t child = start(argv, folder, libraries, limits), waited = 0;

    if (child < 0)
        return -1;
    while ((waited = waitpid(child, &status, WNOHANG)) == 0 && !signals_caught()) {
        struct pollfd signal = {signals_fd(), POLLIN, 0};
        poll(&signal, 1, TICK_MS);
        signals_drain();
    }
    kill(-child, SIGKILL); /* whatever it has started */
    if (waited == 0) {
        kill(child, SIGKILL);
        while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
            continue;
    }
    return waited == child ? status : -1;
}

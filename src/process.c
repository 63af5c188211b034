#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

enum { TICK_MS = 200 };

extern char **environ;

/* Starts ARGV with stdout, and stderr unless that is left as it is, going to the descriptor OUT.
 * Returns an errno value. */
static int start(const char *const *argv, int out, bool with_stderr, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error && with_stderr)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Who is asked whether a program may go on; a null pointer where nobody is. */
struct watch {
    bool (*goes_on)(void *context);
    void *context;
};

/* Reads until the end, or until the process PID has ended: a daemon that it has started may hold
 * the other end for ever. Ends the process when a signal comes, or when it may not go on. Returns
 * its wait status. */
static int read_output(int fd, pid_t pid, const struct watch *watch, struct text *output)
{
    struct pollfd ready = {fd, POLLIN, 0};
    char buffer[4096];
    bool open = true, ended = false;
    int status = 0, tick = 1;

    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (!ended) {
        poll(&ready, open, open ? TICK_MS : tick);
        if (signals_caught() || (watch && !watch->goes_on(watch->context)))
            kill(pid, SIGKILL);
        pid_t waited = waitpid(pid, &status, WNOHANG);
        ended = waited == pid || (waited < 0 && errno != EINTR);
        ssize_t count;
        while ((count = read(fd, buffer, sizeof buffer)) > 0)
            text_write(output, buffer, (size_t)count);
        open = open && count < 0 && (errno == EAGAIN || errno == EINTR);
        /* It mostly ends when it closes its output, and does not say so if it does not. */
        if (!open && tick < TICK_MS)
            tick *= 2;
    }
    return status;
}

static int run(const char *const *argv, bool with_stderr, const struct watch *watch,
               struct text *output)
{
    int ends[2], status = -1;
    pid_t pid;

    text_clear(output);
    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = start(argv, ends[1], with_stderr, &pid);
    close(ends[1]);
    if (!error)
        status = read_output(ends[0], pid, watch, output);
    close(ends[0]);
    errno = error;
    return status;
}

int process_output(const char *const *argv, struct text *output)
{
    return run(argv, true, NULL, output);
}

int process_watch(const char *const *argv, struct text *output, bool (*goes_on)(void *context),
                  void *context)
{
    const struct watch watch = {goes_on, context};
    return run(argv, true, &watch, output);
}

int process_answer(const char *const *argv, struct text *output)
{
    return run(argv, false, NULL, output);
}

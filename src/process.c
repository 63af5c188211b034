#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts ARGV with both outputs going to the descriptor OUT. Returns an errno value. */
static int start(const char *const *argv, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void read_all(int fd, struct text *output)
{
    char buffer[4096];
    ssize_t count;

    while ((count = read(fd, buffer, sizeof buffer)) != 0) {
        if (count > 0)
            text_write(output, buffer, (size_t)count);
        else if (errno != EINTR)
            break;
    }
}

int process_output(const char *const *argv, struct text *output)
{
    int ends[2], status;
    pid_t pid;

    text_clear(output);
    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = start(argv, ends[1], &pid);
    close(ends[1]);
    if (!error)
        read_all(ends[0], output);
    close(ends[0]);
    while (!error && waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            error = errno;
    }
    errno = error;
    return error ? -1 : status;
}

/* Runs a command and appends a line about it to a file: when it started and ended, in seconds of
 * the monotonic clock, the peak resident memory in KiB of the largest of its processes, and the
 * seconds of processor time of them all.
 *
 * usage: bench-measure FILE COMMAND [ARGUMENT ...]
 *
 * Ends with the command's status. Several may append to one file at a time. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int complain(const char *what)
{
    fprintf(stderr, "bench-measure: %s: %s\n", what, strerror(errno));
    return 127;
}

/* One write at the end of the file, so that lines stay whole. */
static bool append(const char *path, double start, double end, const struct rusage *usage)
{
    char line[160];
    int length = snprintf(line, sizeof line, "%.6f %.6f %ld %.6f\n", start, end, usage->ru_maxrss,
                          seconds(usage->ru_utime) + seconds(usage->ru_stime));
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    return fd >= 0 && write(fd, line, (size_t)length) == length && close(fd) == 0;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;

    if (argc < 3) {
        fputs("usage: bench-measure FILE COMMAND [ARGUMENT ...]\n", stderr);
        return 2;
    }
    double start = now();
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        _exit(complain(argv[2]));
    }
    if (pid < 0)
        return complain("fork");
    while (wait4(pid, &status, 0, &usage) < 0) {
        if (errno != EINTR)
            return complain("wait");
    }
    if (!append(argv[1], start, now(), &usage))
        return complain(argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

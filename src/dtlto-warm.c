/* dtlto-warm SOCKET COMPILER [ARGUMENT ...]: has a warm compiler (warm-shim.c) run a compilation as
 * if it ran here, and ends as that has ended. Where there is none that can, runs the compiler
 * itself. Where the file of notes (note.h) is beside SOCKET, adds a line to it. ninja runs it; it
 * is kept small, because it starts once a compilation. */
#define _GNU_SOURCE /* struct ucred, signalfd, wait4 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "note.h"
#include "warm-protocol.h"
#include "warm-socket.h"

extern char **environ;

enum {
    ANSWER_MS = 2000, /* for the warm compiler to be ready, before the plain one is run */
    FORWARD_MS = 300, /* after which a signal was not for the compilation's whole group */
    CANNOT_RUN = 126, /* as shells have it */
    NOT_FOUND = 127,
    SIGNALS = 64,
};

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The file that the shell would run for NAME. */
static bool find_program(const char *name, struct stat *info)
{
    const char *list = getenv("PATH");
    char path[4096];

    if (strchr(name, '/'))
        return stat(name, info) == 0;
    while (list) {
        size_t length = strcspn(list, ":");
        int written =
            snprintf(path, sizeof path, "%.*s%s%s", (int)length, list, length > 0 ? "/" : "", name);
        if (written > 0 && (size_t)written < sizeof path && stat(path, info) == 0 &&
            S_ISREG(info->st_mode) && access(path, X_OK) == 0)
            return true;
        list = list[length] ? list + length + 1 : NULL;
    }
    return false;
}

static void note_signals(struct warm_request *request)
{
    sigset_t blocked;

    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number <= SIGNALS; number++) {
        struct sigaction action;
        uint64_t bit = (uint64_t)1 << (number - 1);
        if (sigismember(&blocked, number) == 1)
            request->blocked |= bit;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            request->ignored |= bit;
    }
}

/* All descriptors that a program run here would have. Returns how many, or -1. */
static int list_descriptors(int *numbers, int most)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;

    if (!folder)
        return -1;
    while ((entry = readdir(folder)) && count >= 0) {
        if (entry->d_name[0] == '.')
            continue;
        int fd = (int)strtol(entry->d_name, NULL, 10);
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || (flags & FD_CLOEXEC))
            continue;
        if (count < most)
            numbers[count++] = fd;
        else
            count = -1;
    }
    closedir(folder);
    return count;
}

static bool send_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t count = send(fd, data, length, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        data += count;
        length -= (size_t)count;
    }
    return true;
}

/* Sends LENGTH bytes, with COUNT descriptors. */
static bool send_with(int fd, char *data, size_t length, const int *descriptors, size_t count)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE((WARM_DESCRIPTORS + 1) * sizeof(int))];
    } control = {0};
    struct iovec part = {data, length};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    return sent > 0 && send_all(fd, data + sent, length - (size_t)sent);
}

static size_t strings_length(char *const *strings, uint32_t *count)
{
    size_t length = 0;

    for (*count = 0; strings[*count]; ++*count)
        length += strlen(strings[*count]) + 1;
    return length;
}

static char *copy_strings(char *to, char *const *strings)
{
    for (; *strings; strings++) {
        size_t length = strlen(*strings) + 1;
        memcpy(to, *strings, length);
        to += length;
    }
    return to;
}

static bool send_request(int fd, char *const *argv)
{
    struct warm_request request = {.magic = WARM_MAGIC};
    int descriptors[WARM_DESCRIPTORS + 1];
    struct stat info;

    if (!find_program(argv[0], &info))
        return false;
    request.device = info.st_dev;
    request.inode = info.st_ino;
    request.mask = umask(0);
    umask((mode_t)request.mask);
    note_signals(&request);
    for (int i = 0; i < WARM_LIMITS && i < RLIM_NLIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &request.limits[i]);
    int count = list_descriptors(&descriptors[1], WARM_DESCRIPTORS);
    descriptors[0] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (count < 0 || descriptors[0] < 0)
        return false;
    request.descriptors = (uint32_t)count;
    size_t strings = strings_length(argv, &request.argc) + strings_length(environ, &request.envc);
    size_t numbers = (size_t)count * sizeof(int);
    char *data = malloc(sizeof request + numbers + strings);
    if (!data || strings > UINT32_MAX / 2)
        return false;
    request.bytes = (uint32_t)strings;
    memcpy(data, &request, sizeof request);
    memcpy(data + sizeof request, &descriptors[1], numbers);
    copy_strings(copy_strings(data + sizeof request + numbers, argv), environ);
    bool good =
        send_with(fd, data, sizeof request + numbers + strings, descriptors, (size_t)count + 1);
    free(data);
    close(descriptors[0]);
    return good;
}

static bool is_ours(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static bool read_reply(int fd, struct warm_reply *reply)
{
    ssize_t count;

    do
        count = recv(fd, reply, sizeof *reply, MSG_WAITALL);
    while (count < 0 && errno == EINTR);
    return count == sizeof *reply;
}

static bool wait_reply(int fd, struct warm_reply *reply)
{
    struct pollfd answer = {fd, POLLIN, 0};
    return poll(&answer, 1, ANSWER_MS) == 1 && read_reply(fd, reply);
}

/* Has a compilation made ready. Returns the socket, or -1 where there is nobody to do so. */
static int begin(const char *path, char *const *argv, pid_t *child)
{
    struct warm_reply reply;
    int fd = warm_connect(path);

    if (fd < 0)
        return -1;
    if (is_ours(fd) && wait_reply(fd, &reply) && reply.kind == WARM_HELLO &&
        send_request(fd, argv) && wait_reply(fd, &reply) && reply.kind == WARM_READY) {
        *child = reply.value;
        return fd;
    }
    close(fd);
    return -1;
}

/* The compilation, for its note. */
static struct {
    int file; /* -1: no notes are wanted */
    int64_t start;
    const char *output;
} noted = {.file = -1};

/* The file of notes is there if they are wanted. */
static void open_notes(const char *socket_path, char *const *argv)
{
    const char *slash = strrchr(socket_path, '/');
    char path[4096];
    int length = slash ? (int)(slash + 1 - socket_path) : 0;
    int written = snprintf(path, sizeof path, "%.*s" NOTE_FILE, length, socket_path);

    if (written < 0 || (size_t)written >= sizeof path)
        return;
    noted.file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    noted.start = clock_now();
    noted.output = "";
    for (size_t i = 1; argv[i]; i++) {
        if (strcmp(argv[i - 1], "-o") == 0)
            noted.output = argv[i];
    }
}

/* Leaves the note. One write of a short line is not mixed with others. */
static void leave_note(const char *kind, int status, long peak)
{
    char line[8192];
    int failure = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    int length = snprintf(line, sizeof line, NOTE_FORMAT, kind, -1L, (long long)noted.start,
                          (long long)clock_now(), peak, failure, "-", noted.output);

    if (noted.file < 0 || length < 0 || (size_t)length >= sizeof line)
        return;
    for (int i = 0; i < length; i++)
        line[i] = (unsigned char)line[i] < ' ' ? '?' : line[i];
    line[length] = '\n';
    (void)!write(noted.file, line, (size_t)length + 1);
}

/* Ends as the compilation has ended. */
_Noreturn static void end_as(int status)
{
    sigset_t none;

    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
    /* Whatever core there is to be had, the compilation has left it. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(number, SIG_DFL);
    sigemptyset(&none);
    kill(getpid(), number);
    sigprocmask(SIG_SETMASK, &none, NULL);
    raise(SIGKILL);
    _exit(CANNOT_RUN);
}

/* Holds back the signals that would end this process. They come to the compilation too, which is in
 * the same group, and may have something to do before it ends. */
static void hold_signals(sigset_t *held, sigset_t *before)
{
    sigemptyset(held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(held, ending[i]);
    }
    sigprocmask(SIG_BLOCK, held, before);
}

/* Waits for the end of the compilation, the process CHILD. One that takes no notice of a signal did
 * not get it maybe: somebody has sent it to this process alone. */
_Noreturn static void wait_for(int fd, int signals, pid_t child)
{
    struct pollfd fds[2] = {{fd, POLLIN, 0}, {signals, POLLIN, 0}};
    struct signalfd_siginfo info = {0};
    struct warm_reply reply;
    int number = 0;

    while (fds[0].revents == 0) {
        int count = poll(fds, 2, number ? FORWARD_MS : -1);
        if (count == 0) {
            kill(child, number);
            number = 0;
        } else if (fds[1].revents && read(signals, &info, sizeof info) == sizeof info) {
            number = (int)info.ssi_signo;
        }
    }
    /* With the server its compilations have died, by SIGKILL. */
    if (!read_reply(fd, &reply) || reply.kind != WARM_ENDED)
        reply = (struct warm_reply){WARM_ENDED, SIGKILL, 0};
    leave_note("warm", reply.value, (long)reply.peak);
    end_as(reply.value);
}

/* Becomes the compiler; where it cannot, returns what to end with. */
static int become(char *const *argv)
{
    execvp(argv[0], argv);
    int error = errno;
    fprintf(stderr, "dtlto-warm: cannot run '%s': %s\n", argv[0], strerror(error));
    return error == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

/* Waits for the compiler, with the signals that are HELD and SIGCHLD blocked. As in wait_for, it
 * gets a signal that was not for the whole group. */
_Noreturn static void attend(pid_t child, const sigset_t *held)
{
    const struct timespec patience = {0, FORWARD_MS * 1000000L};
    struct rusage usage;
    int status = 0, number = 0;

    while (wait4(child, &status, WNOHANG, &usage) != child) {
        int next = number ? sigtimedwait(held, NULL, &patience) : sigwaitinfo(held, NULL);
        if (next < 0 && errno == EAGAIN) {
            kill(child, number);
            number = 0;
        } else if (next > 0 && next != SIGCHLD) {
            number = next;
        }
    }
    leave_note("here", status, usage.ru_maxrss);
    end_as(status);
}

/* Runs the compiler as a child, so that its memory is known. Returns where it cannot. */
static void run_measured(char *const *argv)
{
    sigset_t held, before;
    pid_t parent = getpid();

    hold_signals(&held, &before);
    sigaddset(&held, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &held, NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(getppid() == parent ? become(argv) : CANNOT_RUN);
    }
    if (child > 0)
        attend(child, &held);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv)
{
    pid_t child = 0;

    if (argc < 3) {
        fputs("usage: dtlto-warm SOCKET COMPILER [ARGUMENT ...]\n", stderr);
        return 2;
    }
    open_notes(argv[1], &argv[2]);
    int fd = begin(argv[1], &argv[2], &child);
    if (fd >= 0) {
        sigset_t held, before;
        hold_signals(&held, &before);
        if (send_all(fd, "", 1))
            wait_for(fd, signalfd(-1, &held, SFD_CLOEXEC), child);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    if (noted.file >= 0)
        run_measured(&argv[2]);
    return become(&argv[2]);
}

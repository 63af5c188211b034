#define _GNU_SOURCE /* sched_getaffinity, program_invocation_name */

#include "warm-child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "warm-protocol.h"

enum {
    SIGNALS = 64,
    IOPRIO_WHO_PROCESS = 1, /* linux/ioprio.h, which some systems lack */
};

extern char **environ;

/* What the client must have in common with this process: compared as text. */
static const char *const circumstances[] = {"cgroup",  "ns/mnt", "ns/pid",      "ns/user",
                                            "ns/net",  "ns/ipc", "ns/uts",      "ns/cgroup",
                                            "ns/time", "root",   "attr/current"};
enum { CIRCUMSTANCES = sizeof circumstances / sizeof *circumstances, CIRCUMSTANCE = 1024 };

/* How the server was before its first child. */
static struct {
    char **variables;
    size_t variable_count;
    uint64_t ignored;
    struct rlimit limits[WARM_LIMITS];
    char circumstances[CIRCUMSTANCES][CIRCUMSTANCE];
} at_start;

bool warm_child_names(const char *variable, const char *name)
{
    size_t length = strlen(name);
    return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/* Shells set these, each in its own way, and some drop variables that they could not name. */
static bool is_of_shell(const char *variable)
{
    size_t length = strcspn(variable, "=");

    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)variable[i]) && variable[i] != '_')
            return true;
    }
    return warm_child_names(variable, "PWD") || warm_child_names(variable, "OLDPWD") ||
           warm_child_names(variable, "SHLVL") || warm_child_names(variable, "_");
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Memory that malloc knows nothing of: the heap is as the constructors left it. */
static void *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A sorted copy of the array, without what the shell sets. Returns false where there is no memory.
 */
static bool sort_variables(char *const *variables, char ***sorted, size_t *count)
{
    size_t total = 0;

    while (variables[total])
        total++;
    *sorted = map((total + 1) * sizeof **sorted);
    *count = 0;
    if (!*sorted)
        return false;
    for (size_t i = 0; i < total; i++) {
        if (!is_of_shell(variables[i]))
            (*sorted)[(*count)++] = variables[i];
    }
    qsort(*sorted, *count, sizeof **sorted, compare_strings);
    return true;
}

static bool same_variables(char *const *variables)
{
    char **sorted;
    size_t count;

    if (!sort_variables(variables, &sorted, &count) || count != at_start.variable_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sorted[i], at_start.variables[i]) != 0)
            return false;
    }
    return true;
}

/* Puts what /proc/PROCESS/NAME says, a link or a short file, into TEXT; nothing where the kernel
 * does not have it. */
static void read_circumstance(pid_t process, const char *name, char *text)
{
    char path[64];

    memset(text, 0, CIRCUMSTANCE);
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)process, name);
    if (strncmp(name, "ns/", 3) == 0 || strcmp(name, "root") == 0) {
        (void)!readlink(path, text, CIRCUMSTANCE - 1);
        return;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!read(fd, text, CIRCUMSTANCE - 1);
        close(fd);
    }
}

static bool same_circumstances(pid_t client)
{
    char text[CIRCUMSTANCE];

    for (size_t i = 0; i < CIRCUMSTANCES; i++) {
        read_circumstance(client, circumstances[i], text);
        if (strcmp(text, at_start.circumstances[i]) != 0)
            return false;
    }
    return sched_getscheduler(client) == sched_getscheduler(0);
}

static uint64_t ignored_signals(void)
{
    uint64_t ignored = 0;

    for (int number = 1; number <= SIGNALS; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            ignored |= (uint64_t)1 << (number - 1);
    }
    return ignored;
}

bool warm_child_note(void)
{
    if (!sort_variables(environ, &at_start.variables, &at_start.variable_count))
        return false;
    at_start.ignored = ignored_signals();
    for (int i = 0; i < WARM_LIMITS && i < RLIM_NLIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &at_start.limits[i]);
    for (size_t i = 0; i < CIRCUMSTANCES; i++)
        read_circumstance(getpid(), circumstances[i], at_start.circumstances[i]);
    return true;
}

static bool read_all(int fd, void *into, size_t length)
{
    char *to = into;

    while (length > 0) {
        ssize_t count = read(fd, to, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        to += count;
        length -= (size_t)count;
    }
    return true;
}

/* Reads the request, and the descriptors that come with it. Returns how many these are, -1 where
 * they or the request are not as they should be. */
static int read_request(int fd, struct warm_request *request, int *descriptors)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE((WARM_DESCRIPTORS + 1) * sizeof(int))];
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        (message.msg_flags & MSG_CTRUNC))
        return -1;
    size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(descriptors, CMSG_DATA(header), received * sizeof(int));
    if (!read_all(fd, (char *)request + count, sizeof *request - (size_t)count) ||
        request->magic != WARM_MAGIC || request->descriptors + (size_t)1 != received)
        return -1;
    return (int)received;
}

/* Makes an array of COUNT strings that stand one after another at *STRINGS. */
static char **point_to(char **strings, const char *end, uint32_t count)
{
    char **array = map((count + (size_t)1) * sizeof *array);

    for (uint32_t i = 0; array && i < count; i++) {
        size_t length = *strings < end ? strlen(*strings) + 1 : 0;
        if (length == 0)
            return NULL;
        array[i] = *strings;
        *strings += length;
    }
    return array;
}

/* Reads arguments and environment; the latter is set. */
static bool read_strings(int fd, const struct warm_request *request, struct call *call)
{
    char *strings = map(request->bytes + (size_t)1);
    const char *end = strings ? strings + request->bytes : NULL;

    if (!strings || request->argc == 0 || !read_all(fd, strings, request->bytes))
        return false;
    call->argv = point_to(&strings, end, request->argc);
    char **variables = point_to(&strings, end, request->envc);
    if (!call->argv || !variables || !same_variables(variables))
        return false;
    call->argc = (int)request->argc;
    environ = variables;
    program_invocation_name = call->argv[0];
    const char *slash = strrchr(call->argv[0], '/');
    program_invocation_short_name = call->argv[0] + (slash ? slash + 1 - call->argv[0] : 0);
    return true;
}

static bool is_this_compiler(const struct warm_request *request)
{
    struct stat info;
    return stat("/proc/self/exe", &info) == 0 && info.st_dev == request->device &&
           info.st_ino == request->inode;
}

/* What the dynamic linker has mapped, the stack and the places of libraries are as the limits were
 * when this process started. */
static bool set_limits(const struct warm_request *request)
{
    for (int i = 0; i < WARM_LIMITS && i < RLIM_NLIMITS; i++) {
        const struct rlimit *limit = &request->limits[i], *ours = &at_start.limits[i];
        if (limit->rlim_cur == ours->rlim_cur && limit->rlim_max == ours->rlim_max)
            continue;
        if (i == RLIMIT_STACK || i == RLIMIT_AS || i == RLIMIT_DATA ||
            setrlimit((__rlimit_resource_t)i, limit) != 0)
            return false;
    }
    return true;
}

static bool set_priority(pid_t client)
{
    cpu_set_t wanted, ours;
    int nice_wanted = getpriority(PRIO_PROCESS, (id_t)client);
    long io_wanted = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, client);

    if (nice_wanted != getpriority(PRIO_PROCESS, 0) &&
        setpriority(PRIO_PROCESS, 0, nice_wanted) != 0)
        return false;
    if (io_wanted != syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0) &&
        syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, io_wanted) != 0)
        return false;
    if (sched_getaffinity(client, sizeof wanted, &wanted) != 0 ||
        sched_getaffinity(0, sizeof ours, &ours) != 0)
        return false;
    return CPU_EQUAL(&wanted, &ours) || sched_setaffinity(0, sizeof wanted, &wanted) == 0;
}

static bool move_up(int *fd, int above)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, above + 1);
    close(*fd);
    *fd = moved;
    return moved >= 0;
}

/* Puts the descriptors at their numbers. A number may be that of one that has yet to be moved; all
 * go out of the way first. What a constructor has opened is never closed. */
static bool place_descriptors(int *connection, int *received, const int32_t *numbers, size_t count)
{
    int highest = STDERR_FILENO;

    for (size_t i = 0; i < count; i++)
        highest = numbers[i] > highest ? numbers[i] : highest;
    bool good = move_up(connection, highest);
    for (size_t i = 0; i < count; i++)
        good = move_up(&received[i], highest) && good;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    for (size_t i = 0; good && i < count; i++) {
        bool taken = numbers[i] > STDERR_FILENO && fcntl(numbers[i], F_GETFD) >= 0;
        good = !taken && numbers[i] >= 0 && dup2(received[i], numbers[i]) >= 0;
        close(received[i]);
    }
    return good;
}

static void set_signals(const struct warm_request *request)
{
    sigset_t blocked;

    sigemptyset(&blocked);
    for (int number = 1; number <= SIGNALS; number++) {
        uint64_t bit = (uint64_t)1 << (number - 1);
        if ((request->ignored ^ at_start.ignored) & bit)
            signal(number, request->ignored & bit ? SIG_IGN : SIG_DFL);
        if (request->blocked & bit)
            sigaddset(&blocked, number);
    }
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

bool warm_child_reply(int connection, int kind, int value, long peak)
{
    struct warm_reply said = {kind, value, peak};
    return send(connection, &said, sizeof said, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof said;
}

/* Whether the client, which is told that all is ready, still wants it. */
static bool agree(int connection)
{
    char byte;
    return warm_child_reply(connection, WARM_READY, getpid(), 0) && read_all(connection, &byte, 1);
}

bool warm_child_become(int connection, pid_t peer, struct call *call)
{
    static int received[WARM_DESCRIPTORS + 1];
    static int32_t numbers[WARM_DESCRIPTORS];
    struct warm_request request;

    if (!warm_child_reply(connection, WARM_HELLO, 0, 0))
        return false;
    int count = read_request(connection, &request, received);
    if (count < 1 || !read_all(connection, numbers, (size_t)(count - 1) * sizeof *numbers) ||
        !read_strings(connection, &request, call) || !is_this_compiler(&request) ||
        !same_circumstances(peer))
        return false;
    if (setpgid(0, getpgid(peer)) != 0 || fchdir(received[0]) != 0 || !set_priority(peer))
        return false;
    close(received[0]);
    umask((mode_t)request.mask);
    if (!place_descriptors(&connection, &received[1], numbers, (size_t)count - 1) ||
        !set_limits(&request) || !agree(connection))
        return false;
    close(connection);
    set_signals(&request);
    return true;
}

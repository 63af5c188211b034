/* The warm compiler: a library that warm.c preloads into the compiler. It lets the dynamic linker
 * and the static constructors finish, and then, in place of the compiler's main function, waits for
 * requests (warm-protocol.h) and forks a child for each, which calls that function.
 *
 * A child is what the compiler would be if the client had executed it: arguments, environment,
 * working directory, umask, limits, priority, descriptors, signals and process group are those of
 * the client. Where one of them cannot be had, or the client lives under other circumstances than
 * this process (another compiler, other namespaces or control groups, other variables in the
 * environment, which the dynamic linker and constructors may have read), the request is refused,
 * and the client runs the compiler in the plain way.
 *
 * The server ends when its lifeline is closed, and dies with the process that started it; its
 * children die with it, and each with its client. */
#define _GNU_SOURCE /* RTLD_NEXT, struct ucred, sched_getaffinity */

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "warm-protocol.h"

enum {
    MOST_JOBS = 1000, /* at a time; further ones are refused */
    GRACE_MS = 1000,  /* for compilations to end before they are killed */
    SIGNALS = 64,
    IOPRIO_WHO_PROCESS = 1, /* linux/ioprio.h, which some systems lack */
};

typedef int main_function(int argc, char **argv, char **envp);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

/* glibc's, which a program's first instructions call. */
// NOLINTNEXTLINE(misc-use-internal-linkage): it is exported
__attribute__((visibility("default"))) start_function __libc_start_main;

extern char **environ;

static main_function *real_main;

/* A compilation. */
struct job {
    pid_t child;
    int connection; /* -1 once its client is gone */
};

/* What a child is given. */
struct call {
    int argc;
    char **argv;
};

/* What the client must have in common with this process: compared as text. */
static const char *const circumstances[] = {"cgroup",  "ns/mnt", "ns/pid",      "ns/user",
                                            "ns/net",  "ns/ipc", "ns/uts",      "ns/cgroup",
                                            "ns/time", "root",   "attr/current"};
enum { CIRCUMSTANCES = sizeof circumstances / sizeof *circumstances, CIRCUMSTANCE = 1024 };

static struct {
    pid_t pid;
    int signals; /* a descriptor that tells when a child has ended */
    char **variables;
    size_t variable_count;
    uint64_t ignored;
    struct rlimit limits[WARM_LIMITS];
    char circumstances[CIRCUMSTANCES][CIRCUMSTANCE];
    struct job jobs[MOST_JOBS];
    size_t job_count;
    bool is_full; /* no further client can be taken until a job has ended */
} server;

static bool names(const char *variable, const char *name)
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
    return names(variable, "PWD") || names(variable, "OLDPWD") || names(variable, "SHLVL") ||
           names(variable, "_");
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

    if (!sort_variables(variables, &sorted, &count) || count != server.variable_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sorted[i], server.variables[i]) != 0)
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
        if (strcmp(text, server.circumstances[i]) != 0)
            return false;
    }
    return sched_getscheduler(client) == sched_getscheduler(0);
}

/* One thread, since a fork has no more; nothing is to be had without /proc. */
static bool is_alone(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;

    while (tasks && (entry = readdir(tasks)))
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count == 1;
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

/* Notes how this process is. Returns false where it must not serve. */
static bool look_around(void)
{
    sigset_t all, child;

    server.pid = getpid();
    if (!is_alone() || !sort_variables(environ, &server.variables, &server.variable_count))
        return false;
    server.ignored = ignored_signals();
    for (int i = 0; i < WARM_LIMITS && i < RLIM_NLIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &server.limits[i]);
    for (size_t i = 0; i < CIRCUMSTANCES; i++)
        read_circumstance(server.pid, circumstances[i], server.circumstances[i]);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    server.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return server.signals >= 0;
}

/* From here to "become": in a child. */

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
        const struct rlimit *limit = &request->limits[i], *ours = &server.limits[i];
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

/* Descriptors of the server, which are none of a child's business. */
static void close_servers(int connection)
{
    close(WARM_LISTENER);
    close(WARM_LIFELINE);
    close(server.signals);
    for (size_t i = 0; i < server.job_count; i++) {
        if (server.jobs[i].connection >= 0 && server.jobs[i].connection != connection)
            close(server.jobs[i].connection);
    }
}

static void set_signals(const struct warm_request *request)
{
    sigset_t blocked;

    sigemptyset(&blocked);
    for (int number = 1; number <= SIGNALS; number++) {
        uint64_t bit = (uint64_t)1 << (number - 1);
        if ((request->ignored ^ server.ignored) & bit)
            signal(number, request->ignored & bit ? SIG_IGN : SIG_DFL);
        if (request->blocked & bit)
            sigaddset(&blocked, number);
    }
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static bool reply(int connection, int kind, int value)
{
    struct warm_reply said = {kind, value};
    return send(connection, &said, sizeof said, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof said;
}

/* Whether the client, which is told that all is ready, still wants it. */
static bool agree(int connection)
{
    char byte;
    return reply(connection, WARM_READY, getpid()) && read_all(connection, &byte, 1);
}

/* Becomes what the client asks for; false where that cannot be. */
static bool become(int connection, const struct ucred *client, struct call *call)
{
    static int received[WARM_DESCRIPTORS + 1];
    static int32_t numbers[WARM_DESCRIPTORS];
    struct warm_request request;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server.pid)
        return false;
    close_servers(connection);
    if (!reply(connection, WARM_HELLO, 0))
        return false;
    int count = read_request(connection, &request, received);
    if (count < 1 || !read_all(connection, numbers, (size_t)(count - 1) * sizeof *numbers) ||
        !read_strings(connection, &request, call) || !is_this_compiler(&request) ||
        !same_circumstances(client->pid))
        return false;
    if (setpgid(0, getpgid(client->pid)) != 0 || fchdir(received[0]) != 0 ||
        !set_priority(client->pid))
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

/* From here on: in the server. */

static void end_job(struct job *job, int status)
{
    if (job->connection >= 0) {
        reply(job->connection, WARM_ENDED, status);
        close(job->connection);
    }
    *job = server.jobs[--server.job_count];
    server.is_full = false;
}

static void reap(void)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    while (read(server.signals, &info, sizeof info) > 0)
        continue;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < server.job_count; i++) {
            if (server.jobs[i].child == pid) {
                end_job(&server.jobs[i], status);
                break;
            }
        }
    }
}

static void kill_jobs(int number)
{
    for (size_t i = 0; i < server.job_count; i++)
        kill(server.jobs[i].child, number);
}

static long now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Ends all compilations, and then this process. */
_Noreturn static void stop(void)
{
    struct pollfd ended = {server.signals, POLLIN, 0};
    long start = now_ms();

    close(WARM_LISTENER);
    kill_jobs(SIGTERM);
    kill_jobs(SIGCONT);
    while (server.job_count > 0) {
        long left = GRACE_MS - (now_ms() - start);
        if (left <= 0)
            kill_jobs(SIGKILL);
        poll(&ended, 1, left > 0 ? (int)left : -1);
        reap();
    }
    _exit(0);
}

/* Takes a client. Returns true in the child that has become what it asks for. */
static bool take(struct call *call)
{
    struct ucred client;
    socklen_t size = sizeof client;
    int connection = accept4(WARM_LISTENER, NULL, NULL, SOCK_CLOEXEC);

    if (connection < 0) {
        server.is_full = server.job_count > 0;
        return false;
    }
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &client, &size) == 0 &&
        client.uid == geteuid() && client.gid == getegid() && client.pid > 0 &&
        server.job_count < MOST_JOBS) {
        pid_t child = fork();
        if (child == 0) {
            if (become(connection, &client, call))
                return true;
            _exit(1);
        }
        if (child > 0) {
            server.jobs[server.job_count++] = (struct job){child, connection};
            return false;
        }
    }
    close(connection);
    return false;
}

/* Waits for something to happen, and sees to it; true as take has it. */
static bool serve_once(struct call *call)
{
    static struct pollfd fds[3 + MOST_JOBS];
    size_t count = server.job_count;

    fds[0] = (struct pollfd){WARM_LIFELINE, POLLIN, 0};
    fds[1] = (struct pollfd){server.signals, POLLIN, 0};
    fds[2] = (struct pollfd){server.is_full ? -1 : WARM_LISTENER, POLLIN, 0};
    for (size_t i = 0; i < count; i++)
        fds[3 + i] = (struct pollfd){server.jobs[i].connection, POLLRDHUP, 0};
    if (poll(fds, 3 + count, -1) < 0)
        return false;
    if (fds[0].revents)
        stop();
    /* Clients that are gone take their compilations with them. */
    for (size_t i = 0; i < count; i++) {
        if (fds[3 + i].revents) {
            kill(server.jobs[i].child, SIGKILL);
            close(server.jobs[i].connection);
            server.jobs[i].connection = -1;
        }
    }
    if (fds[1].revents)
        reap();
    return fds[2].revents && take(call);
}

/* In place of the compiler's main function. */
static int serve(int argc, char **argv, char **envp)
{
    struct call call = {argc, argv};

    (void)envp;
    if (!look_around())
        _exit(1);
    while (!serve_once(&call))
        continue;
    return real_main(call.argc, call.argv, environ);
}

/* Takes the variable NAME out of the environment, and returns its value. */
static const char *take_variable(char **variables, const char *name)
{
    const char *value = NULL;

    for (char **from = variables; *from; from++) {
        if (names(*from, name))
            value = *from + strlen(name) + 1;
        else
            *variables++ = *from;
    }
    *variables = NULL;
    return value;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    union { /* ISO C has no cast from an object's pointer to a function's */
        void *symbol;
        start_function *function;
    } real = {dlsym(RTLD_NEXT, "__libc_start_main")};
    char **variables = &argv[argc + 1];

    if (!real.symbol)
        _exit(127);
    const char *process = take_variable(variables, WARM_ENVIRONMENT);
    if (process && strtol(process, NULL, 10) == getpid()) {
        take_variable(variables, "LD_PRELOAD");
        const char *bind_now = getenv("LD_BIND_NOW");
        if (bind_now && strcmp(bind_now, WARM_BIND_NOW) == 0)
            take_variable(variables, "LD_BIND_NOW");
        /* A constructor that has changed the environment would do so for each compilation. */
        if (environ != variables)
            _exit(1);
        real_main = main;
        main = serve;
    }
    return real.function(main, argc, argv, init, fini, rtld_fini, stack_end);
}

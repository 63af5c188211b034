/* The warm compiler: a library that warm.c preloads into the compiler. It lets the dynamic linker
 * and the static constructors finish, and then, in place of the compiler's main function, waits for
 * requests (warm-protocol.h) and forks a child for each, which calls that function.
 *
 * A child becomes what the compiler would be if the client had executed it (warm-child.h). Where
 * that cannot be, or the client lives under other circumstances than this process (another
 * compiler, other namespaces or control groups, other variables in the environment, which the
 * dynamic linker and constructors may have read), the request is refused, and the client runs the
 * compiler in the plain way.
 *
 * The server ends when its lifeline is closed, and dies with the process that started it; its
 * children die with it, and each with its client. */
#define _GNU_SOURCE /* RTLD_NEXT, struct ucred, accept4 */

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "warm-child.h"
#include "warm-memory.h"
#include "warm-protocol.h"

enum {
    MOST_JOBS = 1000,   /* at a time; further ones are refused */
    GRACE_MS = 1000,    /* for compilations to end before they are killed */
    ENLARGE_AFTER = 16, /* compilations: in a smaller link, enlarging costs more than it saves */
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

static struct {
    pid_t pid;
    int signals; /* a descriptor that tells when a child has ended */
    struct job jobs[MOST_JOBS];
    size_t job_count;
    bool is_full;   /* no further client can be taken until a job has ended */
    unsigned taken; /* jobs so far */
} server;

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

/* Notes how this process is. Returns false where it must not serve. */
static bool look_around(void)
{
    sigset_t all, child;

    server.pid = getpid();
    if (!is_alone() || !warm_child_note())
        return false;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    server.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return server.signals >= 0;
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

/* In a child; false as warm_child_become has it. */
static bool begin(int connection, pid_t peer, struct call *call)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server.pid)
        return false;
    close_servers(connection);
    return warm_child_become(connection, peer, call);
}

static void end_job(struct job *job, int status, long peak)
{
    if (job->connection >= 0) {
        warm_child_reply(job->connection, WARM_ENDED, status, peak);
        close(job->connection);
    }
    *job = server.jobs[--server.job_count];
    server.is_full = false;
}

static void reap(void)
{
    struct signalfd_siginfo info;
    struct rusage usage;
    int status;
    pid_t pid;

    while (read(server.signals, &info, sizeof info) > 0)
        continue;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        for (size_t i = 0; i < server.job_count; i++) {
            if (server.jobs[i].child == pid) {
                end_job(&server.jobs[i], status, usage.ru_maxrss);
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
        if (++server.taken == ENLARGE_AFTER)
            warm_memory_enlarge_pages();
        pid_t child = fork();
        if (child == 0) {
            if (begin(connection, client.pid, call))
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
    warm_memory_tune_malloc();
    return real_main(call.argc, call.argv, environ);
}

/* Takes the variable NAME out of the environment, and returns its value. */
static const char *take_variable(char **variables, const char *name)
{
    const char *value = NULL;

    for (char **from = variables; *from; from++) {
        if (warm_child_names(*from, name))
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

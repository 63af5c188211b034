#ifdef HAVE_PRCTL
#define _GNU_SOURCE /* prctl's header uses types that POSIX does not have */
#include <sys/prctl.h>
#endif

#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "clock.h"
#include "signals.h"

enum {
    PARENT_CHECK_MS = 200, /* how soon the linker's death is noticed, by signals_caught */
    NINJA_GRACE_MS = 3000, /* for ninja to end its jobs, which may be slow to end */
    JOBS_GRACE_MS = 1000,  /* for jobs that ninja left, before they are killed */
    JOBS_LIMIT_MS = 10000, /* for those that cannot even be killed, as on a dead NFS server */
    REAP_STEP_MS = 10,
    COULD_NOT_RUN = 127,
};

/* Orphaned descendants become children of this process, instead of init's. */
static void adopt_orphans(void)
{
#ifdef HAVE_PRCTL
    prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

/* This process gets the signal NUMBER when the process PARENT, which started it, dies. */
static void die_with(pid_t parent, int number)
{
#ifdef HAVE_PRCTL
    prctl(PR_SET_PDEATHSIG, number);
    if (getppid() != parent)
        raise(number);
#else
    (void)parent;
    (void)number;
#endif
}

static void pause_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static long now_ms(void)
{
    return (long)(clock_ticks() / 1000);
}

/* Parent and session of a process, from /proc/PID/stat (proc(5)); false where it has none. */
static bool read_stat(const char *pid, pid_t *parent, pid_t *session)
{
    char path[64], line[512], *rest;

    snprintf(path, sizeof path, "/proc/%.32s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    /* The name of the program, in parentheses, may hold anything. */
    rest = strrchr(line, ')');
    if (!rest || strlen(rest) < 5)
        return false;
    rest += 4; /* ") S " */
    *parent = (pid_t)strtol(rest, &rest, 10);
    (void)strtol(rest, &rest, 10); /* process group */
    *session = (pid_t)strtol(rest, NULL, 10);
    return true;
}

/* Sends NUMBER to the children of this process, of its own session: a daemon that a compiler
 * wrapper has started is in another and is let be. Returns how many there are. Does nothing where
 * there is no /proc of Linux's kind. */
static int signal_children(int number)
{
    int found = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    while (proc && (entry = readdir(proc))) {
        pid_t parent, session;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        if (!read_stat(entry->d_name, &parent, &session))
            continue;
        if (parent != getpid() || session != getsid(0))
            continue;
        found++;
        kill((pid_t)strtol(entry->d_name, NULL, 10), number);
    }
    if (proc)
        closedir(proc);
    return found;
}

/* Ends the jobs that ninja has left, which have become children of this process. */
static void end_orphans(void)
{
    long start = now_ms();
    int number = SIGTERM;

    while (signal_children(number) > 0 && now_ms() - start < JOBS_LIMIT_MS) {
        bool late = now_ms() - start >= JOBS_GRACE_MS;
        number = late ? SIGKILL : 0;
        pause_ms(REAP_STEP_MS);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            number = late ? SIGKILL : SIGTERM; /* children of that one may be ours now */
    }
}

/* In a child: becomes ninja. */
_Noreturn static void become(const char *const *argv, int out, pid_t parent)
{
    int null = open("/dev/null", O_RDONLY);

    signals_release();
    die_with(parent, SIGTERM);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0)
        _exit(COULD_NOT_RUN);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(COULD_NOT_RUN);
}

/* Signals are held back over a fork, so that a child never acts on its parent's behalf. */
static pid_t fork_quietly(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, before);
    return fork();
}

static pid_t start_ninja(const char *const *argv, int out)
{
    sigset_t mask;
    pid_t parent = getpid(), pid = fork_quietly(&mask);

    if (pid == 0)
        become(argv, out, parent);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

/* What the guard knows while ninja runs. */
struct watch {
    pid_t ninja;
    int lifeline; /* brings the numbers of signals; at its end dtlto-ninja is dead */
    bool orphaned;
    bool stopping; /* a signal was passed on */
    long deadline; /* when ninja is killed, if it is stopping */
};

/* Passes a signal on to ninja; SIGQUIT as SIGTERM, since ninja does not catch it. The second one
 * ends it at once. */
static void pass_on(struct watch *watch, int number)
{
    watch->deadline = now_ms() + (watch->stopping ? 0 : NINJA_GRACE_MS);
    watch->stopping = true;
    kill(watch->ninja, number == SIGQUIT ? SIGTERM : number);
}

static void read_lifeline(struct watch *watch)
{
    unsigned char number;
    ssize_t count = read(watch->lifeline, &number, 1);

    if (count == 0)
        watch->orphaned = true;
    if (count >= 0)
        pass_on(watch, count > 0 ? number : SIGTERM);
}

/* Waits for something to happen, and sees to it. Signals of the terminal reach the guard too, and
 * are nothing to it: dtlto-ninja says what to do. */
static void watch_once(struct watch *watch)
{
    struct pollfd fds[2] = {{signals_fd(), POLLIN, 0},
                            {watch->orphaned ? -1 : watch->lifeline, POLLIN, 0}};
    long wait = watch->stopping ? watch->deadline - now_ms() : -1;

    if (watch->stopping && wait <= 0) {
        kill(watch->ninja, SIGKILL);
        wait = REAP_STEP_MS;
    }
    poll(fds, 2, (int)wait);
    signals_drain();
    if (fds[1].revents)
        read_lifeline(watch);
}

/* Waits for ninja and returns its wait status. */
static int wait_for_ninja(struct watch *watch)
{
    int status;
    pid_t pid;

    for (;;) {
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid == watch->ninja)
                return status;
        }
        watch_once(watch);
    }
}

/* What the guard tells dtlto-ninja in the end. */
struct result {
    int wait_status;
    int64_t started, ended;
};

/* The guard's life. */
_Noreturn static void guard(const char *const *argv, const struct guard_calls *calls, int out,
                            int lifeline, int result)
{
    struct watch watch = {.lifeline = lifeline};

    struct result said = {0};

    calls->start(calls->context);
    said.started = clock_now();
    watch.ninja = start_ninja(argv, out);
    close(out);
    if (watch.ninja < 0)
        _exit(1);
    said.wait_status = wait_for_ninja(&watch);
    said.ended = clock_now();
    calls->end(calls->context);
    if (watch.stopping || WIFSIGNALED(said.wait_status))
        end_orphans();
    ssize_t written = watch.orphaned ? -1 : write(result, &said, sizeof said);
    /* dtlto-ninja may have died just now. */
    if (written != sizeof said)
        calls->abandon(calls->context);
    _exit(0);
}

/* What dtlto-ninja knows of the guard. */
struct ward {
    pid_t guard;
    struct channel channel;
    int result;   /* how ninja ended comes from here */
    int lifeline; /* signals for ninja go here */
    int passed;   /* how many signals did */
};

static void tell_guard(const struct ward *ward, int number)
{
    unsigned char byte = (unsigned char)number;
    (void)!write(ward->lifeline, &byte, 1);
}

static void pass_signals(struct ward *ward, struct ending *ending)
{
    if (!ending->signal)
        ending->signal = signals_caught();
    for (; ward->passed < signals_count(); ward->passed++)
        tell_guard(ward, signals_caught());
}

/* Reads what can be read now. Returns false at the end of the channel. */
static bool take_output(struct channel *channel, const struct guard_calls *calls)
{
    char buffer[16384];
    ssize_t count = read(channel->read_end, buffer, sizeof buffer);

    if (count > 0)
        calls->output(calls->context, buffer, (size_t)count);
    return count > 0 || (count < 0 && errno == EINTR);
}

static void take_result(const struct result *said, struct ending *ending)
{
    ending->known = true;
    ending->wait_status = said->wait_status;
    ending->started = said->started;
    ending->ended = said->ended;
}

/* Runs until the guard has said how ninja ended, or is dead. */
static void attend(struct ward *ward, const struct guard_calls *calls, struct ending *ending)
{
    bool open = true, running = true;

    while (running) {
        struct pollfd fds[3] = {{signals_fd(), POLLIN, 0},
                                {ward->result, POLLIN, 0},
                                {open ? ward->channel.read_end : -1, POLLIN, 0}};
        poll(fds, 3, PARENT_CHECK_MS);
        signals_drain();
        channel_resize(&ward->channel);
        pass_signals(ward, ending);
        if (fds[2].revents)
            open = take_output(&ward->channel, calls);
        if (fds[1].revents) {
            struct result said;
            ssize_t count = read(ward->result, &said, sizeof said);
            running = count < 0 && errno == EINTR;
            if (count == sizeof said)
                take_result(&said, ending);
        }
    }
    fcntl(ward->channel.read_end, F_SETFL, O_NONBLOCK);
    while (open && take_output(&ward->channel, calls))
        continue;
}

static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Forks the guard. Returns false, with errno set, where it cannot. */
static bool start_guard(struct ward *ward, const char *const *argv, const struct guard_calls *calls)
{
    int life[2], result[2];
    sigset_t mask;

    if (!make_pipe(life))
        return false;
    if (!make_pipe(result)) {
        close(life[0]);
        close(life[1]);
        return false;
    }
    ward->guard = fork_quietly(&mask);
    if (ward->guard == 0) {
        close(life[1]);
        close(result[0]);
        close(ward->channel.read_end);
        bool good = signals_catch_children();
        sigprocmask(SIG_SETMASK, &mask, NULL);
        adopt_orphans();
        if (!good)
            _exit(1);
        guard(argv, calls, ward->channel.write_end, life[0], result[1]);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(life[0]);
    close(result[1]);
    ward->result = result[0];
    ward->lifeline = life[1];
    errno = error;
    return ward->guard > 0;
}

/* What the children of this process that have ended took of the processors, and theirs, in
 * microseconds. */
static int64_t children_time(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 0;
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

enum status guard_run(const char *const *argv, const struct guard_calls *calls,
                      struct ending *ending)
{
    struct ward ward = {0};

    int64_t before = children_time();

    *ending = (struct ending){0};
    adopt_orphans();
    if (!channel_open(&ward.channel) || !start_guard(&ward, argv, calls)) {
        message_error(errno, "cannot start %s", argv[0]);
        channel_close(&ward.channel);
        return STATUS_SYSTEM;
    }
    channel_close_write(&ward.channel);
    attend(&ward, calls, ending);
    while (waitpid(ward.guard, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (!ending->known)
        end_orphans();
    ending->processor_time = children_time() - before;
    close(ward.result);
    close(ward.lifeline);
    channel_close(&ward.channel);
    if (ending->known || ending->signal)
        return STATUS_OK;
    message("the process that looks after ninja was killed, or could not start it");
    return STATUS_SYSTEM;
}

#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
enum { FATAL_COUNT = sizeof fatal / sizeof *fatal };

/* What a handler can reach. */
static volatile sig_atomic_t first, count;
static int wake[2] = {-1, -1};

static pid_t parent; /* 0: not looked after */
static bool parent_died;
static sigset_t blocked_at_start;

static void notice(int number)
{
    int saved = errno;

    for (int i = 0; i < FATAL_COUNT; i++) {
        if (fatal[i] == number) {
            count++;
            if (!first)
                first = number;
        }
    }
    (void)!write(wake[1], "", 1);
    errno = saved;
}

static void set(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Sets everything up, whose descriptor WITH wakes too. */
static bool catch_all(int with)
{
    sigset_t caught;

    for (int i = 0; i < 2; i++) {
        if (wake[i] >= 0)
            close(wake[i]);
    }
    first = count = 0;
    if (pipe(wake) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    }
    sigemptyset(&caught);
    for (int i = 0; i < FATAL_COUNT; i++) {
        sigaddset(&caught, fatal[i]);
        if (!is_ignored(fatal[i]))
            set(fatal[i], notice);
    }
    set(SIGPIPE, SIG_IGN);
    set(SIGCHLD, SIG_DFL);
    set(SIGWINCH, SIG_DFL);
    set(with, notice);
    sigaddset(&caught, SIGCHLD);
    sigaddset(&caught, SIGWINCH);
    sigprocmask(SIG_UNBLOCK, &caught, NULL);
    return true;
}

bool signals_catch(void)
{
    parent = getppid();
    sigprocmask(SIG_SETMASK, NULL, &blocked_at_start);
    return catch_all(SIGWINCH);
}

bool signals_catch_children(void)
{
    parent = 0;
    return catch_all(SIGCHLD);
}

int signals_caught(void)
{
    if (!first && parent && getppid() != parent) {
        parent_died = true;
        count++;
        first = SIGTERM;
    }
    return first;
}

int signals_count(void)
{
    return count;
}

bool signals_parent_died(void)
{
    return parent_died;
}

enum status signals_status(void)
{
    return (enum status)(STATUS_SIGNAL + signals_caught());
}

int signals_fd(void)
{
    return wake[0];
}

void signals_drain(void)
{
    char bytes[64];
    while (read(wake[0], bytes, sizeof bytes) > 0)
        continue;
}

void signals_release(void)
{
    for (int i = 0; i < FATAL_COUNT; i++) {
        if (!is_ignored(fatal[i]))
            set(fatal[i], SIG_DFL);
    }
    set(SIGPIPE, SIG_DFL);
    set(SIGCHLD, SIG_DFL);
    set(SIGWINCH, SIG_DFL);
    sigprocmask(SIG_SETMASK, &blocked_at_start, NULL);
}

#ifdef HAVE_WARM
#define _GNU_SOURCE /* prctl's header uses types that POSIX does not have */
#endif

#include "warm.h"

#include "message.h"

#ifndef HAVE_WARM

bool warm_prepare(struct warm *warm, const char *compiler, const char *folder)
{
    (void)folder;
    *warm = (struct warm){.compiler = compiler, .is_missing = true};
    text_puts(&warm->problem, "dtlto-ninja was built on a system that has no warm compilers");
    return false;
}

bool warm_measure(struct warm *warm, const char *folder)
{
    (void)warm;
    (void)folder;
    return false;
}

void warm_free(struct warm *warm)
{
    text_free(&warm->problem);
}

void warm_start(struct warm *warm)
{
    (void)warm;
}

void warm_stop(struct warm *warm)
{
    (void)warm;
}

#else

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "quote.h"
#include "signals.h"
#include "warm-protocol.h"
#include "warm-socket.h"

enum {
    STOP_MS = 3000, /* for the server to end its compilations */
    STEP_MS = 2,
    STEP_NS = STEP_MS * 1000000,
    MOST_HEADERS = 64,
};

/* What programs can share a library: machine and dynamic linker. */
struct kind {
    ElfW(Ehdr) header;
    char linker[256];
};

/* Reads that of the program that is open as FD. Returns a null pointer, or what is wrong with it.
 */
static const char *read_kind(int fd, struct kind *kind)
{
    ElfW(Ehdr) *header = &kind->header;
    ElfW(Phdr) part;

    if (pread(fd, header, sizeof *header, 0) != sizeof *header ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return "it is a script, or no program of this system";
    if (header->e_phentsize != sizeof part || header->e_phnum > MOST_HEADERS)
        return "it is a program for another machine";
    for (unsigned i = 0; i < header->e_phnum; i++) {
        off_t at = (off_t)(header->e_phoff + i * sizeof part);
        if (pread(fd, &part, sizeof part, at) != sizeof part)
            return "it cannot be read";
        if (part.p_type != PT_INTERP)
            continue;
        memset(kind->linker, 0, sizeof kind->linker);
        if (part.p_filesz >= sizeof kind->linker ||
            pread(fd, kind->linker, part.p_filesz, (off_t)part.p_offset) != (ssize_t)part.p_filesz)
            return "it cannot be read";
        return NULL;
    }
    return "it is statically linked";
}

/* Whether the program open as FD can be preloaded with a library that was built together with this
 * program. Returns a null pointer, or why not. */
static const char *compare_kinds(int fd)
{
    struct kind its, ours;
    const char *problem = read_kind(fd, &its);
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    if (!problem && (self < 0 || read_kind(self, &ours)))
        problem = "dtlto-ninja itself is statically linked";
    else if (!problem && (memcmp(its.header.e_ident, ours.header.e_ident, EI_OSABI) != 0 ||
                          its.header.e_machine != ours.header.e_machine))
        problem = "it is a program for another machine";
    else if (!problem && strcmp(its.linker, ours.linker) != 0)
        problem = "it has another C library";
    if (self >= 0)
        close(self);
    return problem;
}

/* Why the compiler cannot be kept warm; a null pointer where it can. */
static const char *find_problem(struct warm *warm)
{
    struct stat info;

    if (getenv("LD_PRELOAD") || getenv("LD_AUDIT"))
        return "LD_PRELOAD or LD_AUDIT is set";
    if (!program_in_path(&warm->program, warm->compiler))
        return "it is not in PATH";
    int fd = open(warm->program.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return strerror(errno);
    const char *problem = NULL;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        problem = "it is no file";
    else if (access(warm->program.data, X_OK) != 0)
        problem = strerror(errno);
    else if ((info.st_mode & (S_ISUID | S_ISGID)) ||
             fgetxattr(fd, "security.capability", NULL, 0) > 0)
        problem = "it runs with privileges of its own (set-user-ID or the like)";
    else
        problem = compare_kinds(fd);
    close(fd);
    return problem;
}

/* Sets the paths of our files, in FOLDER; false where they are not there. LD_PRELOAD takes blanks
 * and colons for separators, and its own escapes for something else. */
static bool look_in(struct warm *warm, const char *folder)
{
    text_clear(&warm->shim);
    text_clear(&warm->client);
    text_printf(&warm->shim, "%s/dtlto-warm.so", folder);
    text_printf(&warm->client, "%s/dtlto-warm", folder);
    return folder[0] == '/' && !strpbrk(folder, " \t\n:;$\r") &&
           access(warm->shim.data, R_OK) == 0 && access(warm->client.data, X_OK) == 0;
}

/* They are beside this program before it is installed. */
static bool find_files(struct warm *warm)
{
    const char *folder = getenv("DTLTO_NINJA_WARM");
    char self[4096];

    if (folder)
        return look_in(warm, folder);
    char *slash = program_self(self, sizeof self) ? strrchr(self, '/') : NULL;
    if (slash) {
        *slash = '\0';
        if (look_in(warm, self))
            return true;
    }
    return look_in(warm, WARM_FOLDER);
}

bool warm_measure(struct warm *warm, const char *folder)
{
    if (!find_files(warm))
        return false;
    /* A template's command may go elsewhere first. */
    char *here = folder[0] != '/' ? getcwd(NULL, 0) : NULL;
    text_printf(&warm->socket, "%s%s%s/" WARM_SOCKET, here ? here : "", here ? "/" : "", folder);
    free(here);
    quote_shell(&warm->command, warm->client.data);
    text_putc(&warm->command, ' ');
    quote_shell(&warm->command, warm->socket.data);
    text_putc(&warm->command, ' ');
    return true;
}

bool warm_prepare(struct warm *warm, const char *compiler, const char *folder)
{
    *warm = (struct warm){.compiler = compiler, .lifeline = -1};
    const char *problem = find_problem(warm);
    if (problem) {
        text_puts(&warm->problem, problem);
        return false;
    }
    if (!warm_measure(warm, folder)) {
        warm->is_missing = true;
        text_printf(&warm->problem,
                    "found no dtlto-warm and dtlto-warm.so, or a path that LD_PRELOAD does not "
                    "take: %s",
                    warm->shim.data);
        return false;
    }
    return true;
}

void warm_free(struct warm *warm)
{
    text_free(&warm->program);
    text_free(&warm->shim);
    text_free(&warm->client);
    text_free(&warm->socket);
    text_free(&warm->command);
    text_free(&warm->problem);
}

/* Leaves only standard descriptors, which go nowhere, and the two that the server knows. */
static bool set_descriptors(int listener, int lifeline)
{
    int null = open("/dev/null", O_RDWR);
    int high = fcntl(lifeline, F_DUPFD, WARM_LIFELINE + 1);

    if (null < 0 || high < 0 || dup2(listener, WARM_LISTENER) < 0 || dup2(high, WARM_LIFELINE) < 0)
        return false;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (dup2(null, fd) < 0)
            return false;
    }
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd > WARM_LIFELINE)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return folder != NULL;
}

/* In a child: becomes the server. Symbols are looked up now, once for all children. The arguments
 * are for a compiler that the shim does not get hold of: it then ends at once. */
_Noreturn static void become(const struct warm *warm, int listener, int lifeline, pid_t parent)
{
    const char *argv[] = {warm->compiler, "--version", NULL};
    char process[32];

    signals_release();
    snprintf(process, sizeof process, "%ld", (long)getpid());
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
        setenv("LD_PRELOAD", warm->shim.data, 1) != 0 ||
        setenv("LD_BIND_NOW", WARM_BIND_NOW, 0) != 0 || setenv(WARM_ENVIRONMENT, process, 1) != 0 ||
        !set_descriptors(listener, lifeline))
        _exit(1);
    execv(warm->program.data, (char *const *)(uintptr_t)argv);
    _exit(1);
}

void warm_start(struct warm *warm)
{
    int life[2];
    sigset_t all, before;
    pid_t parent = getpid();
    int listener = warm_listen(warm->socket.data);

    if (listener < 0 || pipe(life) != 0) {
        if (warm->verbose)
            message_error(errno, "cannot keep the compiler warm");
        if (listener >= 0)
            close(listener);
        return;
    }
    fcntl(life[1], F_SETFD, FD_CLOEXEC);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0)
        become(warm, listener, life[0], parent);
    sigprocmask(SIG_SETMASK, &before, NULL);
    /* Once the server is gone, nobody has the listener, and clients do not wait for it. */
    close(listener);
    close(life[0]);
    warm->server = child > 0 ? child : 0;
    warm->lifeline = life[1];
}

void warm_stop(struct warm *warm)
{
    struct timespec step = {0, STEP_NS};

    if (warm->lifeline >= 0)
        close(warm->lifeline);
    warm->lifeline = -1;
    for (int waited = 0; warm->server > 0 && waited < STOP_MS; waited += STEP_MS) {
        pid_t pid = waitpid(warm->server, NULL, WNOHANG);
        if (pid == warm->server || (pid < 0 && errno == ECHILD))
            warm->server = 0;
        else
            nanosleep(&step, NULL);
    }
    if (warm->server > 0) {
        kill(warm->server, SIGKILL);
        while (waitpid(warm->server, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    warm->server = 0;
}

#endif

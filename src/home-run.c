#include "home-run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carrier.h"
#include "message.h"
#include "object.h"
#include "signals.h"
#include "slots.h"
#include "text.h"

char *home_file(const char *base, const char *ending)
{
    struct text name = {0};
    text_printf(&name, "%s%s", base, ending);
    return name.data;
}

char *home_beside(const char *base, const char *name)
{
    const char *slash = strrchr(base, '/');
    struct text path = {0};

    text_write(&path, base, slash ? (size_t)(slash - base) + 1 : 0);
    text_puts(&path, name);
    return path.data;
}

int home_run(const char *const *argv)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        signals_release();
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        int error = errno;
        message_error(error, "cannot run '%s'", argv[0]);
        _exit(error == ENOENT ? 127 : 126);
    }
    if (child < 0) {
        message_error(errno, "cannot run '%s'", argv[0]);
        return STATUS_SYSTEM << 8;
    }
    bool sent = false;
    while (waitpid(child, &status, 0) != child) {
        if (signals_caught() && !sent)
            kill(child, signals_caught());
        sent = signals_caught() != 0;
    }
    return status;
}

int home_run_in_slot(const char *base, const char *const *argv)
{
    const char *slash = strrchr(base, '/');
    struct text folder = {0};

    text_write(&folder, base, slash ? (size_t)(slash - base) : 0);
    int slot = slots_take(folder.length > 0 ? folder.data : "/");
    carrier_environment_end();
    int status = signals_caught() ? signals_caught() : home_run(argv);
    if (slot >= 0)
        close(slot);
    text_free(&folder);
    return status;
}

int home_end(int status)
{
    int number = signals_caught();

    if (!number && WIFSIGNALED(status))
        number = WTERMSIG(status);
    if (!number)
        return WEXITSTATUS(status);
    signals_release();
    raise(number);
    return STATUS_SIGNAL + number;
}

bool home_is_object(const char *object, const struct words *command, const char *module)
{
    struct text problem = {0};
    bool good = object_check(AT_FDCWD, object, object_target(command), &problem);

    if (!good && getenv("DTLTO_CLANG_VERBOSE"))
        message("the object of '%s' %s", module ? module : object, problem.data);
    text_free(&problem);
    return good;
}

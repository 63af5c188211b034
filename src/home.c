#include "home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bundle.h"
#include "carrier.h"
#include "clock.h"
#include "codeview.h"
#include "compilation.h"
#include "deliver.h"
#include "home-run.h"
#include "identity.h"
#include "memory.h"
#include "message.h"
#include "note.h"
#include "pack.h"
#include "patience.h"
#include "process.h"
#include "program.h"
#include "quote.h"
#include "setting.h"
#include "signals.h"

extern char **environ;

static const char inputs_suffix[] = ".inputs";

/* One compilation. */
struct task {
    const struct home *home;
    const struct carrier *carrier;
    char *self;       /* owned; the path of this program */
    char *base;       /* owned; absolute; the names of our files begin with it */
    struct text list; /* what the strings of the next two point into */
    struct words inputs;
    struct words command;
    struct compilation compilation;
    struct identity identity; /* of the compiler */
    struct bundle bundle;
    uint64_t seconds;   /* that the farm may take; 0: any number */
    struct text reason; /* why it did not go out, or did not come back */
    /* For the note: */
    const char *kind, *why; /* why: a null pointer where it has no reason */
    struct text host;       /* that did it; empty: not known */
};

static void remove_file(const char *base, const char *ending)
{
    char *name = home_file(base, ending);
    unlink(name);
    free(name);
}

/* The job's index, which the manifest has put into the name of the list of inputs
 * ("build.ninja.job-7.inputs"); -1 in one that somebody else has written. */
static long job_number(const char *base)
{
    static const char mark[] = ".job-";
    const char *last = NULL;
    char *end = NULL;

    for (const char *at = base; (at = strstr(at, mark)); at += sizeof mark - 1)
        last = at + sizeof mark - 1;
    long number = last ? strtol(last, &end, 10) : -1;
    return last && end > last && *end == '\0' ? number : -1;
}

/* The most memory that one of the programs held that have run here, in KiB. */
static long peak_here(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_maxrss : 0;
}

/* Notes where the compilation ran. One write of a short line is not mixed with others. */
static void leave_note(const struct task *task, int64_t start, int status)
{
    char *path = home_beside(task->base, NOTE_FILE);
    struct text line = {0};
    bool elsewhere = strcmp(task->kind, "remote") == 0 || strcmp(task->kind, "cached") == 0;
    struct note note = {
        .kind = task->kind,
        .job = job_number(task->base),
        .start = start,
        .end = clock_now(),
        .peak = elsewhere ? 0 : peak_here(),
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_SIGNAL + WTERMSIG(status),
        .host = elsewhere && task->host.length > 0 ? task->host.data : "-",
        .text = task->why ? task->why : "",
    };

    note_write(&line, &note);
    /* dtlto-ninja has made the file, if it wants to know. */
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, line.data, line.length);
        close(fd);
    }
    text_free(&line);
    free(path);
}

/* Runs the command itself. Returns its wait status. */
static int run_here(struct task *task, const char *kind)
{
    task->kind = kind;
    task->why = task->reason.length > 0 ? task->reason.data : "no reason";
    if (getenv("DTLTO_CLANG_VERBOSE"))
        message("running the compilation of '%s' here: %s",
                task->inputs.count > 0 ? task->inputs.items[0] : "?", task->reason.data);
    words_add(&task->command, NULL);
    return home_run_in_slot(task->base, task->command.items);
}

/* Reads the list of inputs; what is behind "--" belongs to the command. */
static bool read_inputs(struct task *task)
{
    struct text file = {0};
    struct words words = {0};
    int error = text_read_file(&file, task->home->inputs);
    bool good = !error && split_options(file.data, &task->list, &words);
    size_t i = 0;

    for (i = 0; i < task->home->command.count; i++)
        words_add(&task->command, task->home->command.items[i]);
    for (i = 0; i < words.count && strcmp(words.items[i], "--") != 0; i++)
        words_add(&task->inputs, words.items[i]);
    for (i++; i < words.count; i++)
        words_add(&task->command, words.items[i]);
    if (!good)
        text_puts(&task->reason, "the list of its inputs cannot be read");
    else if (task->inputs.count == 0)
        text_puts(&task->reason, "its inputs cannot be named");
    text_free(&file);
    words_free(&words);
    return task->reason.length == 0;
}

/* dtlto-ninja has asked the compiler for all jobs; run by hand, each asks. */
static bool find_identity(struct task *task)
{
    const char *known = getenv("DTLTO_CLANG_IDENTITY");
    if (known && identity_read(&task->identity, known))
        return true;
    if (identity_ask(&task->identity, task->command.items[0], task->compilation.subcommand))
        return true;
    text_puts(&task->reason, "the compiler is no clang that says its version");
    return false;
}

/* What the compiler reads besides its arguments is not there on the far side. */
static bool has_odd_environment(struct task *task)
{
    static const char *const names[] = {"CCC_OVERRIDE_OPTIONS", "COMPILER_PATH"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i])) {
            text_printf(&task->reason, "%s is set", names[i]);
            return true;
        }
    }
    return false;
}

/* An object that names the compiler and its files must be made here. */
static bool records_command(struct task *task)
{
    if (getenv("DTLTO_CLANG_CODEVIEW") || !codeview_records(&task->compilation, &task->inputs))
        return false;
    text_puts(&task->reason, "CodeView records its command");
    return true;
}

/* Takes the command apart. */
static bool take_apart(struct task *task)
{
    struct words command = {0};

    for (size_t i = 1; i < task->command.count; i++)
        words_add(&command, task->command.items[i]);
    bool good = compilation_take(&task->compilation, &command, &task->inputs,
                                 getenv("DTLTO_CLANG_MLLVM"), &task->reason);
    words_free(&command);
    return good;
}

static bool make_bundle(struct task *task)
{
    char *path = home_file(task->base, ".i");
    struct text problem = {0};
    bool good = take_apart(task) && !has_odd_environment(task) && !records_command(task) &&
                find_identity(task);

    if (good) {
        task->bundle.identity = task->identity;
        task->identity = (struct identity){0};
        good = pack(&task->bundle, &task->compilation, &task->inputs, &task->reason);
    }
    if (good) {
        good = bundle_write(&task->bundle, path, &problem);
        if (!good)
            text_printf(&task->reason, "no bundle could be written: %s", problem.data);
    }
    text_free(&problem);
    free(path);
    return good;
}

/* The word as it is, but with OBJECT in place of the output. */
static void add_word(struct text *text, const struct task *task, const char *word,
                     const char *object)
{
    const char *output = task->compilation.output;
    size_t length = strlen(word);

    if (output >= word && output <= word + length) {
        text_write(text, word, (size_t)(output - word));
        text_puts(text, object);
    } else {
        text_puts(text, word);
    }
    text_putc(text, '\0');
}

/* Leaves the command, for a carrier that runs this program here: words, each with a NUL behind. */
static bool leave_command(struct task *task)
{
    char *path = home_file(task->base, ".command"), *object = home_file(task->base, ".o");
    struct text text = {0};
    FILE *file = fopen(path, "w");

    for (size_t i = 0; i < task->command.count; i++)
        add_word(&text, task, task->command.items[i], object);
    bool good = file && fwrite(text.data, 1, text.length, file) == text.length;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        text_printf(&task->reason, "cannot write '%s': %s", path, strerror(errno));
    text_free(&text);
    free(path);
    free(object);
    return good;
}

/* What home_again left: -1, or the wait status of the compilation that it ran. */
static int ran_here(const struct task *task)
{
    char *path = home_file(task->base, HOME_HERE);
    struct text text = {0};
    int status = -1;

    if (text_read_file(&text, path) == 0 && text.length > 0)
        status = (int)strtol(text.data, NULL, 10);
    text_free(&text);
    free(path);
    return status;
}

/* Puts the carrier's object in its place. */
static bool take_object(struct task *task, const char *object)
{
    if (!home_is_object(object, &task->command, task->inputs.items[0])) {
        text_puts(&task->reason, "no good object came back");
        return false;
    }
    const char *output = task->compilation.output;
    bool good = rename(object, output) == 0;
    if (!good && errno == EXDEV) {
        int fd = open(object, O_RDONLY | O_CLOEXEC);
        good = fd >= 0 && deliver(fd, output);
        if (fd >= 0)
            close(fd);
    }
    if (!good)
        text_printf(&task->reason, "the object cannot be put in its place: %s", strerror(errno));
    return good;
}

/* Notes what the carrier has done: run it here for this REASON, unless that is a null pointer, or
 * FOUND it in a cache. */
static void note_carried(struct task *task, const char *reason, bool found)
{
    if (found)
        task->kind = "cached";
    else if (reason && carrier_is_local(task->carrier))
        task->kind = "compiled";
    else
        task->kind = reason ? "local" : "remote";
    task->why = found ? NULL : reason;
}

/* Has the carrier do it. Returns false, with the reason, where it must be done here; otherwise
 * *STATUS is what the compilation ended with. */
static bool carry(struct task *task, int *status)
{
    char *bundle = home_file(task->base, ".i"), *object = home_file(task->base, ".o");
    char *log = home_file(task->base, ".log"), *statistics = home_file(task->base, ".statistics");
    struct words argv = {0};
    struct text output = {0};
    struct patience patience;
    bool done = false;

    carrier_environment(task->carrier, task->self, task->command.items[0], log, statistics);
    setenv(HOME_JOB, task->base, 1);
    carrier_command(task->carrier, task->self, task->bundle.identity.target, bundle, object, &argv);
    patience_start(&patience, task->base, carrier_is_local(task->carrier) ? 0 : task->seconds);
    *status = process_watch(argv.items, &output, patience_lasts, &patience);
    int error = errno, here = ran_here(task);
    if (patience.is_over) {
        text_puts(&task->reason, "the farm did not answer");
    } else if (*status < 0) {
        text_printf(&task->reason, "%s cannot be run: %s", argv.items[0], strerror(error));
    } else if (here > 0) {
        *status = here; /* the compiler's own word */
        done = true;
    } else if (!WIFEXITED(*status)) {
        text_printf(&task->reason, "%s was killed", argv.items[0]);
    } else if (WEXITSTATUS(*status) != 0) {
        text_puts(&task->reason, carrier_reason(task->carrier, WEXITSTATUS(*status)));
        if (carrier_is_unanswered(task->carrier, WEXITSTATUS(*status)))
            patience_judge(&patience);
    } else {
        done = take_object(task, object);
    }
    /* Where it is done here, the compiler says its own again. */
    if (done || getenv("DTLTO_CLANG_VERBOSE"))
        message_write(output.data, output.length);
    if (done) {
        note_carried(task, here >= 0 ? carrier_reason_here(task->carrier, log) : NULL,
                     carrier_found(statistics));
        carrier_host(task->carrier, log, &task->host);
    }
    unsetenv(HOME_JOB);
    text_free(&output);
    words_free(&argv);
    free(bundle);
    free(object);
    free(log);
    free(statistics);
    return done;
}

/* Whether dtlto-ninja, or the user, has nothing against it. */
static bool may_go_out(struct task *task)
{
    const char *objection = getenv("DTLTO_CLANG_LOCAL");
    bool lost = patience_is_lost();

    if (objection && *objection)
        text_puts(&task->reason, objection);
    else if (lost && !carrier_without_farm(task->carrier))
        text_puts(&task->reason, "the farm does not answer");
    else if (!task->self)
        text_puts(&task->reason, "dtlto-clang does not find itself");
    if (lost && task->reason.length == 0)
        task->carrier = carrier_without_farm(task->carrier);
    return task->reason.length == 0;
}

/* Returns the wait status of the compilation. */
static int run_task(struct task *task)
{
    const char *kind = "local";
    int status = 0;

    if (read_inputs(task) && may_go_out(task) && make_bundle(task) && leave_command(task)) {
        kind = "back";
        if (carry(task, &status))
            return status;
    }
    return signals_caught() ? signals_caught() : run_here(task, kind);
}

/* PATH, absolute and without the ENDING; of symbolic links none is resolved. The caller frees it.
 */
static char *make_absolute(const char *path, const char *ending)
{
    struct text absolute = {0};
    size_t length = strlen(path), end = strlen(ending);
    char *here = path[0] != '/' ? getcwd(NULL, 0) : NULL;

    if (length > end && strcmp(path + length - end, ending) == 0)
        length -= end;
    if (here)
        text_printf(&absolute, "%s/", here);
    text_write(&absolute, path, length);
    free(here);
    return absolute.data;
}

/* The path of this program by the name that it was called by, which carriers know it by; a null
 * pointer where the shell has found it in PATH and the system does not tell where. */
static char *find_self(const char *name)
{
    char path[4096];

    if (strchr(name, '/'))
        return make_absolute(name, "");
    return program_self(path, sizeof path) ? duplicate(path) : NULL;
}

/* The names of our own files begin with that of the list of inputs, which ninja removes. */
static void remove_files(const char *base)
{
    static const char *const endings[] = {".i", ".o", ".log", ".statistics", ".command", HOME_HERE};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        remove_file(base, endings[i]);
}

int home_main(const struct home *home)
{
    struct task task = {
        .home = home, .carrier = carrier_find(home->through), .seconds = PATIENCE_DEFAULT};
    int64_t start = clock_now();

    if (!task.carrier) {
        struct text names = {0};
        carrier_names(&names);
        message("--through: expected one of %s, found '%s'", names.data, home->through);
        text_free(&names);
        return STATUS_USAGE;
    }
    if (!setting_read(PATIENCE_SECONDS, "seconds", &task.seconds))
        return STATUS_USAGE;
    if (!signals_catch_children()) {
        message_error(errno, "cannot start");
        return STATUS_SYSTEM;
    }
    task.base = make_absolute(home->inputs, inputs_suffix);
    task.self = find_self(home->self);
    /* What a run that was killed has left must not be taken for this one's. */
    remove_files(task.base);
    int status = run_task(&task);
    if (task.kind)
        leave_note(&task, start, status);
    remove_files(task.base);
    free(task.base);
    free(task.self);
    words_free(&task.inputs);
    words_free(&task.command);
    text_free(&task.list);
    text_free(&task.reason);
    text_free(&task.host);
    compilation_free(&task.compilation);
    identity_free(&task.identity);
    bundle_free(&task.bundle);
    return home_end(status);
}

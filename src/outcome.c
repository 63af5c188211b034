#include "outcome.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "advice.h"
#include "bitcode.h"
#include "edge.h"
#include "memory.h"
#include "object.h"
#include "text.h"

enum { MOST_NAMED = 20 }; /* failed modules that get a line of their own */

/* One promised output after the run. */
enum found { GOOD, MISSING, BAD };

struct verdict {
    const struct run *run;
    size_t failed;     /* jobs */
    size_t named;      /* of these, such with a line of their own */
    size_t held_named; /* and such of which something was held back */
    size_t not_made;   /* jobs whose outputs are missing, for all that is known without a fault */
};

/* The target of the job that PROMISE is of, which the caller frees, or a null pointer. */
static char *read_target(struct verdict *v, const struct promise *promise)
{
    struct job job = {0};
    char *target = NULL;

    if (description_reread(v->run->description, v->run->files->offsets[promise->job], promise->job,
                           &job) == STATUS_OK)
        target = files_job_target(v->run->description, &job);
    job_free(&job);
    return target;
}

/* Checks the object of a job. As a rule all jobs have one target, so they need not be read again.
 */
static bool is_object(struct verdict *v, const struct promise *promise, struct text *problem)
{
    const char *path = promise->path->text, *common = v->run->files->target;

    if (object_check(AT_FDCWD, path, common, problem))
        return true;
    char *target = read_target(v, promise);
    bool same = common && target ? strcmp(common, target) == 0 : common == target;
    if (!same)
        text_clear(problem);
    bool good = !same && object_check(AT_FDCWD, path, target, problem);
    free(target);
    return good;
}

/* What came of a promise, FIRST being the job's first one, the object; PROBLEM gets what is wrong.
 */
static enum found look(struct verdict *v, const struct promise *promise, bool first,
                       struct text *problem)
{
    struct stat info;

    if (lstat(promise->path->text, &info) != 0) {
        text_puts(problem, "is missing");
        return MISSING;
    }
    if (first)
        return is_object(v, promise, problem) ? GOOD : BAD;
    if (!S_ISREG(info.st_mode))
        text_puts(problem, "is no regular file");
    else if (info.st_size == 0)
        text_puts(problem, "is empty");
    return problem->length == 0 ? GOOD : BAD;
}

/* For bitcode_each_module: looks for a module that is not among the job's inputs. */
struct search {
    const struct job *job;
    char *stranger; /* owned: the first that is not */
};

static bool is_input(const struct job *job, const char *module)
{
    for (size_t i = 0; i < job->inputs.count; i++) {
        if (strcmp(job->inputs.items[i], module) == 0)
            return true;
    }
    return false;
}

static bool find_stranger(void *context, const char *module)
{
    struct search *search = context;
    if (!is_input(search->job, module))
        search->stranger = duplicate(module);
    return !search->stranger;
}

/* The index shard that the job's command names, or a null pointer. */
static const char *index_of(const struct job *job)
{
    static const char option[] = "-fthinlto-index=";
    for (size_t i = 0; i < job->args.count; i++) {
        if (strncmp(job->args.items[i], option, sizeof option - 1) == 0)
            return job->args.items[i] + sizeof option - 1;
    }
    return NULL;
}

/* Appends what is wrong with the input INDEX of the job, if anything is. */
static bool explain_input(struct text *out, const struct job *job, size_t index)
{
    const char *path = job->inputs.items[index], *shard = index_of(job);
    bool is_shard = shard && strcmp(path, shard) == 0;
    bool is_bitcode = index < job_bitcode_inputs(job);
    const char *what = NULL;

    switch (bitcode_examine(path)) {
    case BITCODE_MISSING:
        what = "is missing";
        break;
    case BITCODE_UNREADABLE:
        what = "cannot be read";
        break;
    case BITCODE_EMPTY:
        /* An empty shard means: import nothing. */
        what = is_shard || !is_bitcode ? NULL : "is empty";
        break;
    case BITCODE_TRUNCATED:
        what = is_bitcode ? "is truncated" : NULL;
        break;
    case BITCODE_FOREIGN:
        what = is_bitcode ? "is not bitcode" : NULL;
        break;
    case BITCODE_WHOLE:
        break;
    }
    if (!what)
        return false;
    size_t position;
    const char *array = job_input_place(job, index, &position);
    text_printf(out, "its input '%s' (jobs[%zu].%s[%zu]) %s", path, job->index, array, position,
                what);
    return true;
}

/* Appends the likely cause of a bad output. */
static void explain(struct text *out, const struct job *job)
{
    const char *shard = index_of(job);
    struct search search = {job, NULL};

    /* What stands first matters most. */
    for (size_t i = 0; i < job->inputs.count; i++) {
        if (explain_input(out, job, i))
            return;
    }
    if (shard)
        bitcode_each_module(shard, find_stranger, &search);
    if (search.stranger)
        text_printf(out,
                    "its index shard '%s' names the module '%s', which is none of its inputs: it "
                    "was renamed, or its name was garbled (as lld before LLVM 23 does to names "
                    "that are not ASCII)",
                    shard, search.stranger);
    else
        text_puts(out, "its inputs look whole; a full disk, or a compiler that fails in silence");
    free(search.stranger);
}

/* Whether ninja has logged the edge of the job as built. Where its log is not known, yes. */
static bool was_run(const struct verdict *v, const struct promise *promise)
{
    if (!v->run->log || !promise->path->sayable)
        return true;
    char *name = path_as_ninja(promise->path->text);
    bool found = ninja_log_find(v->run->log, name) != NULL;
    free(name);
    return found;
}

/* Says that a compiler that ended well left a bad output. */
static void report_output(struct verdict *v, const struct promise *promise, enum found found,
                          const char *problem)
{
    struct job job = {0};
    struct text cause = {0};
    off_t offset = v->run->files->offsets[promise->job];

    if (description_reread(v->run->description, offset, promise->job, &job) != STATUS_OK) {
        job_free(&job);
        return;
    }
    if (found == MISSING && !was_run(v, promise)) {
        message("jobs[%zu]: ninja reported success, but has not run the backend compilation of "
                "'%s': its output '%s' is missing",
                promise->job, job_module(&job), promise->path->text);
    } else {
        explain(&cause, &job);
        message("jobs[%zu]: the backend compilation of '%s' ended well, but its output '%s' %s: %s",
                promise->job, job_module(&job), promise->path->text, problem, cause.data);
        if (v->named == 1)
            advice_show_command(description_common(v->run->description), &job);
    }
    text_free(&cause);
    job_free(&job);
}

/* Whether an earlier failure that was shown has printed the same. */
static bool was_said(const struct verdict *v, const struct failure *failure)
{
    const struct failure *other = v->run->progress->failures;

    for (size_t i = 0; i < v->run->progress->failure_count; i++, other++) {
        if (other != failure && other->is_shown && other->said.length == failure->said.length &&
            memcmp(other->said.data, failure->said.data, failure->said.length) == 0)
            return true;
    }
    return false;
}

/* Says that the job INDEX failed, with what it printed where that was held back. */
static void report_failure(const struct verdict *v, size_t index, struct failure *failure)
{
    struct job job = {0};
    off_t offset = v->run->files->offsets[index];
    bool is_new = failure && !was_said(v, failure);
    const char *how = !failure                    ? "; what it said is above"
                      : failure->said.length == 0 ? ", and printed nothing"
                      : is_new                    ? ":"
                                                  : ", and printed the same";

    if (description_reread(v->run->description, offset, index, &job) != STATUS_OK) {
        job_free(&job);
        return;
    }
    message("jobs[%zu]: the backend compilation of '%s' failed%s", index, job_module(&job), how);
    if (is_new) {
        message_write(failure->command.data, failure->command.length);
        message_write(failure->said.data, failure->said.length);
    }
    if (failure)
        failure->is_shown = true;
    if (is_new || v->named == 1)
        advice_show_command(description_common(v->run->description), &job);
    job_free(&job);
}

/* Whether ninja, or samurai, has said that the edge of this job failed; *FAILURE is then what it
 * printed, or a null pointer. */
static bool was_named(const struct verdict *v, const struct promise *promise,
                      struct failure **failure)
{
    const struct progress *progress = v->run->progress;
    char *name = edge_in_messages(v->run->files, promise);
    bool named = progress_has_failed(progress, name);

    *failure = progress_failure(progress, name);
    free(name);
    /* samurai names commands. */
    for (size_t i = 0; i < progress->count && !named; i++)
        named = progress_names(progress->commands[i], promise->path->text);
    return named;
}

/* Whether a failed job gets a line of its own: those do of which something is held back, and as
 * many others as there is room for. */
static bool may_name(struct verdict *v, const struct failure *failure)
{
    size_t waiting = v->run->progress->failure_count - v->held_named;

    if (!failure && v->named + waiting >= MOST_NAMED)
        return false;
    v->named++;
    v->held_named += failure != NULL;
    return true;
}

/* Judges the job whose promises are the COUNT at FIRST. ALL_RAN: ninja says that all edges were
 * built, so a missing output is a fault of its job. */
static void judge_job(struct verdict *v, const struct promise *first, size_t count, bool all_ran)
{
    const struct promise *bad = NULL;
    struct failure *failure = NULL;
    enum found worst = GOOD;
    struct text problem = {0};

    for (size_t i = 0; i < count && worst == GOOD; i++) {
        bad = &first[i];
        worst = look(v, bad, i == 0, &problem);
    }
    bool named = !all_ran && was_named(v, first, &failure);
    bool ended_well = worst == MISSING ? all_ran : all_ran || was_run(v, first);
    bool failed = named || (worst != GOOD && ended_well);
    if (worst != GOOD && !failed)
        v->not_made++;
    if (failed && v->run->failed)
        v->run->failed[first->job] = true;
    v->failed += failed;
    if (failed && may_name(v, failure)) {
        if (named)
            report_failure(v, first->job, failure);
        else
            report_output(v, bad, worst, problem.data);
    }
    text_free(&problem);
}

static void judge_jobs(struct verdict *v, bool all_ran)
{
    const struct promise *promises = v->run->files->promises;
    size_t count = v->run->files->promise_count;

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && promises[next].job == promises[i].job; next++)
            continue;
        judge_job(v, &promises[i], next - i, all_ran);
    }
}

/* Where ninja failed although no job is known to have: says how. */
static enum status report_ninja(const struct verdict *v)
{
    int status = v->run->ending->wait_status;

    if (WIFSIGNALED(status)) {
        message("ninja was killed by signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return STATUS_SYSTEM;
    }
    /* 2, and 130 since ninja 1.12: a job, or ninja alone, was interrupted. Ninja takes a job that
     * ended by SIGINT, SIGTERM or SIGHUP for its own interruption. */
    if (WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 130) {
        message("ninja was interrupted, or a backend compilation was ended by a signal; %zu of %zu "
                "were not run to the end",
                v->not_made, v->run->files->job_count);
        return STATUS_FAILED;
    }
    if (v->run->progress->any_failed) {
        message("a backend compilation failed; what it said is above");
        return STATUS_FAILED;
    }
    message("ninja failed with status %d before it ran all backend compilations; what it said is "
            "above",
            WEXITSTATUS(status));
    return STATUS_SYSTEM;
}

static void report_total(const struct verdict *v)
{
    struct text rest = {0};

    text_puts(&rest, "");
    if (v->not_made > 0)
        text_printf(&rest, ", %zu %s not run to the end", v->not_made,
                    v->not_made == 1 ? "was" : "were");
    message("%s: %zu of %zu backend compilations failed%s",
            description_common(v->run->description)->linker_output, v->failed,
            v->run->files->job_count, rest.data);
    if (v->run->progress->killed)
        message("a compiler was killed: where memory ran out, fewer at a time (-j) need less");
    advice_keep(v->run->kept);
    text_free(&rest);
}

static enum status judge(struct verdict *v)
{
    const struct ending *ending = v->run->ending;

    if (ending->signal) {
        progress_release(v->run->progress);
        return (enum status)(STATUS_SIGNAL + ending->signal);
    }
    bool all_ran = WIFEXITED(ending->wait_status) && WEXITSTATUS(ending->wait_status) == 0;
    judge_jobs(v, all_ran);
    progress_release(v->run->progress);
    if (v->failed > 0) {
        report_total(v);
        return STATUS_FAILED;
    }
    return all_ran ? STATUS_OK : report_ninja(v);
}

enum status outcome_judge(const struct run *run)
{
    struct verdict verdict = {.run = run};
    enum status status = judge(&verdict);

    if (status != STATUS_OK)
        files_discard(run->files);
    return status;
}

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "object.h"
#include "text.h"

static void say_mention(struct text *out, const struct job *job, bool is_input, size_t index)
{
    size_t position;
    const char *name =
        is_input ? job_input_place(job, index, &position) : job_output_place(job, index, &position);
    text_printf(out, "jobs[%zu].%s[%zu]", job->index, name, position);
}

/* Who has named a file that another turns out to clash with. */
static void say_clash(struct text *out, size_t job, const char *role)
{
    if (job == DESCRIPTION_FILE)
        text_puts(out, "the job description itself");
    else if (job == TEMPLATE_FILE)
        text_puts(out, "the template");
    else if (job == MANIFEST_FILE)
        text_puts(out, "the manifest");
    else if (job == ALL_JOBS)
        text_printf(out, "%s of all jobs (common.inputs)", role);
    else
        text_printf(out, "%s of jobs[%zu]", role, job);
}

static enum status unusable(struct files *files, const struct description *d, const char *place,
                            const char *text, const char *module, const char *what)
{
    struct text where = {0}, who = {0};

    if (files->tolerant) {
        if (files->absent++ == 0) {
            text_printf(&where, "%s, '%s'", place, text);
            files->first_absent = where.data;
        }
        return STATUS_OK;
    }
    text_puts(&who, "");
    if (module && strcmp(module, text) != 0)
        text_printf(&who, " (module '%s' needs it)", module);
    message("%s: %s: expected a file that can be read, found %s: '%s'%s", description_path(d),
            place, what, text, who.data);
    text_free(&who);
    return STATUS_USAGE;
}

/* Notes that a file is read by JOB. */
static void note_input(struct path *path, size_t job)
{
    if (!path->file->is_input)
        path->file->input_job = job;
    path->file->is_input = true;
}

/* What the file system says of a name. */
struct look {
    int error; /* errno, 0 where there is such a file */
    struct stat info;
    struct path *target; /* what a symbolic link leads to, else a null pointer */
};

/* Looks once at what is no symbolic link. What a link leads to is an input as well, lest it be
 * taken for an old output and removed. */
static struct look look_at(struct files *files, const char *text)
{
    struct look look = {0};
    bool is_new;

    if (lstat(text, &look.info) != 0) {
        look.error = errno;
    } else if (S_ISLNK(look.info.st_mode)) {
        char *target = realpath(text, NULL);
        if (target)
            look.target = paths_add(files->paths, target, &is_new);
        free(target);
        look.error = stat(text, &look.info) == 0 ? 0 : errno;
    }
    return look;
}

/* Judges what LOOK says of the input PATH, and notes its size. PLACE is where it is in the
 * description, MODULE what needs it (a null pointer: all). */
static enum status check_readable(struct files *files, const struct description *d,
                                  const char *place, struct path *path, const char *module,
                                  const struct look *look)
{
    const char *text = path->text;

    errno = look->error;
    if (look->error == 0) {
        if (S_ISDIR(look->info.st_mode))
            return unusable(files, d, place, text, module, "a directory");
        path->size = look->info.st_size;
        if (access(text, R_OK) == 0)
            return STATUS_OK;
    }
    if (errno == ENOENT || errno == ENOTDIR)
        return unusable(files, d, place, text, module, "none");
    enum status status = unusable(files, d, place, text, module, strerror(errno));
    return status == STATUS_OK ? STATUS_OK : STATUS_SYSTEM;
}

/* Notes that PATH is a file of ours, of the kind OWNER. The manifest may be no file that is read.
 */
static enum status note_own(struct files *files, const char *path, size_t owner)
{
    bool is_new;
    struct path *noted = paths_add(files->paths, path, &is_new);

    if (owner == MANIFEST_FILE && noted->file->is_input) {
        struct text found = {0};
        say_clash(&found, noted->file->input_job, "an input");
        message("the manifest would replace %s: '%s'", found.data, path);
        text_free(&found);
        return STATUS_USAGE;
    }
    note_input(noted, owner);
    return STATUS_OK;
}

enum status files_start(struct files *files, const struct description *d, const char *template,
                        const char *manifest, bool tolerant)
{
    const struct words *inputs = &description_common(d)->inputs;

    *files = (struct files){.paths = paths_new(), .tolerant = tolerant};
    note_own(files, description_path(d), DESCRIPTION_FILE);
    if (template)
        note_own(files, template, TEMPLATE_FILE);
    enum status status = manifest ? note_own(files, manifest, MANIFEST_FILE) : STATUS_OK;
    for (size_t i = 0; i < inputs->count && status == STATUS_OK; i++) {
        bool is_new;
        struct text place = {0};
        struct path *path = paths_add(files->paths, inputs->items[i], &is_new);
        note_input(path, ALL_JOBS);
        struct look look = look_at(files, inputs->items[i]);
        if (look.target)
            note_input(look.target, ALL_JOBS);
        text_printf(&place, "common.inputs[%zu]", i);
        status = check_readable(files, d, place.data, path, NULL, &look);
        text_free(&place);
    }
    return status;
}

void files_warn(const struct files *files, const struct description *d)
{
    if (files->absent > 0)
        message("warning: %s: %zu input%s cannot be read now, and must be there when the manifest "
                "is run; the first is %s",
                description_path(d), files->absent, files->absent == 1 ? "" : "s",
                files->first_absent);
}

static enum status clash(const struct description *d, const char *place, const char *text,
                         size_t other, const char *role)
{
    struct text found = {0};

    say_clash(&found, other, role);
    message("%s: %s: expected a file of its own, found %s: '%s'", description_path(d), place,
            found.data, text);
    text_free(&found);
    return STATUS_USAGE;
}

/* HASH is what paths_fetch has found for the name. */
static enum status add_input(struct files *files, const struct description *d,
                             const struct job *job, size_t index, uint64_t hash)
{
    const char *text = job->inputs.items[index];
    bool is_new;
    struct path *path = paths_add_fetched(files->paths, text, hash, &is_new), *file = path->file;
    enum status status = STATUS_OK;

    files->current[index] = path;
    if (file->is_input && !is_new && file->input_job != MANIFEST_FILE)
        return STATUS_OK;
    struct look look = look_at(files, text);
    struct path *target = look.target;
    struct text place = {0};
    say_mention(&place, job, true, index);
    if (file->is_output || (target && target->file->is_output))
        status = clash(d, place.data, text,
                       file->is_output ? file->output_job : target->file->output_job, "an output");
    else if (file->is_input && file->input_job == MANIFEST_FILE)
        status = clash(d, place.data, text, MANIFEST_FILE, "an output");
    else
        status = check_readable(files, d, place.data, path, job_module(job), &look);
    note_input(path, job->index);
    if (target)
        note_input(target, job->index);
    text_free(&place);
    return status;
}

static enum status add_inputs(struct files *files, const struct description *d,
                              const struct job *job)
{
    const char *const *texts = job->inputs.items;
    size_t count = job->inputs.count;
    uint64_t hashes[PATHS_TOGETHER];

    for (size_t i = 0; i < count; i++) {
        size_t at = i % PATHS_TOGETHER;
        if (at == 0)
            paths_fetch(files->paths, texts + i, count - i, hashes);
        enum status status = add_input(files, d, job, i, hashes[at]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status add_output(struct files *files, const struct description *d,
                              const struct job *job, size_t index)
{
    const char *text = job->outputs.items[index];
    bool is_new;
    struct path *path = paths_add(files->paths, text, &is_new), *file = path->file;
    enum status status = STATUS_OK;

    files->current[job->inputs.count + index] = path;
    if (file->is_input || file->is_output) {
        struct text place = {0};
        say_mention(&place, job, false, index);
        status = file->is_output ? clash(d, place.data, text, file->output_job, "an output")
                                 : clash(d, place.data, text, file->input_job, "an input");
        text_free(&place);
        return status;
    }
    file->is_output = true;
    file->output_job = job->index;
    files->promises =
        grow(files->promises, files->promise_count, &files->promise_room, sizeof *files->promises);
    files->promises[files->promise_count++] = (struct promise){path, job->index};
    return STATUS_OK;
}

static void weigh(struct files *files, const struct job *job)
{
    struct weight weight = {0, 0};

    for (size_t i = 0; i < job->inputs.count; i++) {
        if (i == 0)
            weight.module = files->current[i]->size;
        else
            weight.imports += files->current[i]->size;
    }
    files->weights =
        grow(files->weights, files->job_count - 1, &files->weight_room, sizeof *files->weights);
    files->weights[files->job_count - 1] = weight;
}

char *files_job_target(const struct description *d, const struct job *job)
{
    const struct words *lists[] = {&description_common(d)->args, &job->args};
    struct words command = {0};

    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < lists[i]->count; j++)
            words_add(&command, lists[i]->items[j]);
    }
    const char *target = object_target(&command);
    char *result = target ? duplicate(target) : NULL;
    words_free(&command);
    return result;
}

enum status files_add(struct files *files, const struct description *d, const struct job *job)
{
    files->offsets =
        grow(files->offsets, files->job_count, &files->job_room, sizeof *files->offsets);
    files->offsets[files->job_count++] = job->offset;
    while (files->current_room < job->inputs.count + job->outputs.count)
        files->current = grow(files->current, files->current_room, &files->current_room,
                              sizeof(const struct path *));
    if (!files->target)
        files->target = files_job_target(d, job);
    enum status status = add_inputs(files, d, job);
    if (status == STATUS_OK)
        weigh(files, job);
    for (size_t i = 0; i < job->outputs.count && status == STATUS_OK; i++)
        status = add_output(files, d, job, i);
    return status;
}

void files_free(struct files *files)
{
    paths_free(files->paths);
    free(files->promises);
    free(files->offsets);
    free(files->weights);
    free(files->current);
    free(files->first_absent);
    free(files->target);
    *files = (struct files){0};
}

const struct path *files_path(const struct files *files, const char *text)
{
    bool is_new;
    return paths_add(files->paths, text, &is_new);
}

static enum status clear_one(const struct promise *promise)
{
    const char *text = promise->path->text;
    struct stat info;

    if (!promise->path->in_directory) {
        message("jobs[%zu]: the directory of the output '%s' does not exist", promise->job, text);
        return STATUS_SYSTEM;
    }
    if (lstat(text, &info) != 0) {
        if (errno == ENOENT)
            return STATUS_OK;
        message_error(errno, "jobs[%zu]: cannot look for the output '%s'", promise->job, text);
        return STATUS_SYSTEM;
    }
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
        message("jobs[%zu]: the output '%s' is there already and is no regular file", promise->job,
                text);
        return STATUS_SYSTEM;
    }
    if (unlink(text) != 0 && errno != ENOENT) {
        message_error(errno, "jobs[%zu]: cannot remove the old output '%s'", promise->job, text);
        return STATUS_SYSTEM;
    }
    return STATUS_OK;
}

enum status files_clear(const struct files *files)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < files->promise_count && status == STATUS_OK; i++)
        status = clear_one(&files->promises[i]);
    return status;
}

/* Whether NAME is what clang calls an output while it writes it: for "x.o" it is "x-HHHHHHHH.o.tmp"
 * with eight hexadecimal digits (CompilerInstance::createOutputFileImpl); clang removes it at its
 * end, but not when it is killed. */
static bool is_temporary_of(const char *name, const char *output)
{
    const char *dot = strrchr(output, '.');
    size_t stem = dot && dot > output ? (size_t)(dot - output) : strlen(output);
    const char *extension = output + stem;

    if (strncmp(name, output, stem) != 0 || name[stem] != '-')
        return false;
    name += stem + 1;
    if (strspn(name, "0123456789abcdef") != 8)
        return false;
    name += 8;
    return strncmp(name, extension, strlen(extension)) == 0 &&
           strcmp(name + strlen(extension), ".tmp") == 0;
}

/* An output with what is needed to find its leftovers. */
struct leftover {
    const char *directory; /* owned by the list */
    const char *base;
};

static int compare_leftovers(const void *a, const void *b)
{
    const struct leftover *left = a, *right = b;
    int order = strcmp(left->directory, right->directory);
    return order ? order : strcmp(left->base, right->base);
}

/* Removes from one directory the temporary files of the COUNT outputs at LIST, sorted by name. */
static void sweep_directory(const struct leftover *list, size_t count)
{
    DIR *directory = opendir(list->directory);
    int fd = directory ? dirfd(directory) : -1;
    struct dirent *entry;

    while (fd >= 0 && (entry = readdir(directory))) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        if (length < 4 || strcmp(name + length - 4, ".tmp") != 0)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (is_temporary_of(name, list[i].base)) {
                unlinkat(fd, name, 0);
                break;
            }
        }
    }
    if (directory)
        closedir(directory);
}

static void sweep(const struct files *files)
{
    struct leftover *list = allocate(files->promise_count * sizeof *list);

    for (size_t i = 0; i < files->promise_count; i++) {
        const char *text = files->promises[i].path->text, *slash = strrchr(text, '/');
        char *directory = duplicate(slash ? text : ".");
        if (slash)
            directory[slash == text ? 1 : slash - text] = '\0';
        list[i] = (struct leftover){directory, slash ? slash + 1 : text};
    }
    qsort(list, files->promise_count, sizeof *list, compare_leftovers);
    for (size_t i = 0, next; i < files->promise_count; i = next) {
        for (next = i; next < files->promise_count; next++) {
            if (strcmp(list[i].directory, list[next].directory) != 0)
                break;
        }
        sweep_directory(list + i, next - i);
    }
    for (size_t i = 0; i < files->promise_count; i++)
        free((char *)list[i].directory);
    free(list);
}

void files_discard(const struct files *files)
{
    struct stat info;

    for (size_t i = 0; i < files->promise_count; i++) {
        const char *text = files->promises[i].path->text;
        if (lstat(text, &info) == 0 && (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode)))
            unlink(text);
    }
    sweep(files);
}

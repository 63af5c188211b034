#include "description.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json-stream.h"
#include "memory.h"
#include "shape.h"
#include "text.h"
#include "unknown-keys.h"

struct description {
    const char *path;
    struct json_stream *stream;
    enum shape shape;
    struct common common;
    struct json_object *common_args; /* owned; common.args as it stands in the file */
    struct json_object *common_inputs;
    char *linker_output; /* owned */
    char *linker_version;
    bool have_common;
    off_t jobs_offset; /* of "jobs" where it came before "common"; -1 else */
    bool checked_to_the_end;
    size_t next_index;
    bool present[MEMBER_COUNT]; /* of the current job */
    struct words values[MEMBER_COUNT];
    struct text storage;  /* the strings of the current job, with a NUL behind each */
    struct text expanded; /* of the current job: its words with references resolved */
    struct unknown_keys unknown;
};

/* Prints what is wrong with a value, and where. */
static enum status wrong(const struct description *d, const char *place, const char *expected,
                         const char *found)
{
    message("%s: %s: expected %s, found %s", d->path, place, expected, found);
    return STATUS_USAGE;
}

static void describe(struct text *out, struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_string:
        text_printf(out, "the string '%s'", json_object_get_string(value));
        break;
    case json_type_int:
    case json_type_double:
        text_printf(out, "the number %s", json_object_get_string(value));
        break;
    case json_type_array:
        text_puts(out, "an array");
        break;
    case json_type_object:
        text_puts(out, "an object");
        break;
    default:
        text_puts(out, value ? json_object_get_string(value) : "null");
    }
}

static enum status wrong_value(const struct description *d, const char *place, const char *expected,
                               struct json_object *value)
{
    struct text found = {0};

    describe(&found, value);
    wrong(d, place, expected, found.data);
    text_free(&found);
    return STATUS_USAGE;
}

/* Checks that VALUE, which stands at PLACE, is an array, and with STRINGS that it holds strings
 * only, with FILE_NAMES none of them empty. */
static enum status check_array(const struct description *d, const char *place,
                               struct json_object *value, bool strings, bool file_names)
{
    if (!json_object_is_type(value, json_type_array))
        return wrong_value(d, place, strings ? "an array of strings" : "an array", value);

    for (size_t i = 0; strings && i < json_object_array_length(value); i++) {
        struct json_object *item = json_object_array_get_idx(value, i);
        bool is_string = json_object_is_type(item, json_type_string);
        if (is_string && (!file_names || json_object_get_string_len(item) > 0))
            continue;
        struct text here = {0};
        text_printf(&here, "%s[%zu]", place, i);
        if (is_string)
            wrong(d, here.data, "a file name", "an empty string");
        else
            wrong_value(d, here.data, "a string", item);
        text_free(&here);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Notes a key that this program does not know, and passes over its value. WHERE is "" or ends in a
 * dot. */
static enum status skip_unknown(struct description *d, const char *where)
{
    unknown_keys_note(&d->unknown, where, json_key(d->stream));
    return json_skip(d->stream);
}

/* Reads a string of "common" that has the key NAME into *RESULT, which the description owns. */
static enum status read_string(struct description *d, const char *place, char **result)
{
    struct json_object *value;
    enum status status = json_value(d->stream, &value);

    if (status != STATUS_OK)
        return status;
    if (json_object_is_type(value, json_type_string))
        *result = duplicate(json_object_get_string(value));
    else
        status = wrong_value(d, place, "a string", value);
    json_object_put(value);
    return status;
}

/* Takes up common.args: the compiler, and the words that are the same for all jobs. */
static enum status take_common_args(struct description *d)
{
    struct json_object *args = d->common_args;
    if (!args)
        return wrong(d, "common.args", "an array", "nothing");
    size_t count = json_object_array_length(args);
    if (count == 0)
        return wrong(d, "common.args", "the compiler and its arguments", "an empty array");

    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(args, i);
        bool is_array = i > 0 && json_object_is_type(item, json_type_array);
        if (!is_array && !json_object_is_type(item, json_type_string)) {
            struct text place = {0};
            text_printf(&place, "common.args[%zu]", i);
            wrong_value(d, place.data, i == 0 ? "the compiler, a string" : "a string or an array",
                        item);
            text_free(&place);
            return STATUS_USAGE;
        }
        if (is_array)
            d->shape = REFERENCES;
        else if (i > 0 && d->shape == UNKNOWN)
            words_add(&d->common.args, json_object_get_string(item));
    }
    d->common.compiler = json_object_get_string(json_object_array_get_idx(args, 0));
    if (!*d->common.compiler)
        return wrong(
            d, "common.args[0]", "the compiler",
            "an empty string: the linker was not told one (lld's --thinlto-remote-compiler=)");
    return STATUS_OK;
}

static enum status take_common(struct description *d)
{
    if (!d->linker_output)
        return wrong(d, "common.linker_output", "a string", "nothing");
    d->common.linker_output = d->linker_output;
    d->common.linker_version = d->linker_version;
    for (size_t i = 0; d->common_inputs && i < json_object_array_length(d->common_inputs); i++)
        words_add(&d->common.inputs,
                  json_object_get_string(json_object_array_get_idx(d->common_inputs, i)));
    d->have_common = true;
    return take_common_args(d);
}

static enum status read_array(struct description *d, const char *place, bool strings,
                              bool file_names, struct json_object **result)
{
    enum status status = json_value(d->stream, result);
    return status == STATUS_OK ? check_array(d, place, *result, strings, file_names) : status;
}

static enum status read_common(struct description *d)
{
    const char *draft = NULL;
    enum status status = json_begin(d->stream, '{');

    while (status == STATUS_OK && json_next(d->stream, &status)) {
        const char *key = json_key(d->stream);
        if (strcmp(key, "linker_output") == 0) {
            status = read_string(d, "common.linker_output", &d->linker_output);
        } else if (strcmp(key, "linker_version") == 0) {
            status = read_string(d, "common.linker_version", &d->linker_version);
        } else if (strcmp(key, "args") == 0) {
            status = read_array(d, "common.args", false, false, &d->common_args);
        } else if (strcmp(key, "inputs") == 0) {
            status = read_array(d, "common.inputs", true, true, &d->common_inputs);
        } else if (strcmp(key, "modules") == 0 || strcmp(key, "codegen-tool") == 0) {
            draft = key[0] == 'm' ? "common.modules" : "common.codegen-tool";
            status = json_skip(d->stream);
        } else {
            status = skip_unknown(d, "common.");
        }
    }
    if (status == STATUS_OK && draft)
        return wrong(d, draft, "a description of LLVM 21 or later",
                     "the draft of 2024, which no release of LLVM writes: link with LLVM 21 or "
                     "later");
    return status == STATUS_OK ? take_common(d) : status;
}

/* Reads the members of the outermost object that are left. Stops in front of
 * the jobs themselves, with *AT_JOBS set, where "common" is known by then. */
static enum status read_members(struct description *d, bool *at_jobs)
{
    enum status status = STATUS_OK;

    *at_jobs = false;
    while (status == STATUS_OK && json_next(d->stream, &status)) {
        const char *key = json_key(d->stream);
        if (strcmp(key, "common") == 0) {
            status = read_common(d);
        } else if (strcmp(key, "jobs") == 0 && d->have_common) {
            *at_jobs = true;
            return json_begin(d->stream, '[');
        } else if (strcmp(key, "jobs") == 0) {
            d->jobs_offset = json_tell(d->stream);
            status = json_skip(d->stream);
        } else {
            status = skip_unknown(d, "");
        }
    }
    if (status == STATUS_OK)
        status = json_end(d->stream);
    if (status == STATUS_OK)
        d->checked_to_the_end = true;
    return status;
}

/* Reads up to the first job. */
static enum status read_head(struct description *d)
{
    bool at_jobs;
    enum status status = json_begin(d->stream, '{');

    if (status == STATUS_OK)
        status = read_members(d, &at_jobs);
    if (status != STATUS_OK || at_jobs)
        return status;
    if (!d->have_common)
        return wrong(d, "common", "an object", "nothing");
    if (d->jobs_offset < 0)
        return wrong(d, "jobs", "an array", "nothing");
    status = json_seek(d->stream, d->jobs_offset, "jobs", -1);
    return status == STATUS_OK ? json_begin(d->stream, '[') : status;
}

struct description *description_open(const char *path, enum status *status)
{
    struct json_stream *stream = json_open(path, status);
    if (!stream)
        return NULL;
    struct description *d = allocate(sizeof *d);
    *d = (struct description){.path = path, .stream = stream, .jobs_offset = -1};
    *status = read_head(d);
    if (*status == STATUS_OK)
        return d;
    description_close(d);
    return NULL;
}

static void forget_job(struct description *d)
{
    for (int i = 0; i < MEMBER_COUNT; i++) {
        words_clear(&d->values[i]);
        d->present[i] = false;
    }
    text_clear(&d->storage);
}

void description_close(struct description *d)
{
    if (!d)
        return;
    for (int i = 0; i < MEMBER_COUNT; i++)
        words_free(&d->values[i]);
    json_object_put(d->common_args);
    json_object_put(d->common_inputs);
    words_free(&d->common.args);
    words_free(&d->common.inputs);
    text_free(&d->storage);
    text_free(&d->expanded);
    unknown_keys_free(&d->unknown);
    free(d->linker_output);
    free(d->linker_version);
    json_close(d->stream);
    free(d);
}

const struct common *description_common(const struct description *d)
{
    return &d->common;
}

const char *description_path(const struct description *d)
{
    return d->path;
}

off_t description_size(const struct description *d)
{
    struct stat info;
    bool is_file = stat(d->path, &info) == 0 && S_ISREG(info.st_mode);
    return is_file ? info.st_size : (off_t)INT64_MAX;
}

/* Reads any array of strings into the storage, or says what else it is. */
static enum status read_strings(struct description *d, enum member member, size_t *count)
{
    struct json_object *value = NULL;
    enum status status = json_value(d->stream, &value);

    if (status == STATUS_OK)
        status = check_array(d, json_path(d->stream), value, true, members[member].file_names);
    *count = status == STATUS_OK ? json_object_array_length(value) : 0;
    for (size_t i = 0; i < *count; i++) {
        text_puts(&d->storage, json_object_get_string(json_object_array_get_idx(value, i)));
        text_putc(&d->storage, '\0');
    }
    json_object_put(value);
    return status;
}

/* *COUNT is how many strings the member has; they are the last ones in the storage. */
static enum status read_member(struct description *d, enum member member, size_t *count)
{
    enum status status = STATUS_OK;

    d->present[member] = true;
    if (!json_plain_strings(d->stream, &d->storage, count))
        status = read_strings(d, member, count);
    if (status == STATUS_OK && members[member].single && *count != 1) {
        struct text found = {0};
        text_printf(&found, "%zu of them", *count);
        status = wrong(d, json_path(d->stream), "one string", found.data);
        text_free(&found);
    }
    return status;
}

/* Checks that the current job has the members of its shape and of no other. The first job settles
 * the shape where common.args did not. */
static enum status check_members(struct description *d, size_t index)
{
    struct text place = {0};
    enum status status = STATUS_OK;

    for (int i = 0; i < MEMBER_COUNT && d->shape == UNKNOWN; i++) {
        if (d->present[i])
            d->shape = members[i].shape;
    }
    if (d->shape == UNKNOWN)
        d->shape = FLAT;
    for (int i = 0; i < MEMBER_COUNT && status == STATUS_OK; i++) {
        text_clear(&place);
        text_printf(&place, "jobs[%zu].%s", index, members[i].name);
        if (d->present[i] && members[i].shape != d->shape) {
            struct text expected = {0};
            text_printf(&expected, "a member of %s", shape_text(d->shape));
            status = wrong(d, place.data, expected.data, "one of the other shape");
            text_free(&expected);
        } else if (!d->present[i] && members[i].shape == d->shape && members[i].required) {
            status = wrong(d, place.data, "an array of strings", "nothing");
        }
    }
    if (status == STATUS_OK && d->shape == FLAT && !d->common_inputs)
        status = wrong(d, "common.inputs", "an array of strings", "nothing");
    if (status == STATUS_OK && d->shape == FLAT && d->values[OUTPUTS].count == 0) {
        text_clear(&place);
        text_printf(&place, "jobs[%zu].outputs", index);
        status = wrong(d, place.data, "at least one file name", "an empty array");
    }
    text_free(&place);
    return status;
}

/* Appends one part of the reference REF, the PART-th element of common.args[ENTRY]. */
static enum status expand_part(struct description *d, size_t index, size_t entry,
                               struct json_object *ref, enum member member, size_t part)
{
    struct json_object *item = json_object_array_get_idx(ref, part);
    const struct words *array = &d->values[member];

    if (json_object_is_type(item, json_type_string)) {
        text_puts(&d->expanded, json_object_get_string(item));
        return STATUS_OK;
    }
    int64_t number = json_object_is_type(item, json_type_int) ? json_object_get_int64(item) : -1;
    if (number >= 0 && (uint64_t)number < array->count) {
        text_puts(&d->expanded, array->items[number]);
        return STATUS_OK;
    }
    struct text place = {0}, expected = {0};
    text_printf(&place, "common.args[%zu][%zu]", entry, part);
    text_printf(&expected, "a string or an index into jobs[%zu].%s, which has %zu element%s", index,
                members[member].name, array->count, array->count == 1 ? "" : "s");
    wrong_value(d, place.data, expected.data, item);
    text_free(&place);
    text_free(&expected);
    return STATUS_USAGE;
}

/* Appends the word that the array REF, common.args[ENTRY], stands for. */
static enum status expand(struct description *d, size_t index, size_t entry,
                          struct json_object *ref)
{
    size_t count = json_object_array_length(ref);
    struct json_object *name = count > 0 ? json_object_array_get_idx(ref, 0) : NULL;
    enum member member = MEMBER_COUNT;

    if (json_object_is_type(name, json_type_string))
        member = find_member(json_object_get_string(name));
    if (count < 2 || member == MEMBER_COUNT || members[member].shape != REFERENCES) {
        struct text place = {0};
        text_printf(&place, "common.args[%zu]", entry);
        wrong(d, place.data, "the name of an array of the job, then strings and indices into it",
              count ? json_object_to_json_string_ext(ref, JSON_C_TO_STRING_PLAIN)
                    : "an empty array");
        text_free(&place);
        return STATUS_USAGE;
    }
    for (size_t part = 1; part < count; part++) {
        enum status status = expand_part(d, index, entry, ref, member, part);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The reference shape: the job's args are the rest of common.args, with references resolved. */
static enum status expand_args(struct description *d, struct job *job)
{
    size_t first = 1 + d->common.args.count;
    size_t count = json_object_array_length(d->common_args);

    text_clear(&d->expanded);
    for (size_t i = first; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(d->common_args, i);
        enum status status = STATUS_OK;
        if (json_object_is_type(item, json_type_array))
            status = expand(d, job->index, i, item);
        else
            text_puts(&d->expanded, json_object_get_string(item));
        if (status != STATUS_OK)
            return status;
        text_putc(&d->expanded, '\0');
    }
    const char *word = d->expanded.data;
    for (size_t i = first; i < count; i++) {
        words_add(&job->args, word);
        word += strlen(word) + 1;
    }
    return STATUS_OK;
}

static void append(struct words *words, const struct words *more)
{
    for (size_t i = 0; i < more->count; i++)
        words_add(words, more->items[i]);
}

static void swap(struct words *a, struct words *b)
{
    struct words old = *a;
    *a = *b;
    *b = old;
}

static enum status take_job(struct description *d, struct job *job)
{
    struct words *values = d->values;

    words_clear(&job->args);
    words_clear(&job->inputs);
    words_clear(&job->outputs);
    job->imports = 0;
    job->references = d->shape == REFERENCES;
    if (!job->references) {
        swap(&job->args, &values[ARGS]);
        swap(&job->inputs, &values[INPUTS]);
        swap(&job->outputs, &values[OUTPUTS]);
        return STATUS_OK;
    }
    append(&job->inputs, &values[PRIMARY_INPUT]);
    append(&job->inputs, &values[SUMMARY_INDEX]);
    append(&job->inputs, &values[IMPORTS]);
    job->imports = values[IMPORTS].count;
    append(&job->inputs, &values[ADDITIONAL_INPUTS]);
    append(&job->outputs, &values[PRIMARY_OUTPUT]);
    append(&job->outputs, &values[ADDITIONAL_OUTPUTS]);
    return expand_args(d, job);
}

/* Makes words of the strings in the storage, now that it stays where it is: COUNTS has how many of
 * them each member has, ORDER the COUNT members as they came. */
static void make_words(struct description *d, const enum member *order, size_t count,
                       const size_t *counts)
{
    const char *string = d->storage.data;

    for (size_t i = 0; i < count; i++) {
        for (size_t left = counts[order[i]]; left > 0; left--) {
            words_add(&d->values[order[i]], string);
            string += strlen(string) + 1;
        }
    }
}

static enum status read_job(struct description *d, size_t index, struct job *job)
{
    enum member order[MEMBER_COUNT];
    size_t counts[MEMBER_COUNT], count = 0;

    forget_job(d);
    job->index = index;
    job->offset = json_tell(d->stream);
    enum status status = json_begin(d->stream, '{');
    while (status == STATUS_OK && json_next(d->stream, &status)) {
        enum member member = find_member(json_key(d->stream));
        if (member == MEMBER_COUNT) {
            status = skip_unknown(d, "jobs[].");
        } else {
            order[count++] = member;
            status = read_member(d, member, &counts[member]);
        }
    }
    if (status != STATUS_OK)
        return status;
    make_words(d, order, count, counts);
    status = check_members(d, index);
    return status == STATUS_OK ? take_job(d, job) : status;
}

bool description_next(struct description *d, struct job *job, enum status *status)
{
    if (json_next(d->stream, status)) {
        *status = read_job(d, d->next_index++, job);
        return *status == STATUS_OK;
    }
    if (*status == STATUS_OK && !d->checked_to_the_end) {
        bool at_jobs;
        *status = read_members(d, &at_jobs);
    }
    if (*status == STATUS_OK)
        unknown_keys_warn(&d->unknown, d->path);
    return false;
}

enum status description_reread(struct description *d, off_t offset, size_t index, struct job *job)
{
    enum status status = json_seek(d->stream, offset, "jobs", (ssize_t)index);
    return status == STATUS_OK ? read_job(d, index, job) : status;
}

const char *common_subcommand(const struct common *common)
{
    bool is_there = common->args.count > 0 && common->args.items[0][0] != '-';
    return is_there ? common->args.items[0] : NULL;
}

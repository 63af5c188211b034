#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "folder.h"
#include "memory.h"
#include "object.h"

enum {
    MICROSECONDS = 1000, /* in one of the milliseconds of ninja's log */
    LATE = 10000,        /* microseconds: how much ninja's zero may be off */
};

bool record_prepare(void)
{
    return folder_add_file(NOTE_FILE);
}

int64_t entry_time(const struct entry *entry)
{
    return entry->end > entry->start ? entry->end - entry->start : 0;
}

/* Tables from names to numbers. */

static void free_key(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
}

static struct lh_table *new_table(size_t count)
{
    int size = count < 1 << 28 ? (int)(2 * count + 16) : 1 << 29;
    struct lh_table *table = lh_kchar_table_new(size, free_key);
    if (!table)
        out_of_memory();
    return table;
}

/* Where NAME is not there yet. */
static void add_name(struct lh_table *table, const char *name, size_t number)
{
    if (lh_table_lookup_entry(table, name))
        return;
    if (lh_table_insert(table, duplicate(name), (void *)(uintptr_t)number) != 0)
        out_of_memory();
}

static bool find_name(struct lh_table *table, const char *name, size_t *number)
{
    struct lh_entry *found = lh_table_lookup_entry(table, name);

    if (found)
        *number = (size_t)(uintptr_t)lh_entry_v(found);
    return found != NULL;
}

/* What ninja's log says of the job of ENTRY, whose edge has this NAME there. */
static void take_logged(struct entry *entry, const struct ninja_log *log, const char *name)
{
    const struct ninja_time *time = ninja_log_find(log, name);

    if (!time)
        return;
    entry->state = ENTRY_DONE;
    /* samurai writes zeros. */
    entry->timed = entry->logged = time->end > 0 && time->end >= time->start;
    entry->start = (int64_t)time->start * MICROSECONDS;
    entry->end = (int64_t)time->end * MICROSECONDS;
}

/* Takes what ninja has said and logged of the job whose first promise is FIRST. */
static void take_job(struct record *record, const struct record_source *source,
                     const struct promise *first)
{
    struct entry *entry = &record->entries[first->job];
    char *name = edge_in_messages(source->files, first);

    entry->output = first->path->text;
    if (source->progress && progress_has_failed(source->progress, name)) {
        const struct failure *failure = progress_failure(source->progress, name);
        entry->state = ENTRY_FAILED;
        entry->said = failure ? failure->said.data : NULL;
    }
    free(name);
    if (!source->log || record->started == 0)
        return;
    name = edge_in_log(source->files, first);
    take_logged(entry, source->log, name);
    free(name);
}

/* Takes all jobs so, and returns a table of them by their outputs. */
static struct lh_table *take_jobs(struct record *record, const struct record_source *source)
{
    const struct files *files = source->files;
    struct lh_table *table = new_table(files->job_count);

    for (size_t i = 0; i < files->promise_count; i++) {
        const struct promise *promise = &files->promises[i];
        if (record->entries[promise->job].output)
            continue;
        take_job(record, source, promise);
        add_name(table, promise->path->text, promise->job);
    }
    return table;
}

static void take_note_line(struct record *record, struct lh_table *jobs, char *line)
{
    struct note note;
    size_t job;

    if (!note_read(line, &note))
        return;
    bool has_reason = strcmp(note.kind, "local") == 0 || strcmp(note.kind, "back") == 0;
    if (note.job >= 0)
        job = (size_t)note.job;
    else if (!find_name(jobs, note.text, &job))
        return;
    if (job >= record->count)
        return;
    struct entry *entry = &record->entries[job];
    entry->kind = note.kind;
    entry->host = strcmp(note.host, "-") == 0 ? NULL : note.host;
    entry->reason = has_reason ? note.text : NULL;
    entry->peak = (int64_t)note.peak * 1024;
    if (entry->logged && note.start - entry->start < record->zero) {
        record->zero = note.start - entry->start;
    } else if (!entry->logged) {
        entry->timed = true;
        entry->start = note.start;
        entry->end = note.end;
    }
    if (note.status != 0)
        entry->state = ENTRY_FAILED;
    else if (entry->state == ENTRY_NOT_RUN)
        entry->state = ENTRY_DONE;
}

static void take_notes(struct record *record, struct lh_table *jobs, const char *folder)
{
    struct text path = {0};

    text_printf(&path, "%s/" NOTE_FILE, folder);
    text_read_file(&record->notes, path.data);
    text_free(&path);
    for (char *line = record->notes.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        take_note_line(record, jobs, line);
    }
}

/* Ninja counts from when it has read its options, some milliseconds after it was started. A job's
 * first note of the time is later than ninja's, so the earliest in ninja's count, which the zero is
 * until now, bounds that; and so does the end of ninja. */
static void find_zero(struct record *record)
{
    int64_t last = 0;

    for (size_t i = 0; i < record->count; i++) {
        const struct entry *entry = &record->entries[i];
        last = entry->logged && entry->end > last ? entry->end : last;
    }
    if (record->zero > record->ended - last)
        record->zero = record->ended - last;
    if (record->zero == INT64_MAX || record->zero < record->started)
        record->zero = record->started;
}

/* Makes all times those of the day; those of notes are rounded as ninja's are. */
static void set_times(struct record *record)
{
    find_zero(record);
    for (size_t i = 0; i < record->count; i++) {
        struct entry *entry = &record->entries[i];
        if (entry->logged) {
            entry->start += record->zero;
            entry->end += record->zero;
        } else if (entry->timed) {
            entry->start -= (entry->start - record->zero) % MICROSECONDS;
            entry->end -= (entry->end - record->zero) % MICROSECONDS;
        }
    }
}

static void fill_kinds(struct record *record, const char *kind)
{
    for (size_t i = 0; i < record->count; i++) {
        struct entry *entry = &record->entries[i];
        if (!entry->kind && entry->state != ENTRY_NOT_RUN)
            entry->kind = kind;
    }
}

/* A compiler can end well and leave nothing, or half of it. One that left an object for another
 * machine is not found here, since the job would have to be read for that: outcome.c does. */
static void check_outputs(struct record *record)
{
    struct text problem = {0};

    for (size_t i = 0; i < record->count; i++) {
        struct entry *entry = &record->entries[i];
        text_clear(&problem);
        if (entry->state == ENTRY_DONE && !object_check(AT_FDCWD, entry->output, NULL, &problem))
            entry->state = ENTRY_FAILED;
        record->done += entry->state == ENTRY_DONE;
        record->failed += entry->state == ENTRY_FAILED;
        record->remote += entry->kind && strcmp(entry->kind, "remote") == 0;
    }
    text_free(&problem);
}

/* A job by when it ran. */
struct span {
    int64_t start, end;
    size_t job;
};

static int compare_starts(const void *a, const void *b)
{
    const struct span *left = a, *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if (left->end != right->end)
        return left->end < right->end ? -1 : 1;
    return left->job < right->job ? -1 : left->job > right->job;
}

static void sort_by_start(struct record *record)
{
    struct span *spans = allocate((record->count + 1) * sizeof *spans);

    for (size_t i = 0; i < record->count; i++) {
        const struct entry *entry = &record->entries[i];
        if (entry->timed)
            spans[record->timed++] = (struct span){entry->start, entry->end, i};
    }
    qsort(spans, record->timed, sizeof *spans, compare_starts);
    record->order = allocate((record->count + 1) * sizeof *record->order);
    for (size_t i = 0; i < record->timed; i++)
        record->order[i] = spans[i].job;
    free(spans);
}

/* Each job gets the first lane that is free when it starts. A start that was not logged is as much
 * too early as find_zero is late. */
static void choose_lanes(struct record *record)
{
    int64_t *ends = allocate((record->timed + 1) * sizeof *ends);

    for (size_t i = 0; i < record->timed; i++) {
        struct entry *entry = &record->entries[record->order[i]];
        int64_t start = entry->start + (entry->logged ? 0 : LATE);
        size_t lane = 0;
        while (lane < record->lanes && ends[lane] > start)
            lane++;
        if (lane == record->lanes)
            record->lanes++;
        else if (ends[lane] > entry->start)
            entry->start = ends[lane];
        if (entry->end < entry->start)
            entry->end = entry->start;
        ends[lane] = entry->end;
        entry->lane = lane;
    }
    free(ends);
}

static void measure(struct record *record, const char *slots)
{
    double *times = allocate((record->timed + 1) * sizeof *times);
    size_t given = slots ? (size_t)strtoul(slots, NULL, 10) : 0;

    record->slots = given > 0 && given >= record->lanes ? given : record->lanes;
    for (size_t i = 0; i < record->timed; i++) {
        const struct entry *entry = &record->entries[record->order[i]];
        times[i] = (double)entry_time(entry);
        record->busy += entry_time(entry);
        record->first = i == 0 ? entry->start : record->first;
        record->last = entry->end > record->last ? entry->end : record->last;
    }
    if (record->timed > 0)
        record->best = schedule_best(times, record->timed, record->slots);
    free(times);
}

void record_take(struct record *record, const struct record_source *source)
{
    *record = (struct record){
        .linker_output = description_common(source->description)->linker_output,
        .count = source->files->job_count,
        .entries = allocate((source->files->job_count + 1) * sizeof *record->entries),
        .zero = INT64_MAX,
        .began = source->began,
        .started = source->ending ? source->ending->started : 0,
        .ended = source->ending ? source->ending->ended : 0,
        .processor_time = source->ending ? source->ending->processor_time : 0,
    };
    memset(record->entries, 0, record->count * sizeof *record->entries);
    struct lh_table *jobs = take_jobs(record, source);
    if (source->folder)
        take_notes(record, jobs, source->folder);
    lh_table_free(jobs);
    fill_kinds(record, source->kind);
    set_times(record);
    check_outputs(record);
    sort_by_start(record);
    choose_lanes(record);
    measure(record, source->slots);
}

bool record_slowest(const struct record *record, size_t *job)
{
    for (size_t i = 0; i < record->timed; i++) {
        size_t candidate = record->order[i];
        if (i == 0 || entry_time(&record->entries[candidate]) > entry_time(&record->entries[*job]))
            *job = candidate;
    }
    return record->timed > 0;
}

/* Counts JOB as one that imports from the module of this name. */
static void count_import(struct record *record, struct lh_table *names, size_t *room,
                         const struct path *path)
{
    size_t index;

    if (!find_name(names, path->text, &index)) {
        index = record->imported_count++;
        record->imported = grow(record->imported, index, room, sizeof *record->imported);
        record->imported[index] = (struct imported){path->text, path->size, 0};
        add_name(names, path->text, index);
    }
    record->imported[index].count++;
}

static int most_imported_first(const void *a, const void *b)
{
    const struct imported *left = a, *right = b;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(left->name, right->name);
}

bool record_describe(struct record *record, const struct record_source *source)
{
    struct lh_table *names = new_table(record->count);
    struct job job = {0};
    size_t room = 0;
    bool good = true;

    for (size_t i = 0; i < record->count && good; i++) {
        struct entry *entry = &record->entries[i];
        good = description_reread(source->description, source->files->offsets[i], i, &job) ==
               STATUS_OK;
        if (!good)
            break;
        entry->module = duplicate(job_module(&job));
        size_t bitcode = job_bitcode_inputs(&job);
        for (size_t j = 0; j < job.inputs.count; j++) {
            const struct path *path = files_path(source->files, job.inputs.items[j]);
            entry->input_size += path->size;
            if (j == 0)
                entry->module_size = path->size;
            /* Behind the module and its index shard. */
            if (j < 2 || j >= bitcode)
                continue;
            entry->imports++;
            count_import(record, names, &room, path);
        }
    }
    job_free(&job);
    lh_table_free(names);
    if (record->imported_count > 0)
        qsort(record->imported, record->imported_count, sizeof *record->imported,
              most_imported_first);
    return good;
}

void record_free(struct record *record)
{
    for (size_t i = 0; i < record->count; i++)
        free(record->entries[i].module);
    free(record->entries);
    free(record->order);
    free(record->imported);
    text_free(&record->notes);
    *record = (struct record){0};
}

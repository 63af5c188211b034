#include "trace.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "json-text.h"

/* One trace. A thread of it is a lane, numbered from 1; this program's own is numbered as its first
 * thread is, by the process. */
struct trace {
    FILE *file;
    const struct record *record;
    long process;
    struct text event;
    bool any;
};

static void write_event(struct trace *trace)
{
    fprintf(trace->file, "%s%s", trace->any ? ",\n" : "\n", trace->event.data);
    trace->any = true;
    text_clear(&trace->event);
}

/* What a process or thread is called, or where it stands: the metadata event NAME, with the member
 * KEY, whose value is JSON. */
static void write_metadata(struct trace *trace, long thread, const char *name, const char *key,
                           const char *value)
{
    text_printf(&trace->event,
                "{\"ph\":\"M\",\"pid\":%ld,\"tid\":%ld,\"name\":\"%s\",\"args\":{\"%s\":%s}}",
                trace->process, thread, name, key, value);
    write_event(trace);
}

static void write_names(struct trace *trace)
{
    struct text name = {0}, value = {0};

    text_printf(&name, "dtlto-ninja: %s", trace->record->linker_output);
    json_text(&value, name.data);
    write_metadata(trace, trace->process, "process_name", "name", value.data);
    write_metadata(trace, trace->process, "thread_name", "name", "\"dtlto-ninja\"");
    write_metadata(trace, trace->process, "thread_sort_index", "sort_index", "0");
    for (size_t lane = 1; lane <= trace->record->lanes; lane++) {
        text_clear(&value);
        text_printf(&value, "\"slot %zu\"", lane);
        write_metadata(trace, (long)lane, "thread_name", "name", value.data);
        text_clear(&value);
        text_printf(&value, "%zu", lane);
        write_metadata(trace, (long)lane, "thread_sort_index", "sort_index", value.data);
    }
    text_free(&name);
    text_free(&value);
}

/* Begins a complete event; its arguments and the two ends are still to come. */
static void begin_event(struct trace *trace, const char *name, const char *category, long thread,
                        int64_t start, int64_t end)
{
    text_puts(&trace->event, "{\"name\":");
    json_text(&trace->event, name);
    text_printf(&trace->event,
                ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%" PRId64 ",\"dur\":%" PRId64
                ",\"pid\":%ld,\"tid\":%ld,\"args\":{",
                category, start - trace->record->began, end > start ? end - start : 0,
                trace->process, thread);
}

static void add_string(struct trace *trace, const char *key, const char *value)
{
    if (!value)
        return;
    text_printf(&trace->event, ",\"%s\":", key);
    json_text(&trace->event, value);
}

static void add_number(struct trace *trace, const char *key, int64_t value)
{
    text_printf(&trace->event, ",\"%s\":%" PRId64, key, value);
}

static void write_job(struct trace *trace, size_t job)
{
    const struct entry *entry = &trace->record->entries[job];

    begin_event(trace, entry->module, "backend", (long)entry->lane + 1, entry->start, entry->end);
    text_printf(&trace->event, "\"job\":%zu", job);
    add_string(trace, "output", entry->output);
    add_string(trace, "result", entry->state == ENTRY_DONE ? "done" : "failed");
    add_string(trace, "where", entry->kind);
    add_string(trace, "host", entry->host);
    add_string(trace, "reason", entry->reason);
    if (entry->peak > 0)
        add_number(trace, "peak_memory_bytes", entry->peak);
    add_number(trace, "module_bytes", entry->module_size);
    add_number(trace, "input_bytes", entry->input_size);
    add_number(trace, "imports", (int64_t)entry->imports);
    text_puts(&trace->event, "}}");
    write_event(trace);
}

/* What this program itself did; ninja, and the rest before it and behind it. */
static void write_own(struct trace *trace)
{
    const struct record *record = trace->record;
    int64_t now = clock_now();
    const struct {
        const char *name;
        int64_t start, end;
    } parts[] = {{"read the description, write the manifest", record->began, record->started},
                 {"run ninja", record->started, record->ended},
                 {"check the objects", record->ended, now}};

    begin_event(trace, "dtlto-ninja", "link", trace->process, record->began, now);
    text_puts(&trace->event, "\"output\":");
    json_text(&trace->event, record->linker_output);
    text_puts(&trace->event, "}}");
    write_event(trace);
    for (size_t i = 0; record->started > 0 && i < sizeof parts / sizeof *parts; i++) {
        begin_event(trace, parts[i].name, "link", trace->process, parts[i].start, parts[i].end);
        text_puts(&trace->event, "}}");
        write_event(trace);
    }
}

void trace_write(FILE *file, const struct record *record)
{
    struct trace trace = {.file = file, .record = record, .process = (long)getpid()};

    fprintf(file,
            "{\"displayTimeUnit\":\"ms\",\"beginningOfTime\":%" PRId64
            ",\"otherData\":{\"program\":\"dtlto-ninja " VERSION
            "\",\"jobs\":\"%zu\",\"done\":\"%zu\",\"failed\":\"%zu\",\"slots\":\"%zu\"},"
            "\"traceEvents\":[",
            record->began, record->count, record->done, record->failed, record->slots);
    write_names(&trace);
    write_own(&trace);
    for (size_t i = 0; i < record->timed; i++)
        write_job(&trace, record->order[i]);
    fputs("\n]}\n", file);
    text_free(&trace.event);
}

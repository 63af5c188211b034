#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "json-text.h"
#include "page.h"
#include "quote.h"

static void add_number(struct text *out, const char *key, int64_t value)
{
    text_printf(out, "\"%s\":%" PRId64 ",\n", key, value);
}

static void add_string(struct text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    json_text(out, value);
    text_puts(out, ",\n");
}

/* The part of the command that all jobs have. */
static void add_command(struct text *out, const struct common *common)
{
    struct text command = {0};

    advice_common_command(&command, common);
    add_string(out, "command", command.data);
    text_free(&command);
}

static void add_link(struct text *out, const struct report *report, const struct common *common)
{
    const struct record *record = report->record;
    char *directory = getcwd(NULL, 0);

    add_string(out, "program", "dtlto-ninja " VERSION);
    add_string(out, "output", record->linker_output);
    add_string(out, "directory", directory ? directory : ".");
    add_string(out, "template", report->template);
    add_command(out, common);
    add_number(out, "status", report->status);
    add_number(out, "began", record->began);
    add_number(out, "started", record->started);
    add_number(out, "ended", record->ended);
    add_number(out, "first", record->first);
    add_number(out, "last", record->last);
    add_number(out, "busy", record->busy);
    add_number(out, "processor_time", record->processor_time);
    add_number(out, "processors", (int64_t)report->processors);
    add_number(out, "slots", (int64_t)record->slots);
    add_number(out, "lanes", (int64_t)record->lanes);
    add_number(out, "done", (int64_t)record->done);
    add_number(out, "failed", (int64_t)record->failed);
    add_number(out, "remote", (int64_t)record->remote);
    text_printf(out, "\"best\":{\"bound\":%.0f,\"lpt\":%.0f},\n", record->best.bound,
                record->best.lpt);
    free(directory);
}

static void add_imported(struct text *out, const struct record *record)
{
    text_puts(out, "\"imported\":[");
    for (size_t i = 0; i < record->imported_count; i++) {
        const struct imported *imported = &record->imported[i];
        text_puts(out, i > 0 ? ",\n[" : "\n[");
        json_text(out, imported->name);
        text_printf(out, ",%lld,%zu]", (long long)imported->size, imported->count);
    }
    text_puts(out, "],\n");
}

static void add_optional(struct text *out, const char *string)
{
    if (string)
        json_text(out, string);
    else
        text_puts(out, "null");
    text_putc(out, ',');
}

/* One job, in the order of the page's columns. */
static void add_job(struct text *out, const struct record *record, const struct job *job)
{
    const struct entry *entry = &record->entries[job->index];
    struct text args = {0};

    text_clear(&args);
    quote_shell_words(&args, job->args.items, job->args.count);
    text_puts(out, job->index > 0 ? ",\n[" : "\n[");
    json_text(out, entry->module);
    text_printf(out, ",%d,", (int)entry->state);
    if (entry->timed)
        text_printf(out, "%" PRId64 ",%" PRId64 ",%zu,", entry->start - record->began,
                    entry_time(entry), entry->lane);
    else
        text_puts(out, "null,null,null,");
    add_optional(out, entry->kind);
    add_optional(out, entry->host);
    add_optional(out, entry->reason);
    text_printf(out, "%" PRId64 ",%lld,%lld,%zu,", entry->peak, (long long)entry->module_size,
                (long long)entry->input_size, entry->imports);
    json_text(out, entry->output);
    text_putc(out, ',');
    json_text(out, args.data);
    text_putc(out, ',');
    json_text(out, entry->said ? entry->said : "");
    text_putc(out, ']');
    text_free(&args);
}

static void flush(struct text *out, FILE *file)
{
    fwrite(out->data, 1, out->length, file);
    text_clear(out);
}

static bool write_data(FILE *file, const struct report *report, const struct record_source *source)
{
    const struct record *record = report->record;
    struct text out = {0};
    struct job job = {0};
    bool good = true;

    text_puts(&out, "{");
    add_link(&out, report, description_common(source->description));
    add_imported(&out, record);
    text_puts(&out, "\"jobs\":[");
    for (size_t i = 0; i < record->count && good; i++) {
        good = description_reread(source->description, source->files->offsets[i], i, &job) ==
               STATUS_OK;
        if (good)
            add_job(&out, record, &job);
        flush(&out, file);
    }
    text_puts(&out, "]}\n");
    flush(&out, file);
    job_free(&job);
    text_free(&out);
    return good;
}

bool report_write(FILE *file, const struct report *report, const struct record_source *source)
{
    bool good = true;

    for (size_t i = 0; i < sizeof page / sizeof *page && good; i++) {
        if (strcmp(page[i], "@DATA@\n") == 0)
            good = write_data(file, report, source);
        else
            fputs(page[i], file);
    }
    return good;
}

/* What is known of a run after it: for each job when it ran, where, and how it ended. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "description.h"
#include "files.h"
#include "guard.h"
#include "ninja-log.h"
#include "note.h"
#include "progress.h"
#include "schedule.h"
#include "text.h"

/* ENTRY_NOT_RUN: not to its end, for all that is known. */
enum entry_state { ENTRY_NOT_RUN, ENTRY_DONE, ENTRY_FAILED };

/* One job. Its place in the record is its index. */
struct entry {
    enum entry_state state;
    bool timed;         /* START, END and LANE are known */
    bool logged;        /* the two are from ninja's log, else from a note */
    int64_t start, end; /* in microseconds since 1970 */
    size_t lane;        /* from 0: of the jobs that ran at one time, each has another */
    const char *output; /* its first; the files' */
    const char *said;   /* what a failed one printed; the progress's; a null pointer: not known */
    const char *kind;   /* where it ran, as in struct note; a null pointer: not known */
    const char *host;   /* a null pointer: not known */
    const char *reason; /* why it ran here; a null pointer where that needs no reason */
    int64_t peak;       /* the most memory that the compiler held, in bytes; 0: not known */
    char *module;       /* owned; this and what follows come from record_describe */
    off_t module_size;  /* in bytes */
    off_t input_size;   /* of all that it reads, with the module */
    size_t imports;     /* how many modules it imports from */
};

/* A module that others import from. */
struct imported {
    const char *name; /* the files' */
    off_t size;
    size_t count; /* of the jobs that do */
};

/* Start with {0}; free with record_free. Its strings are its own, or those of what it was taken
 * from, which must outlive it. */
struct record {
    const char *linker_output;
    struct entry *entries;
    size_t count;
    size_t *order;                      /* the jobs that are timed, by when they started */
    size_t timed, done, failed, remote; /* how many are */
    size_t lanes;                       /* the most that ran at one time */
    size_t slots;                       /* how many might; LANES where that is not known */
    int64_t zero;                       /* when ninja began to count, for all that is known */
    int64_t began, started, ended;      /* this program, and ninja; 0: it was not */
    int64_t first, last;                /* the first start and the last end of a job */
    int64_t processor_time;    /* that ninja and the jobs took of this machine; 0: not known */
    int64_t busy;              /* the sum of the jobs' times, in microseconds */
    struct schedule best;      /* in microseconds */
    struct imported *imported; /* by record_describe; those with the most first */
    size_t imported_count;
    struct text notes;
};

/* Where it is taken from. */
struct record_source {
    struct description *description;
    const struct files *files;
    const struct progress *progress; /* what ninja said; a null pointer: it was not run */
    const struct ending *ending;     /* the same */
    const struct ninja_log *log;     /* a null pointer: there is none */
    const char *folder;              /* the private one; the same */
    const char *slots;               /* a number; a null pointer: not known */
    const char *kind;                /* of a job that ran without a note; the same */
    int64_t began;                   /* when this program was started */
};

/* Makes the file in the private folder that programs leave their notes in. Returns false with errno
 * set. */
bool record_prepare(void);

/* Takes the record of a run that has ended, before any output is removed. Times come from ninja's
 * log, in milliseconds from ninja's start, and where that has none (of jobs that failed, and with
 * samurai of all) from notes. When ninja began to count is known to some milliseconds. */
void record_take(struct record *record, const struct record_source *source);

/* Reads the description again for what the entries say of their inputs. Returns false where that
 * fails, after a message. */
bool record_describe(struct record *record, const struct record_source *source);

/* The job that took the longest; false where no time is known. */
bool record_slowest(const struct record *record, size_t *job);

/* How long an entry that is timed took, in microseconds. */
int64_t entry_time(const struct entry *entry);

void record_free(struct record *record);

#endif

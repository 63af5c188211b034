/* Finds ninja's log of a link, and in it how a job fared among the others. */
#ifndef EXPLAIN_LOG_H
#define EXPLAIN_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

struct log_place {
    const char *description; /* its path */
    const char *prefix;      /* in front of its paths, seen from where ninja ran */
    bool is_repro;           /* ninja ran in its folder */
};

/* Times in milliseconds from when ninja started; places count from 1. */
struct job_times {
    struct text log; /* the path of the log; owned */
    long start, end;
    long last; /* when the last job ended */
    size_t started, ended, longest, count;
};

/* Looks for the job INDEX of those that make the COUNT OUTPUTS, in the logs that may be beside the
 * description or in the folders that --keep has left there, the newest first. Returns false where
 * it is in none. */
bool explain_log(const struct log_place *place, const char *const *outputs, size_t count,
                 size_t index, struct job_times *times);

#endif

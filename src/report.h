/* Writes a page of HTML that shows the run: report.html with the data of one link in it. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record.h"

/* What the page says besides the record. */
struct report {
    const struct record *record; /* that record_describe has seen */
    const char *template;        /* its name, for people */
    int status;                  /* that the run ends with */
    size_t processors;           /* that it may use */
};

/* Writes the page to FILE, with the command of each job, which is read once more from the
 * description of SOURCE. Returns false where that fails, after a message. The caller checks FILE
 * for errors. */
bool report_write(FILE *file, const struct report *report, const struct record_source *source);

#endif

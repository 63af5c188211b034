/* Writes the run in the Chrome trace format ("Trace Event Format", JSON object), which Perfetto and
 * chrome://tracing open. */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>

#include "record.h"

/* Writes RECORD, which record_describe has seen, to FILE: a complete event ("X") for each job that
 * is timed, in the lane that it ran in, and for what this program did itself, up to now. Times
 * count from "beginningOfTime", microseconds since 1970, as in the time traces of LLVM's programs,
 * so that they can be brought together. The caller checks FILE for errors. */
void trace_write(FILE *file, const struct record *record);

#endif

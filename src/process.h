/* Runs a program to its end and takes what it prints. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>

#include "text.h"

/* Runs ARGV (ending in a null pointer; ARGV[0] is looked up in PATH) with no standard input, and
 * puts its stdout and stderr into OUTPUT, which starts as {0} and is the caller's to free. Returns
 * the wait status, or -1 with errno set where it could not be run. When a signal is caught
 * (signals_caught) the program is killed. */
int process_output(const char *const *argv, struct text *output);

/* The same, but the program is killed also where GOES_ON, which is asked some times in a second,
 * says false of CONTEXT. */
int process_watch(const char *const *argv, struct text *output, bool (*goes_on)(void *context),
                  void *context);

/* As process_output, but OUTPUT gets its stdout only: what it says on stderr is for people, at
 * once. */
int process_answer(const char *const *argv, struct text *output);

#endif

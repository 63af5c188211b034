/* Running commands at home, for home.c and home-again.c. BASE is what the names of a job's own
 * files begin with; their folder has the slots of this machine (slots.h). */
#ifndef HOME_RUN_H
#define HOME_RUN_H

#include <stdbool.h>

#include "words.h"

/* The file of the job with this ending. The caller frees it. */
char *home_file(const char *base, const char *ending);

/* The file NAME in the folder of the job's files. The caller frees it. */
char *home_beside(const char *base, const char *name);

/* The ending of the file in which home_again notes that the compilation runs here: empty at first,
 * then with its wait status. */
#define HOME_HERE ".here"

/* Runs a command as it is, and waits; a signal goes to it too. ARGV ends in a null pointer. Returns
 * its wait status; where it cannot be run, as a shell would, after a message. */
int home_run(const char *const *argv);

/* Waits for a slot of this machine and runs the job's own command there, without what was set for
 * a carrier (carrier_environment_end). Returns as home_run. */
int home_run_in_slot(const char *base, const char *const *argv);

/* The status to end with for this wait status; or, where a signal ended the compilation or came to
 * this process, the end by that signal. */
int home_end(int status);

/* Whether OBJECT is what COMMAND is to make; with DTLTO_CLANG_VERBOSE says what is wrong. MODULE
 * may be a null pointer. */
bool home_is_object(const char *object, const struct words *command, const char *module);

#endif

/* The warm compiler: the compiler of a link, loaded once and forked for each backend compilation
 * (warm-shim.c), which dtlto-warm.c asks for them. Whatever goes wrong with it, a compilation is
 * run in the plain way. */
#ifndef WARM_H
#define WARM_H

#include <stdbool.h>
#include <sys/types.h>

#include "text.h"

struct warm {
    const char *compiler;     /* as the description has it */
    struct text program;      /* its file */
    struct text shim, client; /* our files */
    struct text socket;       /* where the two meet */
    struct text command;      /* what goes in front of a compilation, in words for the shell,
                               * with a blank at the end */
    struct text problem;      /* why the compiler cannot be kept warm */
    bool is_missing;          /* that is no fault of the compiler's */
    bool verbose;             /* to be set by others: says what keeps the server from starting */
    pid_t server;             /* 0: none */
    int lifeline;             /* the server ends when this is closed */
};

/* Whether COMPILER, which must outlive WARM, can be kept warm, with a socket in FOLDER; then
 * WARM->command is set, else WARM->problem. WARM is freed with warm_free in any case. */
bool warm_prepare(struct warm *warm, const char *compiler, const char *folder);
void warm_free(struct warm *warm);

/* Sets WARM->command, where our files are there, as warm_prepare does; without a server it runs the
 * compiler in the plain way, and leaves the notes of record.h. Returns false where they are not. */
bool warm_measure(struct warm *warm, const char *folder);

/* Starts the server, a child of this process with which it dies. Does not wait for it. */
void warm_start(struct warm *warm);

/* Ends the server and its compilations. */
void warm_stop(struct warm *warm);

#endif

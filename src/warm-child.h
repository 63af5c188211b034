/* A child of the warm compiler (warm-shim.c) becomes what the compiler would be if the client had
 * executed it: arguments, environment, working directory, umask, limits, priority, descriptors,
 * signals and process group are those of the client. */
#ifndef WARM_CHILD_H
#define WARM_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* What the compiler's main function is given. */
struct call {
    int argc;
    char **argv;
};

/* In the server, once, before its first child: notes how this process is, which a client must have
 * in common with it. Returns false where there is no memory. */
bool warm_child_note(void);

/* In a child: becomes what the client PEER asks for at the other end of CONNECTION, which is closed
 * then, and fills in CALL. Returns false where that cannot be, or the client has gone away: then
 * this process must end, and the client runs the compiler in the plain way. */
bool warm_child_become(int connection, pid_t peer, struct call *call);

/* Whether VARIABLE is "NAME=...". */
bool warm_child_names(const char *variable, const char *name);

/* Sends a struct warm_reply. Does not wait. */
bool warm_child_reply(int connection, int kind, int value, long peak);

#endif

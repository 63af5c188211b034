/* The jobserver of GNU make, which hands out the right to run jobs (its manual, "Sharing Job Slots
 * with GNU make"). One job may always run; each further one takes a token, a byte that must be put
 * back. */
#ifndef JOBSERVER_H
#define JOBSERVER_H

#include <stdbool.h>
#include <stddef.h>

struct jobserver {
    bool exists;
    bool is_fifo; /* named by a path (make 4.4 and later); else a pipe that is inherited */
    int read_fd;  /* ours, not blocking; -1 where there is none */
    int write_fd;
    size_t slots; /* how many jobs make runs at most, its -j; 0 where that is not known */
    char *tokens; /* owned; those taken, COUNT of them */
    size_t count;
};

/* Finds the jobserver that the environment names in MAKEFLAGS. To be called before the program
 * opens anything, lest that has the number of make's pipe. There is none where what that names is
 * not there: make does not hand its pipe to every command, but always names it. Freed with
 * jobserver_close. */
void jobserver_open(struct jobserver *jobserver);

/* Takes as many tokens as there are now, up to MOST, without waiting; returns how many. */
size_t jobserver_take(struct jobserver *jobserver, size_t most);

/* Puts all tokens back. */
void jobserver_put_back(struct jobserver *jobserver);

/* Puts all tokens back and frees what it owns. */
void jobserver_close(struct jobserver *jobserver);

#endif

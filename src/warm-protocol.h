/* What dtlto-warm, which ninja runs in place of the compiler, and the warm compiler, which runs the
 * compilation for it, say to each other over a Unix socket:
 *
 *   child    {WARM_HELLO, 0}
 *   client   struct warm_request, with the descriptors; numbers; strings
 *   child    {WARM_READY, its process}   it is set up as the client is, and nothing can fail any
 * more client   one byte                    only now the compiler's main function runs server
 * {WARM_ENDED, wait status}   with the peak of its memory
 *
 * Nothing is sent before the greeting: descriptors on their way to a server that is stuck would
 * stay open, and ninja waits until those for output are closed. Until it has sent its byte, the
 * client may go away and run the compiler itself; where the first answer is not WARM_READY, or
 * none, it does. */
#ifndef WARM_PROTOCOL_H
#define WARM_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#define WARM_SOCKET      "warm"              /* the socket's name in the private folder */
#define WARM_ENVIRONMENT "DTLTO_WARM_SERVER" /* tells the process of this number to serve */
#define WARM_BIND_NOW    "by dtlto-ninja" /* LD_BIND_NOW where that was not set; any text will do */

enum {
    WARM_LISTENER = 3, /* descriptors of the server */
    WARM_LIFELINE = 4,
    WARM_DESCRIPTORS = 200, /* the most of one request; the kernel passes 253 at a time */
    WARM_LIMITS = 16,       /* how many kinds of limits there are */
    WARM_MAGIC = 0x6d726177,
};

struct warm_request {
    uint32_t magic;
    uint32_t mask;                     /* umask */
    uint64_t ignored, blocked;         /* bit N - 1 is signal N */
    uint64_t device, inode;            /* of the compiler */
    struct rlimit limits[WARM_LIMITS]; /* RLIMIT_x is the index */
    uint32_t argc, envc;               /* how many of each the strings are */
    uint32_t bytes;                    /* of all strings, each with its NUL */
    uint32_t descriptors;              /* how many numbers follow, of 32 bits each */
    /* With the first byte come the working directory, and the descriptors of these numbers. */
};

enum { WARM_HELLO = 1, WARM_READY, WARM_ENDED };

struct warm_reply {
    int32_t kind, value;
    int64_t peak; /* of WARM_ENDED, in KiB: the most memory that the compilation held */
};

#endif

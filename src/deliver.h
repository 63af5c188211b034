/* Writes whole files: puts a finished object in its place, all of it at once. */
#ifndef DELIVER_H
#define DELIVER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all of it. Returns false, errno set, where that cannot be done. */
bool write_all(int fd, const char *data, size_t length);

/* Copies what the descriptor FROM holds to a new file beside TO, which then takes its name; nobody
 * sees a part of it. Returns false, errno set and nothing left, where that cannot be done. */
bool deliver(int from, const char *to);

#endif

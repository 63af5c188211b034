/* Unix sockets at paths of any length. */
#ifndef WARM_SOCKET_H
#define WARM_SOCKET_H

/* A stream socket that listens at PATH, or is connected to PATH, closed on exec; -1 with errno set
 * where that fails. */
int warm_listen(const char *path);
int warm_connect(const char *path);

#endif

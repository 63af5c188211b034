/* A proxy for TCP that cuts connections off: passes on what comes at PORT to ADDRESS and back, and
 * closes both ends of a connection after BYTES bytes in one direction, "up" from the client or
 * "down" to it.
 *
 * usage: cut-connection PORT ADDRESS ADDRESS-PORT up|down BYTES
 * Says "ready" when it listens, and then "cut" for each connection that it has cut. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in place(const char *address, const char *port)
{
    struct sockaddr_in place = {.sin_family = AF_INET};
    place.sin_port = htons((in_port_t)atoi(port));
    inet_pton(AF_INET, address, &place.sin_addr);
    return place;
}

/* Passes on what there is, at most *LEFT bytes. Returns whether the connection goes on. */
static bool pass(int from, int to, long *left)
{
    char buffer[4096];
    size_t most = *left < (long)sizeof buffer ? (size_t)*left : sizeof buffer;
    ssize_t count = read(from, buffer, most);

    if (count <= 0)
        return false;
    for (ssize_t sent = 0, n; sent < count; sent += n) {
        if ((n = write(to, buffer + sent, (size_t)(count - sent))) <= 0)
            return false;
    }
    *left -= count;
    if (*left == 0)
        puts("cut");
    return *left > 0;
}

static void serve(int client, const struct sockaddr_in *there, bool up, long bytes)
{
    int server = socket(AF_INET, SOCK_STREAM, 0);
    long any = 1L << 30, *upwards = up ? &bytes : &any, *downwards = up ? &any : &bytes;
    struct pollfd ready[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    bool goes_on = connect(server, (const struct sockaddr *)there, sizeof *there) == 0;

    while (goes_on && poll(ready, 2, -1) > 0) {
        if (ready[0].revents)
            goes_on = pass(client, server, upwards);
        if (goes_on && ready[1].revents)
            goes_on = pass(server, client, downwards);
    }
}

int main(int argc, char **argv)
{
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

    if (argc != 6)
        return 2;
    struct sockaddr_in here = place("0.0.0.0", argv[1]), there = place(argv[2], argv[3]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 64) != 0) {
        perror("cut-connection");
        return 1;
    }
    puts("ready");
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client >= 0 && fork() == 0) {
            close(listener);
            serve(client, &there, strcmp(argv[4], "up") == 0, atol(argv[5]));
            return 0;
        }
        close(client);
    }
}

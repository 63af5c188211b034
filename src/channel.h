/* What ninja prints into: a pseudo-terminal where stderr is a terminal, else a pipe. */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stdbool.h>

/* Descriptors that are closed are -1. */
struct channel {
    int read_end, write_end;
    bool is_terminal;
};

/* Opens a channel; false, with errno set, where that cannot be. The descriptors are not inherited
 * by programs that are executed. */
bool channel_open(struct channel *channel);

/* Gives the terminal's size to the pseudo-terminal, so that ninja fits its line to it. */
void channel_resize(const struct channel *channel);

void channel_close_write(struct channel *channel);
void channel_close(struct channel *channel);

#endif

/* The bytes of a file, some at a time: what json-stream reads from. */
#ifndef JSON_INPUT_H
#define JSON_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "message.h"

/* Its buffer grows to the largest piece that must be seen at once. Open with input_open. */
struct input {
    const char *path;
    int fd;
    bool at_end; /* nothing more to read from fd */
    char *buffer;
    size_t from; /* what comes next is buffer[from]; the reader moves it on */
    size_t to;   /* one past the last byte read */
    size_t room;
    off_t base;   /* the file offset of buffer[0] */
    size_t lines; /* newlines in front of buffer[0]; not known after input_seek */
    bool lines_known;
    off_t line_offset; /* the file offset of the last line start at or before buffer[0] */
};

enum { INPUT_END = -1, INPUT_BROKEN = -2 };

/* Opens the file PATH, which must outlive INPUT. After a message where that fails; quietly where a
 * signal is why (signals_caught). */
enum status input_open(struct input *input, const char *path);
void input_close(struct input *input);

/* The byte AHEAD of the next one, INPUT_END after the last byte of the file, or INPUT_BROKEN, after
 * a message, where reading failed. May move the buffer. */
int input_peek(struct input *input, size_t ahead);

/* The byte offset of what comes next, and a way back to one. The file must be seekable; else false,
 * after a message. */
off_t input_tell(const struct input *input);
bool input_seek(struct input *input, off_t offset);

/* Where the byte AHEAD of the next one is, line and column from 1, the column in bytes. It must
 * have been peeked at. */
void input_place(struct input *input, size_t ahead, size_t *line, long long *column);

#endif

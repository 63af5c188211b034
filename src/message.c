#include "message.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"
#include "text.h"
#include "utf8.h"

enum { WAIT_MS = 200 };

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

static void add_visible(struct text *line, const char *text)
{
    const unsigned char *c = (const unsigned char *)text, *end = c + strlen(text);

    while (c < end) {
        size_t size = utf8_sequence(c, (size_t)(end - c));
        bool control = *c < 0x20 || *c == 0x7f || (size == 2 && c[0] == 0xc2 && c[1] < 0xa0);
        if (*c == '\n')
            text_puts(line, "\\n");
        else if (*c == '\t')
            text_puts(line, "\\t");
        else if (*c == '\r')
            text_puts(line, "\\r");
        else if (size == 0 || control)
            text_printf(line, "\\x%02x", *c);
        else
            text_write(line, (const char *)c, size);
        c += size == 0 || control ? 1 : size;
    }
}

/* Waits until stderr can be written. False: it cannot, or a signal says not to wait for it. */
static bool wait_for_stderr(void)
{
    struct pollfd ready = {STDERR_FILENO, POLLOUT, 0};

    while (poll(&ready, 1, WAIT_MS) <= 0) {
        if (signals_caught())
            return false;
    }
    return true;
}

void message_write(const char *data, size_t length)
{
    while (length > 0 && wait_for_stderr()) {
        /* A pipe that is ready takes as much as this without blocking. */
        ssize_t written = write(STDERR_FILENO, data, length < PIPE_BUF ? length : PIPE_BUF);
        if (written > 0) {
            data += written;
            length -= (size_t)written;
        } else if (errno != EINTR && errno != EAGAIN) {
            break;
        }
    }
}

/* One write for the whole line: several links may share a terminal or a log file. */
static void print_line(int error, const char *format, va_list arguments)
{
    struct text body = {0}, line = {0};

    text_vprintf(&body, format, arguments);
    text_printf(&line, "%s: ", program_name);
    add_visible(&line, body.data);
    if (error)
        text_printf(&line, ": %s", strerror(error));
    text_putc(&line, '\n');

    message_write(line.data, line.length);
    text_free(&body);
    text_free(&line);
}

void message(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(0, format, arguments);
    va_end(arguments);
}

void message_error(int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(error, format, arguments);
    va_end(arguments);
}

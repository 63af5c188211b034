#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static void make_room(struct text *text, size_t more)
{
    if (more >= SIZE_MAX - text->length)
        out_of_memory();
    size_t needed = text->length + more + 1;
    if (needed <= text->room)
        return;
    size_t room = text->room ? text->room : 64;
    while (room < needed)
        room = room > SIZE_MAX / 2 ? needed : room * 2;
    text->data = reallocate(text->data, room, 1);
    text->room = room;
}

void text_write(struct text *text, const char *data, size_t length)
{
    make_room(text, length);
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_putc(struct text *text, char c)
{
    if (text->length + 1 >= text->room)
        make_room(text, 1);
    text->data[text->length++] = c;
    text->data[text->length] = '\0';
}

void text_puts(struct text *text, const char *string)
{
    text_write(text, string, strlen(string));
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0) {
        make_room(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

int text_read_file(struct text *text, const char *path)
{
    char buffer[4096];
    size_t count;
    FILE *file = fopen(path, "r");

    if (!file)
        return errno;
    errno = 0;
    do {
        count = fread(buffer, 1, sizeof buffer, file);
        text_write(text, buffer, count);
    } while (count == sizeof buffer);
    int error = ferror(file) ? (errno ? errno : EIO) : 0;
    fclose(file);
    return error;
}

void text_clear(struct text *text)
{
    make_room(text, 0);
    text->length = 0;
    text->data[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

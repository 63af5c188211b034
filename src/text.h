/* A string that grows. Start with {0}; it is always NUL-terminated once something was put in. */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *data; /* owned; free with text_free */
    size_t length;
    size_t room;
};

/* Each appends to TEXT, and ends the program where memory runs out. */
void text_putc(struct text *text, char c);
void text_puts(struct text *text, const char *string);
void text_write(struct text *text, const char *data, size_t length);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void text_printf(struct text *text, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 0)))
#endif
void text_vprintf(struct text *text, const char *format, va_list arguments);

/* Appends the content of the file PATH. Returns an errno value, 0 where all of it was read. */
int text_read_file(struct text *text, const char *path);

/* Makes TEXT the empty string, keeping its memory for what comes next. */
void text_clear(struct text *text);
void text_free(struct text *text);

#endif

#include "json-text.h"

#include <string.h>

#include "utf8.h"

/* Line and paragraph separator: no more than blanks to JSON, but ends of lines to older readers of
 * scripts. */
static int is_separator(const unsigned char *c, size_t size)
{
    return size == 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9);
}

static void add_ascii(struct text *out, unsigned char c)
{
    if (c == '"' || c == '\\')
        text_printf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&')
        text_printf(out, "\\u%04x", (unsigned)c);
    else
        text_putc(out, (char)c);
}

void json_text(struct text *out, const char *string)
{
    const unsigned char *c = (const unsigned char *)string, *end = c + strlen(string);

    text_putc(out, '"');
    while (c < end) {
        size_t size = utf8_sequence(c, (size_t)(end - c));
        if (size == 0)
            text_printf(out, "\\\\x%02x", *c);
        else if (size == 1)
            add_ascii(out, *c);
        else if (is_separator(c, size))
            text_printf(out, "\\u20%02x", c[2] - 0x80);
        else
            text_write(out, (const char *)c, size);
        c += size == 0 ? 1 : size;
    }
    text_putc(out, '"');
}

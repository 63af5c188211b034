/* UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing over U+10FFFF. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* The length in bytes of the sequence that the LENGTH bytes at BYTES start with; 0 where they start
 * with none that is well-formed. */
size_t utf8_sequence(const unsigned char *bytes, size_t length);

#endif

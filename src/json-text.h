/* Writes JSON strings. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "text.h"

/* Appends STRING as a JSON string with its quotes, good in a script of an HTML page too ("<", ">"
 * and "&" are escapes). What is not UTF-8 in it appears as in messages, for people: the byte 0xff
 * as \xff. */
void json_text(struct text *out, const char *string);

#endif

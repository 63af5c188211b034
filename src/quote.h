/* All quoting: shell words, ninja values and paths, clang response files, and option strings.
 *
 * What ninja cannot say. A ninja value ends at a newline and cannot hold a carriage return, and a
 * ninja path cannot hold those two or '|': no escape exists for them (the ninja manual, "Lexical
 * syntax"). The manifest goes round this in two ways:
 * - A shell word makes such a character itself when the command runs: "${IFS#??}" is a newline,
 *   since every POSIX shell starts with IFS set to blank, tab, newline whatever its environment
 *   says, and "$(printf '\015')" is a carriage return (command substitution drops only newlines).
 * - A path that cannot be said is left out of the edge's inputs, or stands in for an output under
 *   a name of our own (manifest.c); dtlto-ninja itself checks inputs and outputs in any case. */
#ifndef QUOTE_H
#define QUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"
#include "words.h"

/* Appends WORD as one word for /bin/sh, without a newline or carriage return in it. */
void quote_shell(struct text *out, const char *word);

/* The same for a word that the shell will run: it is taken for nothing but a program. */
void quote_command(struct text *out, const char *word);

/* Appends the words, each quoted, with blanks between them. */
void quote_shell_words(struct text *out, const char *const *words, size_t count);

/* Appends VALUE as the right side of a ninja variable. It must hold no newline and no carriage
 * return, as the output of quote_shell never does. */
void quote_value(struct text *out, const char *value);

/* Appends PATH as a ninja path. PATH must satisfy quotable_path. */
void quote_path(struct text *out, const char *path);

/* Whether ninja's syntax can say VALUE, or the path PATH, at all. */
bool quotable_value(const char *value);
bool quotable_path(const char *path);

/* Appends WORD as one word of a response file, as clang reads it on other systems than Windows
 * (LLVM's TokenizeGNUCommandLine: quotes and backslash as in the shell). */
void quote_response(struct text *out, const char *word);

/* Splits OPTIONS into words at blanks, with the shell's single quotes, double quotes and
 * backslashes but no expansion of any kind. The words go to WORDS and point into STORAGE, which
 * the caller frees after them. Returns false, with nothing printed, at a quote that is not closed
 * or a backslash at the end. */
bool split_options(const char *options, struct text *storage, struct words *words);

#endif

/* Whether a file is an object as the compiler of a target writes it, and all of it.
 *
 * A compiler, a farm or a cache may leave an object that is empty, cut short, or for something else
 * than was asked for. What can be seen of that without reading it all is seen here: the headers,
 * and that all that they speak of lies in the file. Bytes that changed inside a section are not
 * seen. */
#ifndef OBJECT_H
#define OBJECT_H

#include <stdbool.h>

#include "text.h"
#include "words.h"

/* The target (a triple) that the compiler's command COMMAND asks for; one of its words, or a part
 * of one. A null pointer where it names none, or where other options say what comes out: -m32, or
 * -S, with which it is no object at all. */
const char *object_target(const struct words *command);

/* Checks the file PATH, relative to the folder FOLDER (AT_FDCWD for the current one), which must be
 * a regular file, ELF, COFF, Mach-O or WebAssembly. TARGET is what it must be for, as clang has it;
 * a null pointer, and a target that is not known here, allow what is for any. Then a file of no
 * format that is known may be anything but empty. Returns false where it is no good: PROBLEM, which
 * must be empty, then has what is wrong, such as "is empty" or "is cut short: section 5 ends at
 * byte 4711 of 4096", to stand behind the name. */
bool object_check(int folder, const char *path, const char *target, struct text *problem);

#endif

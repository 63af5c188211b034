/* Finds the programs and files that belong to this one. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* The path of this program, of at most SIZE bytes; false where the system does not tell it. */
bool program_self(char *path, size_t size);

/* Puts the path of the program NAME into PATH: what the variable VARIABLE says, else beside this
 * program, else in FOLDER, where make install puts it. Returns false, with the last one tried,
 * where it is not there. */
bool program_find(struct text *path, const char *variable, const char *name, const char *folder);

#endif

/* Finds the programs and files that belong to this one. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* The path of this program, of at most SIZE bytes; false where the system does not tell it. */
bool program_self(char *path, size_t size);

/* Puts the file that the shell would run for NAME into FILE. Returns false where it is not in the
 * PATH; a name with a slash is always taken as it is. */
bool program_in_path(struct text *file, const char *name);

/* Puts the path of the program NAME into PATH: what the variable VARIABLE says, else beside this
 * program, else in FOLDER, where make install puts it. Returns false, with the last one tried,
 * where it is not there. */
bool program_find(struct text *path, const char *variable, const char *name, const char *folder);

#endif

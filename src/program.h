/* Finds the programs and files that belong to this one. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

#include "text.h"

/* Puts the path of the program NAME into PATH: what the variable VARIABLE says, else beside this
 * program, else in FOLDER, where make install puts it. Returns false, with the last one tried,
 * where it is not there. */
bool program_find(struct text *path, const char *variable, const char *name, const char *folder);

#endif

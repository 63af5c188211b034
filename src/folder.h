/* The private folder of one run: everything that a program and its children write for themselves.
 * There is one a process, of mode 0700. It is removed at exit, also where memory runs out, unless
 * folder_keep was called. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>

/* Makes the folder in the directory of the file BESIDE, and returns its path, which is good for a
 * ninja value; a null pointer after a message on failure. Where the directory's name cannot stand
 * in a ninja file (it holds a newline), and where BESIDE is no regular file, or a link to one
 * (/dev/stdin is beside devices), the folder is made in $TMPDIR or /tmp. */
const char *folder_make(const char *beside);

/* Makes the folder NAME.XXXXXX in DIRECTORY, and removes those of that name that others of the same
 * user have left there because they were killed. An owner holds a lock on its folder as long as it
 * lives, and nothing else tells whether it does; where the system has no such locks, none is
 * removed but one's own. Returns a descriptor of the folder, to be left open until the process
 * ends; or -1, errno set. */
int folder_claim(const char *directory, const char *name);

/* The path of the folder; a null pointer where there is none. */
const char *folder_path(void);

/* Makes the empty file NAME in the folder. Returns false, errno set, where it cannot. */
bool folder_add_file(const char *name);

/* Removes the folder now, with all that is in it. Does nothing where there is none. */
void folder_remove(void);

/* Leaves the folder where it is. */
void folder_keep(void);

#endif

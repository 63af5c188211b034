/* The private folder of one run: everything that dtlto-ninja and ninja write for themselves. */
#ifndef FOLDER_H
#define FOLDER_H

/* Makes the folder in the directory of the file BESIDE, mode 0700, and returns its path, which is
 * good for a ninja value; a null pointer after a message on failure. Where the directory's name
 * cannot stand in a ninja file (it holds a newline), and where BESIDE is no regular file, or a link
 * to one (/dev/stdin is beside devices), the folder is made in $TMPDIR or /tmp. There is one a
 * process; it is removed at exit, unless folder_keep was called. */
const char *folder_make(const char *beside);

/* Removes the folder now, with all that is in it. Does nothing where there is none. */
void folder_remove(void);

/* Leaves the folder where it is. */
void folder_keep(void);

#endif

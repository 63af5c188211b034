/* Slots for compilations that a farm did not do: as many at a time as this machine has processors,
 * whatever -j says. */
#ifndef SLOTS_H
#define SLOTS_H

/* Waits for a slot of the file "slots" in FOLDER, which dtlto-ninja has made and all jobs of a link
 * share; or, where that is not there (a manifest run by hand), of one that all such jobs of this
 * user share. $DTLTO_CLANG_SLOTS says how many slots there are, or the processors that may be used.
 * Returns a descriptor that holds the slot until it is closed, or this process ends; -1 where there
 * is none to be had, or a signal came while it waited. */
int slots_take(const char *folder);

#endif

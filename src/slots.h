/* Slots for compilations that a farm did not do: as many at a time as this machine has processors,
 * whatever -j says. */
#ifndef SLOTS_H
#define SLOTS_H

/* Waits for a slot of the file "slots" in FOLDER, which all share and dtlto-ninja has made; without
 * it there are none, and no bound. $DTLTO_CLANG_SLOTS says how many there are, or the processors
 * that may be used. Returns a descriptor that holds the slot until it is closed, or this process
 * ends; -1 where there is none to be had, or a signal came while it waited. */
int slots_take(const char *folder);

#endif

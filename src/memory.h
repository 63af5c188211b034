/* Allocation that ends the program with a message and status 3 where memory runs out. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* SIZE bytes, not cleared. The caller frees them. */
void *allocate(size_t size);

/* OLD (or a null pointer) resized to COUNT elements of SIZE bytes. The caller frees the result. */
void *reallocate(void *old, size_t count, size_t size);

/* A copy of the string TEXT. The caller frees it. */
char *duplicate(const char *text);

/* Makes room for one more element in an array that doubles as it grows: ITEMS holds COUNT elements
 * of SIZE bytes and has room for *ROOM. Returns the array, which may have moved. */
void *grow(void *items, size_t count, size_t *room, size_t size);

/* Ends the program: for allocations that a library made. Never returns. */
_Noreturn void out_of_memory(void);

#endif

#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

_Noreturn void out_of_memory(void)
{
    static const char text[] = ": out of memory\n";

    /* message() allocates. */
    if (write(STDERR_FILENO, program_name, strlen(program_name)) > 0)
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
    exit(STATUS_SYSTEM);
}

void *allocate(size_t size)
{
    return reallocate(NULL, 1, size);
}

void *reallocate(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    size_t bytes = count * size;
    void *result = realloc(old, bytes > 0 ? bytes : 1);
    if (!result)
        out_of_memory();
    return result;
}

char *duplicate(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size), text, size);
}

void *grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    if (*room > SIZE_MAX / 2)
        out_of_memory();
    *room = *room ? *room * 2 : 16;
    return reallocate(items, *room, size);
}

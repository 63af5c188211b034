/* WebAssembly: the binary format of the specification, and of tool-conventions/Linking.md what
 * makes it an object. */
#include <inttypes.h>
#include <string.h>

#include "object-file.h"

enum { CUSTOM = 0, MOST_DIGITS = 5 };

/* Reads an unsigned LEB128 of at most 32 bits; *AT is moved behind it. */
static bool read_number(struct object_file *file, uint64_t *at, uint64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < MOST_DIGITS; i++) {
        const unsigned char *byte = object_bytes(file, (*at)++, 1, "a section's size");
        if (!byte)
            return false;
        *number |= (uint64_t)(*byte & 0x7f) << (7 * i);
        if (!(*byte & 0x80))
            return true;
    }
    return object_is_damaged(file, "is damaged: a section's size is no number");
}

/* Whether the custom section with this content is called "linking". */
static bool is_linking(struct object_file *file, uint64_t at, uint64_t size)
{
    static const char name[] = "\7linking";
    const unsigned char *bytes = size >= sizeof name - 1
                                     ? object_bytes(file, at, sizeof name - 1, "a section's name")
                                     : NULL;

    return bytes && memcmp(bytes, name, sizeof name - 1) == 0;
}

bool object_wasm(struct object_file *file, uint64_t *machine)
{
    const unsigned char *header = object_bytes(file, 0, 8, "the header");
    bool is_object = false;
    uint64_t at = 8, size;

    *machine = 0;
    if (!header)
        return false;
    if (object_number(file, header + 4, 4) != 1)
        return object_is_damaged(file, "is damaged: it is of no version that there is");
    for (long index = 1; at < file->size; index++) {
        const unsigned char *kind = object_bytes(file, at++, 1, "a section");
        bool is_custom = kind && *kind == CUSTOM;
        if (!kind || !read_number(file, &at, &size) ||
            !object_holds(file, at, 1, size, "section", index))
            return false;
        is_object |= is_custom && is_linking(file, at, size);
        at += size;
    }
    return is_object || object_is_damaged(file, "is cut short: it has no section 'linking'");
}

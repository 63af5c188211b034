/* COFF: Microsoft's PE Format; the header of a big object is ANON_OBJECT_HEADER_BIGOBJ of winnt.h.
 */
#include <string.h>

#include "object-file.h"

enum {
    SECTION_SIZE = 40,
    RELOCATION_SIZE = 10,
    UNINITIALIZED = 0x80,          /* IMAGE_SCN_CNT_UNINITIALIZED_DATA */
    MORE_RELOCATIONS = 0x01000000, /* IMAGE_SCN_LNK_NRELOC_OVFL */
    MOST_RELOCATIONS = 0xffff,
};

static const unsigned char big_class[16] = {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b,
                                            0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8};

struct header {
    uint64_t size, sections, symbols_at, symbols, symbol_size;
};

static bool read_small(struct object_file *file, struct header *header, uint64_t *machine)
{
    const unsigned char *bytes = object_bytes(file, 0, 20, "the header");

    if (!bytes)
        return false;
    *machine = object_number(file, bytes, 2);
    header->size = 20 + object_number(file, bytes + 16, 2);
    header->sections = object_number(file, bytes + 2, 2);
    header->symbols_at = object_number(file, bytes + 8, 4);
    header->symbols = object_number(file, bytes + 12, 4);
    header->symbol_size = 18;
    return true;
}

static bool read_big(struct object_file *file, struct header *header, uint64_t *machine)
{
    const unsigned char *bytes = object_bytes(file, 0, 56, "the header");

    if (!bytes)
        return false;
    if (memcmp(bytes + 12, big_class, sizeof big_class) != 0)
        return object_is_damaged(file, "is COFF, but no object");
    *machine = object_number(file, bytes + 6, 2);
    header->size = 56;
    header->sections = object_number(file, bytes + 44, 4);
    header->symbols_at = object_number(file, bytes + 48, 4);
    header->symbols = object_number(file, bytes + 52, 4);
    header->symbol_size = 20;
    return true;
}

/* Where there are more relocations than the header of the section can count, the first one holds
 * their number. */
static bool check_relocations(struct object_file *file, uint64_t offset, uint64_t count,
                              uint64_t flags, long index)
{
    if (flags & MORE_RELOCATIONS && count == MOST_RELOCATIONS) {
        const unsigned char *first = object_bytes(file, offset, RELOCATION_SIZE, "a relocation");
        if (!first)
            return false;
        count = object_number(file, first, 4);
    }
    return object_holds(file, offset, count, RELOCATION_SIZE, "the relocations of section", index);
}

static bool check_section(struct object_file *file, uint64_t at, long index)
{
    const unsigned char *bytes = object_bytes(file, at, SECTION_SIZE, "the table of sections");

    if (!bytes)
        return false;
    uint64_t size = object_number(file, bytes + 16, 4), offset = object_number(file, bytes + 20, 4);
    uint64_t relocations_at = object_number(file, bytes + 24, 4);
    uint64_t relocations = object_number(file, bytes + 32, 2);
    uint64_t flags = object_number(file, bytes + 36, 4);
    bool has_bits = !(flags & UNINITIALIZED) && offset > 0;
    return (!has_bits || object_holds(file, offset, 1, size, "section", index)) &&
           check_relocations(file, relocations_at, relocations, flags, index);
}

/* The table of strings is behind the symbols and ends the file; it begins with its size. */
static bool check_symbols(struct object_file *file, const struct header *header)
{
    if (header->symbols_at == 0)
        return object_is_damaged(file, "is damaged: it has no symbols");
    if (!object_holds(file, header->symbols_at, header->symbols, header->symbol_size,
                      "the table of symbols", -1))
        return false;
    uint64_t strings = header->symbols_at + header->symbols * header->symbol_size;
    const unsigned char *bytes = object_bytes(file, strings, 4, "the table of strings");
    return bytes && object_holds(file, strings, 1, object_number(file, bytes, 4),
                                 "the table of strings", -1);
}

bool object_coff(struct object_file *file, uint64_t *machine)
{
    const unsigned char *bytes = object_bytes(file, 0, 4, "the header");
    struct header header = {0};

    if (!bytes)
        return false;
    bool is_big = memcmp(bytes, "\0\0\377\377", 4) == 0;
    if (!(is_big ? read_big(file, &header, machine) : read_small(file, &header, machine)))
        return false;
    if (!object_holds(file, header.size, header.sections, SECTION_SIZE, "the table of sections",
                      -1))
        return false;
    for (uint64_t i = 0; i < header.sections; i++) {
        if (!check_section(file, header.size + i * SECTION_SIZE, (long)i + 1))
            return false;
    }
    return check_symbols(file, &header);
}

/* ELF: System V ABI, chapter 4, and gABI's rules for more sections than 16 bits count. */
#include <inttypes.h>

#include "object-file.h"

enum {
    TYPE_RELOCATABLE = 1,     /* ET_REL */
    SECTION_NONE = 0,         /* SHT_NULL */
    SECTION_STRINGS = 3,      /* SHT_STRTAB */
    SECTION_NO_BITS = 8,      /* SHT_NOBITS */
    INDEX_ELSEWHERE = 0xffff, /* SHN_XINDEX */
};

/* Where the fields of the two classes are. */
struct layout {
    size_t header_size, offset_at, entry_size_at, count_at, names_at; /* of the header */
    size_t section_size, section_offset_at, section_size_at, link_at; /* of a section's */
    size_t width;
};

static const struct layout narrow = {52, 32, 46, 48, 50, 40, 16, 20, 24, 4};
static const struct layout wide = {64, 40, 58, 60, 62, 64, 24, 32, 40, 8};

struct section {
    uint64_t name, type, offset, size, link;
};

/* The table of sections. */
struct table {
    const struct layout *layout;
    uint64_t offset, count, names;
};

static bool read_section(struct object_file *file, const struct table *table, uint64_t index,
                         struct section *section)
{
    const struct layout *layout = table->layout;
    const unsigned char *bytes = object_bytes(file, table->offset + index * layout->section_size,
                                              layout->section_size, "the table of sections");

    if (!bytes)
        return false;
    section->name = object_number(file, bytes, 4);
    section->type = object_number(file, bytes + 4, 4);
    section->offset = object_number(file, bytes + layout->section_offset_at, layout->width);
    section->size = object_number(file, bytes + layout->section_size_at, layout->width);
    section->link = object_number(file, bytes + layout->link_at, 4);
    return true;
}

/* Finds the table of sections. What does not fit into the header stands in section 0. */
static bool find_table(struct object_file *file, struct table *table)
{
    const struct layout *layout = table->layout;
    const unsigned char *header = object_bytes(file, 0, layout->header_size, "the header");
    struct section first;

    if (!header)
        return false;
    table->offset = object_number(file, header + layout->offset_at, layout->width);
    table->count = object_number(file, header + layout->count_at, 2);
    table->names = object_number(file, header + layout->names_at, 2);
    if (table->offset == 0)
        return object_is_damaged(file, "is damaged: it has no sections");
    if (object_number(file, header + layout->entry_size_at, 2) != layout->section_size)
        return object_is_damaged(file, "is damaged: the size of a section's header is wrong");
    if (!object_holds(file, table->offset, 1, layout->section_size, "the table of sections", -1) ||
        !read_section(file, table, 0, &first))
        return false;
    if (first.type != SECTION_NONE)
        return object_is_damaged(file, "is damaged: section 0 is not the empty one");
    if (table->count == 0)
        table->count = first.size;
    if (table->names == INDEX_ELSEWHERE)
        table->names = first.link;
    if (table->names == 0 || table->names >= table->count)
        return object_is_damaged(file, "is damaged: it has no names of sections");
    return object_holds(file, table->offset, table->count, layout->section_size,
                        "the table of sections", -1);
}

bool object_elf(struct object_file *file, uint64_t *machine)
{
    const unsigned char *header = object_bytes(file, 0, 20, "the header");
    struct table table = {0};
    struct section names, section;

    if (!header)
        return false;
    if (header[4] < 1 || header[4] > 2 || header[5] < 1 || header[5] > 2)
        return object_is_damaged(file, "is damaged: its header is of no class that there is");
    table.layout = header[4] == 1 ? &narrow : &wide;
    file->big_endian = header[5] == 2;
    *machine = object_number(file, header + 18, 2);
    uint64_t type = object_number(file, header + 16, 2);
    if (type != TYPE_RELOCATABLE)
        return object_is_damaged(file, "is no relocatable object, but of ELF's type %" PRIu64,
                                 type);
    if (!find_table(file, &table) || !read_section(file, &table, table.names, &names))
        return false;
    if (names.type != SECTION_STRINGS)
        return object_is_damaged(file, "is damaged: section %" PRIu64 " does not hold names",
                                 table.names);
    for (uint64_t i = 1; i < table.count; i++) {
        if (!read_section(file, &table, i, &section))
            return false;
        if (section.type == SECTION_NONE)
            continue;
        if (section.name >= names.size)
            return object_is_damaged(file, "is damaged: section %" PRIu64 " has no name", i);
        if (section.type != SECTION_NO_BITS &&
            !object_holds(file, section.offset, 1, section.size, "section", (long)i))
            return false;
    }
    return true;
}

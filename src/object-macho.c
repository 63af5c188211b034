/* Mach-O: Apple's mach-o/loader.h. */
#include <inttypes.h>

#include "object-file.h"

enum {
    TYPE_OBJECT = 1, /* MH_OBJECT */
    SEGMENT = 0x1,   /* the load commands' LC_SEGMENT and so on */
    SYMBOLS = 0x2,
    DYNAMIC_SYMBOLS = 0xb,
    WIDE_SEGMENT = 0x19,
    DATA_IN_CODE = 0x29,
    OPTIMIZATION_HINTS = 0x2e,
    ZERO_FILL = 0x1, /* types of sections that have no bytes in the file */
    BIG_ZERO_FILL = 0xc,
    THREAD_ZERO_FILL = 0x12,
    RELOCATION_SIZE = 8,
};

/* Where the fields of a segment and of its sections are, narrow and wide. */
struct layout {
    size_t header_size, segment_size, offset_at, size_at, width, count_at;
    size_t section_size, section_size_at, section_offset_at, symbol_size;
};

static const struct layout narrow = {28, 56, 32, 36, 4, 48, 68, 36, 40, 12};
static const struct layout wide = {32, 72, 40, 48, 8, 64, 80, 40, 48, 16};

/* One load command. */
struct command {
    uint64_t at, kind, size;
};

static bool check_section(struct object_file *file, const struct layout *layout, uint64_t at,
                          long index)
{
    const unsigned char *bytes = object_bytes(file, at, layout->section_size, "a section's header");

    if (!bytes)
        return false;
    /* offset, alignment, relocations' offset and count, flags: four bytes each. */
    const unsigned char *fields = bytes + layout->section_offset_at;
    uint64_t size = object_number(file, bytes + layout->section_size_at, layout->width);
    uint64_t offset = object_number(file, fields, 4);
    uint64_t relocations_at = object_number(file, fields + 8, 4);
    uint64_t relocations = object_number(file, fields + 12, 4);
    uint64_t type = object_number(file, fields + 16, 4) & 0xff;
    bool has_bits = type != ZERO_FILL && type != BIG_ZERO_FILL && type != THREAD_ZERO_FILL;
    return (!has_bits || object_holds(file, offset, 1, size, "section", index)) &&
           object_holds(file, relocations_at, relocations, RELOCATION_SIZE,
                        "the relocations of section", index);
}

static bool check_segment(struct object_file *file, const struct layout *layout,
                          const struct command *command, long *sections)
{
    const unsigned char *bytes =
        object_bytes(file, command->at, layout->segment_size, "a segment's header");

    if (!bytes)
        return false;
    uint64_t offset = object_number(file, bytes + layout->offset_at, layout->width);
    uint64_t size = object_number(file, bytes + layout->size_at, layout->width);
    uint64_t count = object_number(file, bytes + layout->count_at, 4);
    if (layout->segment_size + count * layout->section_size > command->size)
        return object_is_damaged(file, "is damaged: a segment has more sections than room");
    if (!object_holds(file, offset, 1, size, "the segment", -1))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = command->at + layout->segment_size + i * layout->section_size;
        if (!check_section(file, layout, at, ++*sections))
            return false;
    }
    return true;
}

/* COUNT_AT: where in the command a count of things of SIZE bytes is; in front of it is the place of
 * these. */
static bool check_table(struct object_file *file, const struct command *command, size_t count_at,
                        uint64_t size, const char *part)
{
    const unsigned char *bytes = object_bytes(file, command->at, count_at + 4, "a load command");

    return bytes && object_holds(file, object_number(file, bytes + count_at - 4, 4),
                                 object_number(file, bytes + count_at, 4), size, part, -1);
}

static bool check_command(struct object_file *file, const struct layout *layout,
                          const struct command *command, long *sections)
{
    switch (command->kind) {
    case SEGMENT:
    case WIDE_SEGMENT:
        return check_segment(file, layout, command, sections);
    case SYMBOLS:
        return check_table(file, command, 12, layout->symbol_size, "the table of symbols") &&
               check_table(file, command, 20, 1, "the table of strings");
    case DYNAMIC_SYMBOLS:
        return check_table(file, command, 60, 4, "the table of indirect symbols");
    case DATA_IN_CODE:
        return check_table(file, command, 12, 1, "the table of data in code");
    case OPTIMIZATION_HINTS:
        return check_table(file, command, 12, 1, "the table of optimization hints");
    default:
        return true;
    }
}

bool object_macho(struct object_file *file, uint64_t *machine)
{
    const unsigned char *bytes = object_bytes(file, 0, narrow.header_size, "the header");
    long sections = 0;

    if (!bytes)
        return false;
    file->big_endian = bytes[0] == 0xfe;
    const struct layout *layout = object_number(file, bytes, 4) == 0xfeedfacf ? &wide : &narrow;
    *machine = object_number(file, bytes + 4, 4);
    uint64_t type = object_number(file, bytes + 12, 4);
    uint64_t count = object_number(file, bytes + 16, 4), size = object_number(file, bytes + 20, 4);
    if (type != TYPE_OBJECT)
        return object_is_damaged(file, "is no relocatable object, but of Mach-O's type %" PRIu64,
                                 type);
    if (!object_holds(file, layout->header_size, 1, size, "the load commands", -1))
        return false;
    struct command command = {.at = layout->header_size};
    for (uint64_t i = 0; i < count; i++, command.at += command.size) {
        bytes = object_bytes(file, command.at, 8, "a load command");
        if (!bytes)
            return false;
        command.kind = object_number(file, bytes, 4);
        command.size = object_number(file, bytes + 4, 4);
        if (command.size < 8 || command.at + command.size > layout->header_size + size)
            return object_is_damaged(file, "is damaged: load command %" PRIu64 " has no room", i);
        if (!check_command(file, layout, &command, &sections))
            return false;
    }
    return sections > 0 || object_is_damaged(file, "is damaged: it has no sections");
}

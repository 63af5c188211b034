#include "bitcode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "text.h"

/* LLVM's include/llvm/Bitcode/LLVMBitCodes.h and Bitstream/BitCodeEnums.h. */
enum {
    END_BLOCK = 0,
    ENTER_SUBBLOCK = 1,
    DEFINE_ABBREV = 2,
    UNABBREV_RECORD = 3,
    FIRST_ABBREV = 4,
    MODULE_BLOCK = 8,
    MODULE_STRTAB_BLOCK = 19,
    STRTAB_BLOCK = 23,
    MST_CODE_ENTRY = 1,
    TOP_WIDTH = 2,
    /* Bounds on what is taken from the file; the real shards stay far below. */
    MAX_ABBREVS = 64,
    MAX_OPERANDS = 64,
    MAX_WIDTH = 32,
};

/* A file in memory. */
struct image {
    const unsigned char *data;
    size_t size;
    int error; /* an errno value, 0 where the file is there */
};

static struct image map(const char *path)
{
    struct image image = {0};
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &info) != 0) {
        image.error = errno;
    } else if (S_ISREG(info.st_mode) && info.st_size > 0) {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            image.error = errno;
        else
            image = (struct image){data, (size_t)info.st_size, 0};
    }
    if (fd >= 0)
        close(fd);
    return image;
}

static void unmap(struct image image)
{
    if (image.data)
        munmap((void *)(uintptr_t)image.data, image.size);
}

/* Reads bits from the low ends of little-endian words. Past the end it reads zeros and says so. */
struct bits {
    const unsigned char *data;
    size_t end; /* in bits */
    size_t at;
    bool past_end;
};

static uint64_t fixed(struct bits *bits, unsigned width)
{
    uint64_t value = 0;

    if (width > bits->end - bits->at) {
        bits->past_end = true;
        bits->at = bits->end;
        return 0;
    }
    for (unsigned i = 0; i < width; i++, bits->at++)
        value |= (uint64_t)(bits->data[bits->at / 8] >> bits->at % 8 & 1) << i;
    return value;
}

static uint64_t vbr(struct bits *bits, unsigned width)
{
    uint64_t value = 0, more = UINT64_C(1) << (width - 1);

    for (unsigned shift = 0; shift < 64; shift += width - 1) {
        uint64_t part = fixed(bits, width);
        value |= (part & (more - 1)) << shift;
        if (!(part & more))
            break;
    }
    return value;
}

static void align(struct bits *bits)
{
    size_t aligned = (bits->at + 31) / 32 * 32;
    if (aligned > bits->end)
        bits->past_end = true;
    bits->at = aligned > bits->end ? bits->end : aligned;
}

struct block {
    unsigned id;
    unsigned width; /* of the abbreviation ids inside */
    size_t end;     /* in bits, from the start of the file */
};

/* Reads the head of a block, behind ENTER_SUBBLOCK. */
static struct block enter(struct bits *bits)
{
    struct block block;
    block.id = (unsigned)vbr(bits, 8);
    block.width = (unsigned)vbr(bits, 4);
    align(bits);
    size_t words = (size_t)fixed(bits, 32);
    if (block.width < 2 || block.width > MAX_WIDTH || words > (bits->end - bits->at) / 32)
        bits->past_end = true;
    block.end = bits->past_end ? bits->end : bits->at + words * 32;
    return block;
}

static uint32_t word_at(const struct image *image, size_t offset)
{
    const unsigned char *c = image->data + offset;
    return (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
}

/* Starts reading behind the magic number. Returns BITCODE_WHOLE where there is one. */
static enum bitcode start(const struct image *image, struct bits *bits)
{
    size_t offset = 0, size = image->size;

    /* A wrapper, as Apple's targets have it, names the part of the file that is bitcode. */
    if (size >= 4 && word_at(image, 0) == 0x0b17c0de) {
        if (size < 20)
            return BITCODE_TRUNCATED;
        offset = word_at(image, 8);
        size = word_at(image, 12);
        if (offset > image->size || size > image->size - offset)
            return BITCODE_TRUNCATED;
    }
    if (size < 4)
        return BITCODE_TRUNCATED;
    if (word_at(image, offset) != 0xdec04342)
        return BITCODE_FOREIGN;
    *bits = (struct bits){.data = image->data + offset, .end = size * 8, .at = 32};
    return BITCODE_WHOLE;
}

static enum bitcode examine_blocks(struct bits *bits)
{
    bool modules = false, strings = false;

    while (bits->at < bits->end && !bits->past_end) {
        if (fixed(bits, TOP_WIDTH) != ENTER_SUBBLOCK)
            return BITCODE_TRUNCATED;
        struct block block = enter(bits);
        modules |= block.id == MODULE_BLOCK;
        strings |= block.id == STRTAB_BLOCK;
        bits->at = block.end;
    }
    /* Every writer since LLVM 5 puts a string table behind the module. */
    return bits->past_end || !modules || !strings ? BITCODE_TRUNCATED : BITCODE_WHOLE;
}

enum bitcode bitcode_examine(const char *path)
{
    struct image image = map(path);
    struct bits bits;
    enum bitcode result = BITCODE_EMPTY;

    if (image.error)
        return image.error == ENOENT || image.error == ENOTDIR ? BITCODE_MISSING
                                                               : BITCODE_UNREADABLE;
    if (image.size > 0)
        result = start(&image, &bits);
    if (result == BITCODE_WHOLE)
        result = examine_blocks(&bits);
    unmap(image);
    return result;
}

/* How one operand of an abbreviated record is written. */
enum encoding { LITERAL, FIXED = 1, VBR = 2, ARRAY = 3, CHAR6 = 4, BLOB = 5 };

struct operand {
    enum encoding encoding;
    uint64_t value; /* of a literal, or the width */
};

struct abbreviation {
    size_t count;
    struct operand operands[MAX_OPERANDS];
};

static bool define(struct bits *bits, struct abbreviation *abbreviation)
{
    uint64_t count = vbr(bits, 5);

    if (count == 0 || count > MAX_OPERANDS)
        return false;
    abbreviation->count = (size_t)count;
    for (size_t i = 0; i < count; i++) {
        struct operand *operand = &abbreviation->operands[i];
        if (fixed(bits, 1)) {
            *operand = (struct operand){LITERAL, vbr(bits, 8)};
            continue;
        }
        uint64_t encoding = fixed(bits, 3);
        if (encoding < FIXED || encoding > BLOB)
            return false;
        *operand = (struct operand){(enum encoding)encoding, 0};
        if (encoding == FIXED || encoding == VBR)
            operand->value = vbr(bits, 5);
        if (operand->value > MAX_WIDTH || (encoding == VBR && operand->value < 2))
            return false;
    }
    return !bits->past_end;
}

static uint64_t read_operand(struct bits *bits, const struct operand *operand)
{
    static const char char6[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

    switch (operand->encoding) {
    case LITERAL:
        return operand->value;
    case FIXED:
        return fixed(bits, (unsigned)operand->value);
    case VBR:
        return vbr(bits, (unsigned)operand->value);
    case CHAR6:
        return (unsigned char)char6[fixed(bits, 6)];
    default:
        return 0;
    }
}

/* A record: its code, and its operands but the first, as characters. */
struct record {
    uint64_t code;
    struct text characters;
};

static void take_operand(struct record *record, size_t index, uint64_t value)
{
    if (index == 0)
        record->code = value;
    else if (index > 1) /* 1 is the module's number */
        text_putc(&record->characters, (char)value);
}

/* The element type of an array is the operand behind it. */
static bool read_array(struct bits *bits, const struct operand *element, struct record *record,
                       size_t *index)
{
    uint64_t length = vbr(bits, 6);
    bool takes_bits = element->encoding == CHAR6 || element->encoding == VBR ||
                      (element->encoding == FIXED && element->value > 0);

    /* Elements of no bits could be as many as a damaged file says. */
    if (!takes_bits || length > bits->end - bits->at)
        return false;
    for (uint64_t i = 0; i < length && !bits->past_end; i++)
        take_operand(record, (*index)++, read_operand(bits, element));
    return true;
}

static bool read_abbreviated(struct bits *bits, const struct abbreviation *abbreviation,
                             struct record *record)
{
    size_t index = 0;

    for (size_t i = 0; i < abbreviation->count; i++) {
        const struct operand *operand = &abbreviation->operands[i];
        if (operand->encoding == BLOB)
            return false; /* no module path is written so */
        if (operand->encoding == ARRAY)
            return i + 2 == abbreviation->count && read_array(bits, operand + 1, record, &index) &&
                   !bits->past_end;
        take_operand(record, index++, read_operand(bits, operand));
    }
    return !bits->past_end;
}

static bool read_plain(struct bits *bits, struct record *record)
{
    uint64_t code = vbr(bits, 6), count = vbr(bits, 6);

    take_operand(record, 0, code);
    for (uint64_t i = 0; i < count && !bits->past_end; i++)
        take_operand(record, (size_t)i + 1, vbr(bits, 6));
    return !bits->past_end;
}

/* Reads the records of a MODULE_STRTAB_BLOCK. */
static bool read_modules(struct bits *bits, struct block block,
                         bool (*each)(void *context, const char *module), void *context)
{
    struct abbreviation *abbreviations = allocate(MAX_ABBREVS * sizeof *abbreviations);
    struct record record = {0};
    size_t count = 0;
    bool good = true, more = true;

    while (good && more) {
        uint64_t id = fixed(bits, block.width);
        text_clear(&record.characters);
        if (bits->past_end || id == END_BLOCK) {
            good = !bits->past_end;
            break;
        } else if (id == DEFINE_ABBREV) {
            good = count < MAX_ABBREVS && define(bits, &abbreviations[count]);
            count++;
            continue;
        } else if (id == UNABBREV_RECORD) {
            good = read_plain(bits, &record);
        } else {
            good = id >= FIRST_ABBREV && id - FIRST_ABBREV < count &&
                   read_abbreviated(bits, &abbreviations[id - FIRST_ABBREV], &record);
        }
        if (good && record.code == MST_CODE_ENTRY)
            more = each(context, record.characters.data);
    }
    text_free(&record.characters);
    free(abbreviations);
    return good;
}

/* Finds the MODULE_STRTAB_BLOCK in the module block, where LLVM writes nothing in front of it but
 * unabbreviated records and other blocks. */
static bool find_modules(struct bits *bits, struct block block,
                         bool (*each)(void *context, const char *module), void *context)
{
    struct record record = {0};
    bool good = true;

    while (good && bits->at < block.end) {
        uint64_t id = fixed(bits, block.width);
        if (id == UNABBREV_RECORD) {
            text_clear(&record.characters);
            good = read_plain(bits, &record);
        } else if (id == ENTER_SUBBLOCK) {
            struct block inner = enter(bits);
            if (!bits->past_end && inner.id == MODULE_STRTAB_BLOCK) {
                good = read_modules(bits, inner, each, context);
                break;
            }
            bits->at = inner.end;
            good = !bits->past_end;
        } else {
            good = false;
        }
    }
    text_free(&record.characters);
    return good;
}

bool bitcode_each_module(const char *path, bool (*each)(void *context, const char *module),
                         void *context)
{
    struct image image = map(path);
    struct bits bits;
    bool good = image.data && start(&image, &bits) == BITCODE_WHOLE;

    while (good && bits.at < bits.end) {
        good = fixed(&bits, TOP_WIDTH) == ENTER_SUBBLOCK;
        if (!good)
            break;
        struct block block = enter(&bits);
        if (!bits.past_end && block.id == MODULE_BLOCK) {
            good = find_modules(&bits, block, each, context);
            break;
        }
        bits.at = block.end;
        good = !bits.past_end;
    }
    unmap(image);
    return good;
}

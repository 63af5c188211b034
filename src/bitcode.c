#include "bitcode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bitstream.h"
#include "text.h"

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
    *bits = (struct bits){.data = image->data + offset, .at = MAGIC_BITS, .end = size * 8};
    return BITCODE_WHOLE;
}

static enum bitcode examine_blocks(struct bits *bits)
{
    bool modules = false, strings = false;
    struct block block;

    while (bits->at < bits->end) {
        if (!bits_read_block(bits, &block))
            return BITCODE_TRUNCATED;
        modules |= block.id == MODULE_BLOCK;
        strings |= block.id == STRTAB_BLOCK;
    }
    /* Every writer since LLVM 5 puts a string table behind the module. */
    return !modules || !strings ? BITCODE_TRUNCATED : BITCODE_WHOLE;
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

/* Reads the records of the MODULE_STRTAB_BLOCK. */
static bool read_modules(const struct bits *bits, struct block block,
                         bool (*each)(void *context, const char *module), void *context)
{
    struct block_reader reader;
    struct text path = {0};
    enum block_item item = BLOCK_RECORD;
    bool more = true;

    block_open(&reader, bits, block);
    while (more && (item = block_next(&reader)) == BLOCK_RECORD) {
        if (reader.record.code != MST_CODE_ENTRY)
            continue;
        text_clear(&path);
        for (size_t i = 1; i < reader.record.count; i++)
            text_putc(&path, (char)reader.record.operands[i]);
        more = each(context, path.data);
    }
    block_close(&reader);
    text_free(&path);
    return !more || item == BLOCK_END;
}

/* Finds the MODULE_STRTAB_BLOCK in the module block. */
static bool find_modules(const struct bits *bits, struct block block,
                         bool (*each)(void *context, const char *module), void *context)
{
    struct block_reader reader;
    enum block_item item;
    bool found = false;

    block_open(&reader, bits, block);
    do {
        item = block_next(&reader);
        found = item == BLOCK_INNER && reader.inner.id == MODULE_STRTAB_BLOCK;
    } while (!found && item != BLOCK_END && item != BLOCK_DAMAGED);
    struct block names = reader.inner;
    block_close(&reader);
    return found && read_modules(bits, names, each, context);
}

bool bitcode_each_module(const char *path, bool (*each)(void *context, const char *module),
                         void *context)
{
    struct image image = map(path);
    struct bits bits;
    struct block block = {0};
    bool good = image.data && start(&image, &bits) == BITCODE_WHOLE;

    while (good && block.id != MODULE_BLOCK)
        good = bits_read_block(&bits, &block);
    good = good && find_modules(&bits, block, each, context);
    unmap(image);
    return good;
}

void bitcode_symbol_table(const char *path, off_t *start_byte, off_t *end_byte)
{
    struct image image = map(path);
    struct bits bits;
    struct block block;
    bool good = image.size > 0 && start(&image, &bits) == BITCODE_WHOLE && bits.data == image.data;

    *start_byte = *end_byte = 0;
    while (good && bits.at < bits.end) {
        size_t before = bits.at;
        good = bits_read_block(&bits, &block);
        if (good && block.id == SYMTAB_BLOCK) {
            *start_byte = (off_t)(before / 8);
            *end_byte = (off_t)(block.end / 8);
        }
    }
    if (!good)
        *start_byte = *end_byte = 0;
    unmap(image);
}

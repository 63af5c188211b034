/* An object file while it is looked at, part by part: what the readers of the formats share. */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { OBJECT_WINDOW = 16384 };

struct object_file {
    int fd;
    uint64_t size;
    bool big_endian;
    struct text *problem; /* gets what is wrong, once */
    uint64_t start;       /* of the part that is in memory */
    size_t count;
    unsigned char window[OBJECT_WINDOW];
};

/* Fetches LENGTH bytes at OFFSET, at most OBJECT_WINDOW, which are good until the next call.
 * Returns a null pointer, with the problem said, where the file ends before or cannot be read; PART
 * is what they are, for people. */
const unsigned char *object_bytes(struct object_file *file, uint64_t offset, size_t length,
                                  const char *part);

/* Whether the COUNT things of SIZE bytes each at OFFSET, which are the PART of section INDEX (a
 * negative number: of no section), lie in the file; says so where they do not. */
bool object_holds(struct object_file *file, uint64_t offset, uint64_t count, uint64_t size,
                  const char *part, long index);

/* The number of WIDTH bytes (at most 8) at BYTES, in the order of the file. */
uint64_t object_number(const struct object_file *file, const unsigned char *bytes, size_t width);

/* Says that the file is no good for another reason than its size. Returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool object_is_damaged(struct object_file *file, const char *format, ...);

/* The formats: each looks at a file that begins as one, sets *MACHINE to what its header says of
 * the machine, and returns whether all that the headers speak of lies in the file. */
bool object_elf(struct object_file *file, uint64_t *machine);
bool object_coff(struct object_file *file, uint64_t *machine);
bool object_macho(struct object_file *file, uint64_t *machine);
bool object_wasm(struct object_file *file, uint64_t *machine);

#endif

/* The bytes of a bundle that comes in, before libarchive sees any of them.
 *
 * libarchive reads every kind of tar: links and devices, sizes of 96 bits, sparse files, names and
 * sizes that are said elsewhere, types that nobody knows. A bundle has none of that, so that all
 * but the plainest is stopped here. */
#ifndef BUNDLE_INPUT_H
#define BUNDLE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with {.fd = FD}, a descriptor that stays the caller's. */
struct bundle_input {
    int fd;
    uint64_t left;       /* of a member's bytes */
    size_t zeros;        /* that have come at the end */
    const char *problem; /* why there is no more; static, or a text of strerror */
    char buffer[65536];
};

/* Gives the next bytes, which are valid until the next call, through DATA, and returns their
 * number: a header of POSIX's ustar format, of a regular file with a name of at most 100 bytes and
 * a size of 11 octal digits; or bytes of such a file, padded to whole blocks; or zeros at the end,
 * two blocks at least. Behind these it returns 0. Returns -1 with the PROBLEM, and again when
 * called again, where something else comes, or a signal that signals.h has caught. */
ptrdiff_t bundle_input_read(struct bundle_input *input, const void **data);

#endif

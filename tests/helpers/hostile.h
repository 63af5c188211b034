/* What the makers of hostile bundles have to make them with. See hostile.c. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { BLOCK = 512, MOST_MEMBERS = 32, REFUSED = 120, NO_COMPILER = 121 };

/* Where the fields of a header are. */
enum {
    NAME = 0,
    SIZE = 124,
    SUM = 148,
    TYPE = 156,
    LINK = 157,
    MAGIC = 257,
    PREFIX = 345,
    PAD = 500,
};

#define NOT_THOSE "not a bundle: its members are not those that its head says"
#define LARGER    "not a bundle: its members are larger than its head says"

/* The good bundle: its head, its index, and modules. */
struct member {
    char name[32];
    struct text data;
};
extern struct member members[MOST_MEMBERS];
extern size_t member_count;

extern const char *mark; /* a path that is not there */
extern const char *kind; /* of the bundles that are made now */

_Noreturn void die(const char *what, const char *which);

/* Puts the bytes into a file, with a line for it. A MESSAGE that ends in "..." is only the start of
 * one. TITLE is not empty, and like MESSAGE without control characters. */
void keep(const char *title, int status, const char *message, const struct text *bundle);

/* Each appends to BUNDLE: a header as it should be, but for its type, which is returned; bytes,
 * filled up to whole blocks; blocks of zeros; a member; the members from FROM to before TO. */
char *add_header(struct text *bundle, const char *name, char type, uint64_t size);
void add_data(struct text *bundle, const char *data, size_t length);
void add_zeros(struct text *bundle, size_t blocks);
void add_member(struct text *bundle, const struct member *member);
void add_members(struct text *bundle, size_t from, size_t to);

/* The caller frees it. */
struct text good_bundle(void);

/* A copy of at most MOST bytes of TEXT, as a message shows them. The caller frees it. */
struct text visible(const char *text, size_t most);

/* Keeps the good bundle with the first FROM in its head made TO, of LENGTH bytes. */
void change_head(const char *title, const char *from, const char *to, size_t length, int status,
                 const char *message);

/* Keeps the good bundle with LENGTH BYTES at PLACE in the last member's header. */
void change_header(const char *title, size_t place, const char *bytes, size_t length,
                   const char *message);

/* Make all of them. */
void make_texts(void);
void make_archives(void);

#endif

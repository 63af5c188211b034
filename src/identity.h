/* Which clang a compiler is: bitcode and code generation are not exchanged between versions. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>

/* Two compilers with the same two texts make the same objects. Start with {0}. */
struct identity {
    char *version; /* owned; the first line of --version: vendor, version, package or revision */
    char *target;  /* owned; what it compiles for unless told otherwise */
};

/* Runs COMPILER, and in front of the option its SUBCOMMAND unless that is a null pointer, with
 * --version. Returns false, with IDENTITY empty, where it does not answer as a clang does. The
 * caller frees IDENTITY with identity_free in any case. */
bool identity_ask(struct identity *identity, const char *compiler, const char *subcommand);

/* Reads it from TEXT: what --version prints, or what identity_text returned. */
bool identity_read(struct identity *identity, const char *text);

/* In two lines, as identity_read takes it. The caller frees it. */
char *identity_text(const struct identity *identity);

bool identity_same(const struct identity *a, const struct identity *b);
void identity_free(struct identity *identity);

#endif

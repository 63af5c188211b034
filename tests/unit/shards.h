/* What the tests of bitcode have in common: index shards that are built bit by bit, by nothing of
 * the program, and real ones that lld writes. */
#ifndef SHARDS_H
#define SHARDS_H

#include "unit.h"

/* A writer of bitcode: bits from the low ends of bytes. */
struct writer {
    struct text bytes;
    unsigned used; /* bits of the last byte; 0: all */
};

static inline void put(struct writer *w, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        if (w->used == 0)
            text_putc(&w->bytes, 0);
        unsigned char *last = (unsigned char *)&w->bytes.data[w->bytes.length - 1];
        *last = (unsigned char)(*last | (value >> i & 1) << w->used);
        w->used = (w->used + 1) % 8;
    }
}

static inline void put_vbr(struct writer *w, uint64_t value, unsigned width)
{
    uint64_t more = UINT64_C(1) << (width - 1);

    for (; value >= more; value >>= width - 1)
        put(w, (value & (more - 1)) | more, width);
    put(w, value, width);
}

static inline void put_align(struct writer *w)
{
    w->used = 0;
    while (w->bytes.length % 4 != 0)
        text_putc(&w->bytes, 0);
}

/* Begins a block in one whose abbreviation ids have OUTER bits; its own have 3. Returns where its
 * length is. */
static inline size_t begin_block(struct writer *w, unsigned outer, uint64_t id)
{
    put(w, 1, outer);
    put_vbr(w, id, 8);
    put_vbr(w, 3, 4);
    put_align(w);
    size_t place = w->bytes.length;
    put(w, 0, 32);
    return place;
}

static inline void end_block(struct writer *w, size_t place)
{
    put(w, 0, 3);
    put_align(w);
    size_t words = (w->bytes.length - place) / 4 - 1;
    for (size_t i = 0; i < 4; i++)
        w->bytes.data[place + i] = (char)(words >> 8 * i & 255);
}

enum { FIXED = 1, VBR = 2, ARRAY = 3, CHAR6 = 4, BLOB = 5 };

static inline void put_encoding(struct writer *w, unsigned encoding, unsigned width)
{
    put(w, 0, 1);
    put(w, encoding, 3);
    if (encoding == FIXED || encoding == VBR)
        put_vbr(w, width, 5);
}

static inline void put_literal(struct writer *w, uint64_t value)
{
    put(w, 1, 1);
    put_vbr(w, value, 8);
}

/* Defines the abbreviation of an entry as LLVM does: its code, the module's number, and an array
 * whose elements have an encoding that is put behind this. */
static inline void define_entry(struct writer *w)
{
    put(w, 2, 3);
    put_vbr(w, 4, 5);
    put_literal(w, 1);
    put_encoding(w, VBR, 8);
    put_encoding(w, ARRAY, 0);
}

/* Puts the NAME of module number MODULE in the abbreviation ID: its characters have WIDTH bits, and
 * with CHAR6 their code. */
static inline void put_entry(struct writer *w, unsigned id, unsigned module, const char *name,
                             unsigned width, bool char6)
{
    static const char codes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

    put(w, id, 3);
    put_vbr(w, module, 8);
    put_vbr(w, strlen(name), 6);
    for (const char *c = name; *c; c++)
        put(w, char6 ? (uint64_t)(strchr(codes, *c) - codes) : (unsigned char)*c, width);
}

/* Puts an unabbreviated record of COUNT numbers. */
static inline void put_record(struct writer *w, uint64_t code, size_t count, const uint64_t *values)
{
    put(w, 3, 3);
    put_vbr(w, code, 6);
    put_vbr(w, count, 6);
    for (size_t i = 0; i < count; i++)
        put_vbr(w, values[i], 6);
}

/* Puts an unabbreviated record of a number and a name. */
static inline void put_plain(struct writer *w, unsigned code, uint64_t module, const char *name)
{
    put(w, 3, 3);
    put_vbr(w, code, 6);
    put_vbr(w, strlen(name) + 1, 6);
    put_vbr(w, module, 6);
    for (const char *c = name; *c; c++)
        put_vbr(w, (unsigned char)*c, 6);
}

/* A shard up to the inside of its MODULE_STRTAB_BLOCK (19), in the module block (8), behind the
 * version (1). */
struct places {
    size_t module, names;
};

static inline struct places begin_shard(struct writer *w)
{
    struct places places;

    text_write(&w->bytes, "BC\300\336", 4);
    places.module = begin_block(w, 2, 8);
    put_record(w, 1, 1, &(uint64_t){2});
    places.names = begin_block(w, 3, 19);
    return places;
}

/* The rest of the shard: a summary (20) of one record, and an empty string table (23). */
static inline void finish_shard(struct writer *w, struct places places)
{
    end_block(w, places.names);
    size_t summary = begin_block(w, 3, 20);
    put_plain(w, 10, 12, "a record");
    end_block(w, summary);
    end_block(w, places.module);
    end_block(w, begin_block(w, 2, 23));
}

/* What a module has for its hash. */
static const uint64_t hash[] = {0xffffffff, 0, 1, 0x80000000, 31};

/* The abbreviations of LLVM: 4, 5 and 6 for names with 8, 7 and 6 bits a character, 7 for hashes.
 */
static inline void define_all(struct writer *w)
{
    define_entry(w);
    put_encoding(w, FIXED, 8);
    define_entry(w);
    put_encoding(w, FIXED, 7);
    define_entry(w);
    put_encoding(w, CHAR6, 0);
    put(w, 2, 3);
    put_vbr(w, 6, 5);
    put_literal(w, 2);
    for (int i = 0; i < 5; i++)
        put_encoding(w, FIXED, 32);
}

static inline void put_hash(struct writer *w)
{
    put(w, 7, 3);
    for (size_t i = 0; i < LENGTH(hash); i++)
        put(w, hash[i], 32);
}

/* As LLVM writes it: three names with 6, 7 and 8 bits a character, of which two have hashes. */
static inline struct writer ordinary_shard(const char *const *names)
{
    struct writer w = {0};
    struct places places = begin_shard(&w);

    define_all(&w);
    put_entry(&w, 6, 0, names[0], 6, true);
    put_hash(&w);
    put_entry(&w, 5, 1, names[1], 7, false);
    put_entry(&w, 4, 2, names[2], 8, false);
    put_hash(&w);
    finish_shard(&w, places);
    return w;
}

/* Compiles SOURCE to the bitcode file NAME, with one more option. */
static inline void compile(const char *source, const char *option, const char *name)
{
    struct text output;

    write_string("source.c", source);
    int status = run_both(
        LIST("clang-22", "-flto=thin", "-O2", option, "-c", "source.c", "-o", name), &output, true);
    if (status != 0)
        print_message("# clang: %.500s\n", output.data);
    text_free(&output);
    assert_int_equal(status, 0);
}

/* A distributor that keeps the shards and does nothing else. */
static const char copy_shards[] = "#!/bin/sh\n"
                                  "for f in *.thinlto.bc; do cp \"$f\" \"${f%%.*}.shard\"; done\n"
                                  "exit 1\n";

/* Links MAIN.o with modules under three NAMES that it imports from, just so far that lld writes
 * the index shards: they are then "main.shard" and so on. */
static inline void make_shards(const char *const *names)
{
    static const char *const functions[] = {"f", "g", "h"};
    struct text code = {0}, option = {0}, output;

    for (int i = 0; i < 3; i++) {
        text_clear(&code);
        text_printf(&code, "int %s(int x) { return x + %d; }", functions[i], i);
        compile(code.data, "-O2", names[i]);
    }
    text_clear(&code);
    text_puts(&code, "int f(int), g(int), h(int); int main(void) { return f(g(h(1))); }");
    compile(code.data, "-O2", "main.o");
    write_string("distributor", copy_shards);
    assert_int_equal(chmod("distributor", 0755), 0);
    text_printf(&option, "-fthinlto-distributor=%s/distributor", unit_folder);
    /* No libraries: the link must get so far without them. Its end is lld's error. */
    int status =
        run_both(LIST("clang-22", "-O2", "-flto=thin", "-fuse-ld=lld", "-nostdlib", "-Wl,-e,main",
                      "main.o", names[0], names[1], names[2], "-o", "prog", option.data),
                 &output, true);
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_non_null(strstr(output.data, "distributor execution failed"));
    text_free(&code);
    text_free(&option);
    text_free(&output);
}

static inline void need_shards(void)
{
    need_program("clang-22");
    need_program("ld.lld-22");
}

#endif

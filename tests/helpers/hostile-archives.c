/* Hostile archives: members, headers, and what is no bundle at all. */
#include "hostile.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that a member may not have. */
static void make_names(void)
{
    static const char *const names[] = {
        "/etc/passwd",
        "//m0000001",
        "../m0000001",
        "../../here/x",
        "../../../../../../../../tmp/x",
        "./m0000001",
        "m0000001/..",
        "m0000001/.",
        "a/m0000001",
        "a/../m0000001",
        ".",
        "..",
        "...",
        "object",
        "dtlto-bundle",
        "index.bc",
        "m000001",
        "m00000001",
        "M0000001",
        "x0000001",
        "m000000a",
        "m00000-1",
        "m0000001.o",
        "-o",
        "--config=x",
        "@m",
        " m0000001",
        "m0000001 ",
        "m\n000001",
        "m\033[2J\a",
        "m0000001\r",
        "\377\376",
        "\303\251",
        "C:\\m0000001",
        "..\\m0000001",
        "._m0000001",
        "GNUSparseFile.0/m0000001",
        "~/x",
        "$HOME",
        "`id`",
    };
    char name[101];

    kind = "name";
    for (size_t i = 0; i < LENGTH(names) + 2; i++) {
        struct text message = {0};
        memset(name, i == LENGTH(names) ? 'm' : '/', 100);
        name[100] = '\0';
        if (i < LENGTH(names))
            snprintf(name, sizeof name, "%s", names[i]);
        else if (i > LENGTH(names))
            snprintf(name, sizeof name, "%s", mark);
        struct text shown = visible(name, SIZE_MAX);
        text_printf(&message, "not a bundle: a member of the name '%s'", shown.data);
        memset(name + strlen(name), 0, sizeof name - strlen(name));
        change_header(shown.data, NAME, name, 100, message.data);
        text_free(&message);
        text_free(&shown);
    }
    change_header("no name", NAME, "\0\0\0\0\0\0\0\0", 8, "not a bundle: a member of the name ''");
    change_header("a name for a folder", NAME, "m0000001/", 9,
                  "not a bundle: a member is no regular file");
    change_header("the name of the index, again", NAME, "index\0\0\0", 8,
                  "not a bundle: a member of the name 'index'");
    change_header("a name that was there", NAME, members[2].name, 8,
                  "cannot write 'm0000000': File exists");
    static const char plain[] = "not a bundle: a member's name is not a plain one";
    change_header("more behind a name", NAME, "m0000001\0/../../x", 17, plain);
    change_header("a prefix ..", PREFIX, "..", 2, plain);
    change_header("a prefix /etc", PREFIX, "/etc", 4, plain);
    change_header("a prefix that does not begin at once", PREFIX, "\0/etc", 5, plain);
    change_header("something in the padding", PAD, "x", 1, plain);
}

#define NO_FILE "not a bundle: a member is no regular file"
#define NO_SIZE "not a bundle: a member's size is not a plain one"
#define FORMAT  "not a bundle: a member is not in the format ustar"
#define EARLY   "not a bundle: it ends too early"
#define BEHIND  "not a bundle: there is more behind its end"

/* Types that a member may not have. */
static void make_types(void)
{
    static const struct {
        const char *title, *link;
        char type;
    } types[] = {
        {"a hard link to /etc/passwd", "/etc/passwd", '1'},
        {"a hard link to a member", "m0000000", '1'},
        {"a hard link to what is above", "../../here/secret", '1'},
        {"a hard link to nothing", "", '1'},
        {"a symbolic link to /etc/passwd", "/etc/passwd", '2'},
        {"a symbolic link to what is above", "../../here/secret", '2'},
        {"a symbolic link to the object", "object", '2'},
        {"a symbolic link to itself", "m0000001", '2'},
        {"a character device", "", '3'},
        {"a block device", "", '4'},
        {"a folder", "", '5'},
        {"a fifo", "", '6'},
        {"a contiguous file", "", '7'},
        {"a file of the old format", "", '\0'},
        {"a file with a link's name", "/etc/passwd", '0'},
        {"a file of a type that nobody knows", "", '9'},
        {"a file of a type of one's own", "", 'A'},
        {"a Solaris ACL", "", 'A'},
        {"a GNU dump of a folder", "", 'D'},
        {"a Solaris extended attribute", "", 'E'},
        {"a Solaris inode", "", 'I'},
        {"a GNU continuation", "", 'M'},
        {"a GNU old long name", "", 'N'},
        {"a GNU sparse file", "", 'S'},
        {"a GNU volume", "", 'V'},
        {"a Solaris extension", "", 'X'},
        {"a type above ASCII", "", '\377'},
    };

    kind = "type";
    for (size_t i = 0; i < LENGTH(types); i++) {
        char fields[1 + 100] = {types[i].type};
        memcpy(fields + 1, types[i].link, strlen(types[i].link));
        change_header(types[i].title, TYPE, fields, sizeof fields, NO_FILE);
    }
}

/* Sizes, sums and formats that a header may not have. */
static void make_fields(void)
{
    static const struct {
        const char *title;
        size_t place;
        const char *bytes;
        size_t length;
        const char *message;
    } fields[] = {
        {"a size of 8 GiB", SIZE, "77777777777", 11, LARGER},
        {"a size in 96 bits", SIZE, "\200\0\0\0\0\0\0\0\0\0\0\1", 12, NO_SIZE},
        {"a size of 2 to the 63rd", SIZE, "\200\0\0\0\200\0\0\0\0\0\0\0", 12, NO_SIZE},
        {"a size below 0", SIZE, "\377\377\377\377\377\377\377\377\377\377\377\377", 12, NO_SIZE},
        {"a size of -1 in digits", SIZE, "-0000000001", 11, NO_SIZE},
        {"a size in other digits", SIZE, "00000000009", 11, NO_SIZE},
        {"a size in hexadecimal", SIZE, "0x00000000a", 11, NO_SIZE},
        {"a size with blanks", SIZE, "          5", 11, NO_SIZE},
        {"a size that is blank", SIZE, "            ", 12, NO_SIZE},
        {"a size that is not there", SIZE, "\0\0\0\0\0\0\0\0\0\0\0", 12, NO_SIZE},
        {"a size that ends early", SIZE, "0000001\0\0\0\0", 12, NO_SIZE},
        {"a size of 12 digits", SIZE, "000000000007", 12, NO_SIZE},
        {"a size with a plus", SIZE, "+0000000001", 11, NO_SIZE},
        {"a size of nothing", SIZE, "00000000000", 11, "not a bundle: ..."},
        {"a wrong sum", SUM, "000000\0 ", 8, "not a bundle: ..."},
        {"a sum of letters", SUM, "abcdefgh", 8, "not a bundle: ..."},
        {"no sum", SUM, "\0\0\0\0\0\0\0\0", 8, "not a bundle: ..."},
        {"a sum in 64 bits", SUM, "\200\0\0\0\0\0\0\0", 8, "not a bundle: ..."},
        {"GNU's format", MAGIC, "ustar  ", 8, FORMAT},
        {"no format", MAGIC, "\0\0\0\0\0\0\0\0", 8, FORMAT},
        {"ustar of another version", MAGIC, "ustar\00001", 8, FORMAT},
        {"ustar without a version", MAGIC, "ustar\0\0\0", 8, FORMAT},
        {"a magic in other letters", MAGIC, "USTAR\00000", 8, FORMAT},
    };

    kind = "field";
    for (size_t i = 0; i < LENGTH(fields); i++)
        change_header(fields[i].title, fields[i].place, fields[i].bytes, fields[i].length,
                      fields[i].message);
}

/* The good bundle with a member of TYPE and its DATA in front of the member BEFORE. */
static void insert(const char *title, size_t before, char type, const char *name, const char *data,
                   size_t length, const char *message)
{
    struct text bundle = {0};

    add_members(&bundle, 0, before);
    add_header(&bundle, name, type, length);
    add_data(&bundle, data, length);
    add_members(&bundle, before, member_count);
    add_zeros(&bundle, 2);
    keep(title, REFUSED, message, &bundle);
    text_free(&bundle);
}

/* What says something about the member behind it, or is one too many. */
static void make_insertions(void)
{
    static const struct {
        const char *title;
        char type;
        const char *data;
        size_t length;
    } extensions[] = {
        {"GNU long name", 'L', "../../here/x", 13},
        {"GNU long name, a good one", 'L', "m0000001", 9},
        {"GNU long name without a NUL", 'L', "m0000001", 8},
        {"GNU long name of nothing", 'L', "", 0},
        {"GNU long link", 'K', "/etc/passwd", 12},
        {"GNU volume header", 'V', "", 0},
        {"GNU sparse file, old format", 'S', "x", 1},
        {"pax path", 'x', "20 path=../../here/x\n", 21},
        {"pax absolute path", 'x', "20 path=/etc/passwd\n", 20},
        {"pax link", 'x', "24 linkpath=/etc/passwd\n", 24},
        {"pax size", 'x', "10 size=1\n", 10},
        {"pax huge size", 'x', "28 size=9223372036854775807\n", 28},
        {"pax size below 0", 'x', "11 size=-1\n", 11},
        {"pax sparse 0.0", 'x', "24 GNU.sparse.numblocks=1\n24 GNU.sparse.size=99999\n", 51},
        {"pax sparse 0.1", 'x', "25 GNU.sparse.map=0,9999\n", 25},
        {"pax sparse 1.0", 'x', "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n", 44},
        {"pax sparse name", 'x', "30 GNU.sparse.name=../here/xx\n", 30},
        {"pax sparse size", 'x', "33 GNU.sparse.realsize=99999999999\n", 35},
        {"pax attribute", 'x', "30 SCHILY.xattr.user.x=abcdef\n", 30},
        {"pax character set", 'x', "21 hdrcharset=BINARY\n", 21},
        {"pax comment", 'x', "13 comment=x\n", 13},
        {"pax record that is cut off", 'x', "99 path=x\n", 10},
        {"pax record of no length", 'x', "path=x\n", 7},
        {"pax record of a huge length", 'x', "99999999999999999999 path=x\n", 28},
        {"pax with a NUL", 'x', "12 path=\0bc\n", 12},
        {"pax of nothing", 'x', "", 0},
        {"pax for all", 'g', "20 path=../../here/x\n", 21},
        {"pax size for all", 'g', "10 size=1\n", 10},
        {"Sun's pax", 'X', "20 path=/etc/passwd\n", 20},
    };

    kind = "extension";
    for (size_t i = 0; i < LENGTH(extensions); i++)
        insert(extensions[i].title, member_count - 1, extensions[i].type, "x", extensions[i].data,
               extensions[i].length, NO_FILE);
    insert("pax for all, in front", 0, 'g', "x", "13 comment=x\n", 13, NO_FILE);
    insert("a volume header in front", 0, 'V', "x", "", 0, NO_FILE);
    insert("a long name for the head", 0, 'L', "././@LongLink", "dtlto-bundle", 13, NO_FILE);

    kind = "member";
    insert("a symbolic link, and a file through it", member_count - 1, '2', "m0000001", "", 0,
           NO_FILE);
    insert("a folder in front of all", 0, '5', "m0000001/", "", 0, NO_FILE);
    insert("another head", 1, '0', "dtlto-bundle", members[0].data.data, members[0].data.length,
           "not a bundle: a member of the name 'dtlto-bundle'");
    insert("one too many", 1, '0', "f0000000", "", 0, "not a bundle: ...");
    insert("one too many at the end", member_count, '0', "f0000000", "", 0, NOT_THOSE);
    insert("one with bytes at the end", member_count, '0', "f0000000", "x", 1, NOT_THOSE);
    insert("something in front of the head", 0, '0', "README", "x", 1,
           "not a bundle: it does not begin with 'dtlto-bundle'");
}

/* The good bundle's members in another order, or not all of them. */
static void keep_order(const char *title, const size_t *order, size_t count, const char *message)
{
    struct text bundle = {0};

    for (size_t i = 0; i < count; i++)
        add_member(&bundle, &members[order[i]]);
    add_zeros(&bundle, 2);
    keep(title, REFUSED, message, &bundle);
    text_free(&bundle);
}

static void make_orders(void)
{
    size_t order[MOST_MEMBERS], rest = member_count - 1;
    static const char missing[] = "not a whole bundle: a member is missing";

    for (size_t i = 0; i < member_count; i++)
        order[i] = i;
    keep_order("the last one is missing", order, rest, missing);
    keep_order("the head alone", order, 1, missing);
    keep_order("the head is missing", order + 1, rest,
               "not a bundle: it does not begin with 'dtlto-bundle'");
    order[1] = 2;
    order[2] = 1;
    keep_order("the index comes late", order, member_count,
               "not a bundle: a member of the name 'index'");
    order[1] = 2;
    order[2] = 2;
    keep_order("a member for the index, and again", order, member_count,
               "cannot write 'm0000000': File exists");
}

/* What is behind the last member, or in the place of everything. */
static void make_ends(void)
{
    struct text bundle = {0}, good = good_bundle();
    size_t whole = good.length - 2 * BLOCK;
    static const struct {
        const char *title;
        size_t zeros;
        const char *message;
    } ends[] = {
        {"no end", 0, EARLY},
        {"half of an end", 1, EARLY},
        {"zeros and zeros", 1 << 12, BEHIND},
    };

    kind = "end";
    for (size_t i = 0; i < LENGTH(ends); i++) {
        text_clear(&bundle);
        text_write(&bundle, good.data, whole);
        add_zeros(&bundle, ends[i].zeros);
        keep(ends[i].title, REFUSED, ends[i].message, &bundle);
    }
    text_clear(&bundle);
    text_write(&bundle, good.data, good.length);
    text_write(&bundle, good.data, good.length);
    keep("twice the same", REFUSED, BEHIND, &bundle);
    text_clear(&bundle);
    text_write(&bundle, good.data, good.length);
    add_header(&bundle, "../../here/x", '0', 0);
    keep("a member behind the end", REFUSED, BEHIND, &bundle);
    text_clear(&bundle);
    text_write(&bundle, good.data, whole);
    add_zeros(&bundle, 1);
    text_write(&bundle, good.data, good.length);
    keep("a member behind half of an end", REFUSED, "not a bundle: ...", &bundle);
    text_clear(&bundle);
    text_write(&bundle, good.data, good.length);
    text_putc(&bundle, 'x');
    keep("a byte behind the end", REFUSED, BEHIND, &bundle);
    text_clear(&bundle);
    text_putc(&bundle, '\0');
    text_write(&bundle, good.data, good.length);
    keep("a byte in front", REFUSED, "not a bundle: ...", &bundle);
    text_clear(&bundle);
    add_zeros(&bundle, 1);
    text_write(&bundle, good.data, good.length);
    keep("zeros in front", REFUSED, "not a ...", &bundle);
    text_free(&bundle);
    text_free(&good);
}

/* Things that are too large or too many, or say that they are. */
static void make_large(void)
{
    struct text bundle = {0}, line = {0};
    struct member old = members[0];

    kind = "large";
    for (int i = 0; i < 20000; i++)
        text_puts(&line, "option -O2\n");
    text_puts(&line, "end\n");
    change_head("20000 options", "end\n", line.data, line.length, REFUSED,
                "not a bundle: too much in its head");
    text_clear(&line);
    for (int i = 0; i < 1000; i++)
        text_printf(&line, "place m%07d a/%d/b\n", i, i);
    text_puts(&line, "end\n");
    change_head("1000 places", "end\n", line.data, line.length, REFUSED,
                "not a bundle: too much in its head");
    text_clear(&line);
    text_puts(&line, "place m0000000 a");
    for (int i = 0; i < 100; i++)
        text_puts(&line, "/a");
    text_puts(&line, "\nend\n");
    change_head("a place 100 folders deep", "end\n", line.data, line.length, REFUSED,
                "not a bundle: no good place: ...");
    text_clear(&line);
    text_puts(&line, "place m0000000 ");
    for (int i = 0; i < 300; i++)
        text_putc(&line, 'a');
    text_puts(&line, "\nend\n");
    change_head("a place with a name of 300 bytes", "end\n", line.data, line.length, REFUSED,
                "not a bundle: no good place: ...");
    text_clear(&line);
    text_puts(&line, "option -");
    for (int i = 0; i < 100000; i++)
        text_putc(&line, 'a');
    change_head("an option of 100000 bytes", "option -O2", line.data, line.length, REFUSED,
                "the option '-aaaa...");
    text_clear(&line);
    text_puts(&line, "module ");
    for (int i = 0; i < 100000; i++)
        text_puts(&line, "\377");
    text_puts(&line, "\noption ");
    change_head("a module's name of 100000 bytes", "module ", line.data, line.length, REFUSED,
                "not a bundle: no module '\\xff\\xff...");
    text_clear(&line);
    text_puts(&line, "compiler ");
    for (int i = 0; i < 100000; i++)
        text_puts(&line, "\033");
    change_head("a compiler's name of 100000 bytes", "compiler ", line.data, line.length,
                NO_COMPILER, "the compiler is not here: \\x1b...");

    /* A head of 17 MiB, and one that says so. */
    members[0].data = (struct text){0};
    text_write(&members[0].data, old.data.data, old.data.length);
    for (int i = 0; i < 17 << 20; i++)
        text_putc(&members[0].data, '\n');
    bundle = good_bundle();
    keep("a head of 17 MiB", REFUSED, "not a bundle: it does not begin with 'dtlto-bundle'",
         &bundle);
    text_free(&members[0].data);
    members[0] = old;
    text_clear(&bundle);
    add_header(&bundle, "dtlto-bundle", '0', UINT64_C(077777777777));
    keep("a head of 8 GiB", REFUSED, "not a bundle: it does not begin with 'dtlto-bundle'",
         &bundle);
    text_clear(&bundle);
    add_header(&bundle, "dtlto-bundle", '0', 0);
    add_members(&bundle, 1, member_count);
    keep("a head of nothing", REFUSED, "a bundle of another format: '' instead of 'dtlto-bundle 1'",
         &bundle);

    /* Members that say they are large, as the head does, and are not. */
    static const char huge[] = "members 1\nbytes 8589934591\nmodule m0000000\nend\n";
    members[0].data = (struct text){0};
    text_write(&members[0].data, old.data.data,
               (size_t)(strstr(old.data.data, "members ") - old.data.data));
    text_puts(&members[0].data, huge);
    text_clear(&bundle);
    add_member(&bundle, &members[0]);
    add_header(&bundle, "m0000000", '0', UINT64_C(077777777777));
    add_zeros(&bundle, 4);
    keep("a member of 8 GiB that does not come", REFUSED, EARLY, &bundle);
    text_free(&members[0].data);
    members[0] = old;

    text_clear(&bundle);
    add_member(&bundle, &members[0]);
    for (int i = 0; i < 20000; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%07d", i);
        add_header(&bundle, name, '0', 0);
    }
    add_zeros(&bundle, 2);
    keep("20000 members", REFUSED, "not a bundle: ...", &bundle);
    text_free(&bundle);
    text_free(&line);
}

/* The good bundle, cut off at each block and within it. */
static void make_cuts(void)
{
    struct text bundle = {0}, good = good_bundle(), title = {0};

    kind = "cut";
    for (size_t i = 0; i < good.length; i += BLOCK) {
        for (size_t more = 0; more <= BLOCK - 1; more += BLOCK - 1) {
            text_clear(&bundle);
            text_write(&bundle, good.data, i + more);
            text_clear(&title);
            text_printf(&title, "at %zu", i + more);
            keep(title.data, REFUSED, EARLY, &bundle);
        }
    }
    text_free(&bundle);
    text_free(&good);
    text_free(&title);
}

/* The members in an archive that libarchive makes of the FORMAT, through the FILTER. */
static void make_archive(const char *title, int (*format)(struct archive *),
                         int (*filter)(struct archive *))
{
    struct archive *archive = archive_write_new();
    size_t room = 1 << 22, used = 0;
    struct text bundle = {0};
    char *data = malloc(room);

    if (!archive || !data || format(archive) != ARCHIVE_OK || filter(archive) != ARCHIVE_OK ||
        archive_write_open_memory(archive, data, room, &used) != ARCHIVE_OK)
        die("libarchive does not make", title);
    for (size_t i = 0; i < member_count; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, members[i].name);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, (la_int64_t)members[i].data.length);
        archive_entry_set_mtime(entry, 1, 1); /* pax is ustar where it need not be more */
        if (archive_write_header(archive, entry) < ARCHIVE_WARN ||
            archive_write_data(archive, members[i].data.data, members[i].data.length) < 0)
            die("libarchive does not make", title);
        archive_entry_free(entry);
    }
    if (archive_write_close(archive) != ARCHIVE_OK)
        die("libarchive does not make", title);
    archive_write_free(archive);
    text_write(&bundle, data, used);
    keep(title, REFUSED, "not a ...", &bundle);
    text_free(&bundle);
    free(data);
}

static int zip_format(struct archive *archive)
{
    return archive_write_set_format_zip(archive);
}

static void make_formats(void)
{
    static const struct {
        const char *title, *data;
        size_t length;
    } others[] = {
        {"nothing", "", 0},
        {"a NUL", "", 1},
        {"C", "int f(void) { return 0; }\n", 26},
        {"a program", "\177ELF\2\1\1", 7},
        {"bitcode", "BC\300\336\65\24\0\0", 8},
        {"its text alone", "dtlto-bundle 1\ncompiler x\ntarget x\n", 35},
        {"a script", "#!/bin/sh\n", 10},
        {"the magic of gzip", "\37\213\10\0", 4},
        {"UTF-16", "\377\376d\0t\0l\0", 8},
    };
    struct text bundle = {0};

    kind = "format";
    make_archive("ustar, with gzip", archive_write_set_format_ustar, archive_write_add_filter_gzip);
    make_archive("ustar, with bzip2", archive_write_set_format_ustar,
                 archive_write_add_filter_bzip2);
    make_archive("ustar, with xz", archive_write_set_format_ustar, archive_write_add_filter_xz);
    make_archive("ustar, with lzma", archive_write_set_format_ustar, archive_write_add_filter_lzma);
    make_archive("ustar, with zstd", archive_write_set_format_ustar, archive_write_add_filter_zstd);
    make_archive("ustar, with compress", archive_write_set_format_ustar,
                 archive_write_add_filter_compress);
    make_archive("ustar, with uuencode", archive_write_set_format_ustar,
                 archive_write_add_filter_uuencode);
    make_archive("ustar, with base64", archive_write_set_format_ustar,
                 archive_write_add_filter_b64encode);
    make_archive("GNU tar", archive_write_set_format_gnutar, archive_write_add_filter_none);
    make_archive("tar of version 7", archive_write_set_format_v7tar, archive_write_add_filter_none);
    make_archive("pax", archive_write_set_format_pax, archive_write_add_filter_none);
    make_archive("cpio", archive_write_set_format_cpio, archive_write_add_filter_none);
    make_archive("cpio, new", archive_write_set_format_cpio_newc, archive_write_add_filter_none);
    make_archive("ar", archive_write_set_format_ar_svr4, archive_write_add_filter_none);
    make_archive("zip", zip_format, archive_write_add_filter_none);
    make_archive("7zip", archive_write_set_format_7zip, archive_write_add_filter_none);
    make_archive("an image of a disc", archive_write_set_format_iso9660,
                 archive_write_add_filter_none);
    make_archive("shar", archive_write_set_format_shar, archive_write_add_filter_none);
    make_archive("mtree", archive_write_set_format_mtree, archive_write_add_filter_none);
    make_archive("warc", archive_write_set_format_warc, archive_write_add_filter_none);
    for (size_t i = 0; i < LENGTH(others); i++) {
        text_clear(&bundle);
        text_write(&bundle, others[i].data, others[i].length);
        keep(others[i].title, REFUSED, "not a bundle: ...", &bundle);
        /* The same, as long as a header. */
        struct text title = {0};
        text_printf(&title, "%s, and zeros", others[i].title);
        add_zeros(&bundle, 20);
        keep(title.data, REFUSED, "not a ...", &bundle);
        text_free(&title);
    }
    text_free(&bundle);
}

void make_archives(void)
{
    make_names();
    make_types();
    make_fields();
    make_insertions();
    make_orders();
    make_ends();
    make_large();
    make_cuts();
    make_formats();
}

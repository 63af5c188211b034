/* Makes hostile bundles of a good one, for tests of the far side.
 *
 * usage: hostile PARTS FOLDER MARK
 * PARTS holds the members of a good bundle. Each bundle goes into FOLDER as NNN.i, and a line of
 * FOLDER/list says what it is, with tabs between: the file's name, its kind, what is in it, the
 * status that it is refused with, and the message. The one of the kind "good" is not refused. Those
 * that want to write a file or have one read name MARK, a path that is not there.
 *
 * Headers are made here, byte by byte: no library writes what these need. */
#include "hostile.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "utf8.h"

const char program_name[] = "hostile";

struct member members[MOST_MEMBERS];
size_t member_count;
const char *mark, *kind;

static const char *folder;
static FILE *list;

_Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "hostile: %s: %s\n", what, which);
    exit(1);
}

void keep(const char *title, int status, const char *message, const struct text *bundle)
{
    static int number;
    struct text path = {0};

    text_printf(&path, "%s/%03d.i", folder, ++number);
    FILE *file = fopen(path.data, "wb");
    if (!file || fwrite(bundle->data, 1, bundle->length, file) != bundle->length || fclose(file))
        die("cannot write", path.data);
    fprintf(list, "%03d.i\t%s\t%s\t%d\t%s\n", number, kind, title, status, message);
    text_free(&path);
}

static void put_sum(char *header)
{
    unsigned sum = 0;

    memset(header + SUM, ' ', 8);
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    snprintf(header + SUM, 7, "%06o", sum);
}

char *add_header(struct text *bundle, const char *name, char type, uint64_t size)
{
    char header[BLOCK] = "";

    memcpy(header + NAME, name, strlen(name) < 100 ? strlen(name) : 100);
    strcpy(header + 100, "000644 ");
    strcpy(header + 108, "000000 ");
    strcpy(header + 116, "000000 ");
    snprintf(header + SIZE, 12, "%011" PRIo64, size);
    snprintf(header + 136, 12, "%011o", 0U);
    header[TYPE] = type;
    memcpy(header + MAGIC, "ustar\00000", 8);
    put_sum(header);
    text_write(bundle, header, BLOCK);
    return bundle->data + bundle->length - BLOCK;
}

void add_data(struct text *bundle, const char *data, size_t length)
{
    static const char zeros[BLOCK];

    text_write(bundle, data, length);
    text_write(bundle, zeros, (BLOCK - length % BLOCK) % BLOCK);
}

void add_zeros(struct text *bundle, size_t blocks)
{
    static const char zeros[BLOCK];

    for (size_t i = 0; i < blocks; i++)
        text_write(bundle, zeros, BLOCK);
}

void add_member(struct text *bundle, const struct member *member)
{
    add_header(bundle, member->name, '0', member->data.length);
    add_data(bundle, member->data.data, member->data.length);
}

void add_members(struct text *bundle, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        add_member(bundle, &members[i]);
}

struct text good_bundle(void)
{
    struct text bundle = {0};

    add_members(&bundle, 0, member_count);
    add_zeros(&bundle, 2);
    return bundle;
}

struct text visible(const char *text, size_t most)
{
    size_t length = strnlen(text, most), size;
    struct text result = {0};

    text_clear(&result);
    for (size_t i = 0; i < length; i += size) {
        const unsigned char *c = (const unsigned char *)text + i;
        size = utf8_sequence(c, length - i);
        if (*c == '\n' || *c == '\r' || *c == '\t')
            text_printf(&result, "\\%c", *c == '\n' ? 'n' : *c == '\r' ? 'r' : 't');
        else if (size == 0 || *c < ' ' || *c == 0x7f)
            text_printf(&result, "\\x%02x", *c);
        else
            text_write(&result, text + i, size);
        if (size == 0)
            size = 1;
    }
    return result;
}

void change_head(const char *title, const char *from, const char *to, size_t length, int status,
                 const char *message)
{
    struct text bundle = {0}, old = members[0].data;
    const char *found = strstr(old.data, from);

    if (!found)
        die("the head lacks", from);
    members[0].data = (struct text){0};
    text_write(&members[0].data, old.data, (size_t)(found - old.data));
    text_write(&members[0].data, to, length);
    text_puts(&members[0].data, found + strlen(from));
    bundle = good_bundle();
    keep(title, status, message, &bundle);
    text_free(&bundle);
    text_free(&members[0].data);
    members[0].data = old;
}

/* The last member's header, in the good bundle. */
static char *last_header(const struct text *bundle)
{
    size_t data = (members[member_count - 1].data.length + BLOCK - 1) / BLOCK * BLOCK;
    return bundle->data + bundle->length - 2 * BLOCK - data - BLOCK;
}

void change_header(const char *title, size_t place, const char *bytes, size_t length,
                   const char *message)
{
    struct text bundle = good_bundle();
    char *header = last_header(&bundle);

    memcpy(header + place, bytes, length);
    if (place != SUM)
        put_sum(header);
    keep(title, REFUSED, message, &bundle);
    text_free(&bundle);
}

static int is_member(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void read_members(const char *parts)
{
    struct dirent **entries;
    int count = scandir(parts, &entries, is_member, alphasort);

    for (int i = 0; i < count; i++) {
        struct text path = {0};
        if (member_count == MOST_MEMBERS || strlen(entries[i]->d_name) >= sizeof members->name)
            die("too much", parts);
        struct member *member = &members[member_count++];
        strcpy(member->name, entries[i]->d_name);
        text_printf(&path, "%s/%s", parts, entries[i]->d_name);
        if (text_read_file(&member->data, path.data) != 0)
            die("cannot read", path.data);
        text_free(&path);
        free(entries[i]);
    }
    free(entries);
    /* "dtlto-bundle", "index", "m0000000", ... */
    if (member_count < 4 || strcmp(members[2].name, "m0000000") != 0)
        die("no bundle with two modules", parts);
}

int main(int argc, char **argv)
{
    struct text path = {0};

    if (argc != 4)
        die("usage", "hostile PARTS FOLDER MARK");
    folder = argv[2];
    mark = argv[3];
    read_members(argv[1]);
    text_printf(&path, "%s/list", folder);
    list = fopen(path.data, "w");
    if (!list)
        die("cannot write", path.data);
    struct text bundle = good_bundle();
    kind = "good";
    keep("good", 0, "", &bundle);
    text_free(&bundle);
    make_texts();
    make_archives();
    if (fclose(list) != 0)
        die("cannot write", path.data);
    text_free(&path);
    for (size_t i = 0; i < member_count; i++)
        text_free(&members[i].data);
    return 0;
}

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle-format.h"
#include "bundle-input.h"
#include "bundle.h"
#include "deliver.h"
#include "memory.h"

enum {
    MOST_HEAD = 16 << 20, /* bytes of the first member */
    NAME_DIGITS = 7,
    MOST_OPTIONS = 4096,
};

/* What a bundle says may be long; messages are not. */
#define QUOTED "'%.80s'"

/* A bundle that is read. */
struct reader {
    struct bundle *bundle;
    struct archive *archive;
    struct bundle_input input;
    int folder;
    const struct bundle_limits *limits;
    uint64_t members, bytes; /* that there must be */
    uint64_t left;           /* of the bytes */
    uint64_t folders;        /* that were made */
    size_t places, placed;   /* how many members the head has named, and how many of them came */
    struct text *problem;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool refuse(struct reader *r, const char *format, ...)
{
    va_list arguments;

    text_clear(r->problem);
    va_start(arguments, format);
    text_vprintf(r->problem, format, arguments);
    va_end(arguments);
    return false;
}

static bool archive_failed(struct reader *r)
{
    const char *reason = archive_error_string(r->archive);
    return refuse(r, "not a bundle: %s", reason ? reason : "it ends too early");
}

/* Goes to the next member. */
static bool next_member(struct reader *r, const char **name, uint64_t *size)
{
    struct archive_entry *entry;
    int result = archive_read_next_header(r->archive, &entry);

    if (result == ARCHIVE_EOF)
        return refuse(r, "not a whole bundle: a member is missing");
    if (result != ARCHIVE_OK)
        return archive_failed(r);
    *name = archive_entry_pathname(entry);
    /* A directory is also what has a "/" at the end of its name. */
    if (!*name || archive_entry_filetype(entry) != AE_IFREG)
        return refuse(r, "not a bundle: a member is no regular file");
    *size = (uint64_t)archive_entry_size(entry);
    return true;
}

/* "m0000012", or "f0000000". */
static bool is_member_name(const char *name)
{
    return (name[0] == 'm' || name[0] == 'f') && strlen(name) == 1 + NAME_DIGITS &&
           strspn(name + 1, "0123456789") == NAME_DIGITS;
}

static struct bundle_member *find_member(struct bundle *bundle, const char *name)
{
    for (size_t i = 0; i < bundle->member_count; i++) {
        if (strcmp(bundle->members[i].name, name) == 0)
            return &bundle->members[i];
    }
    return NULL;
}

/* The head names members before they come: they are looked up at the end. */
static bool take_line(struct reader *r, const char *key, char *value)
{
    struct bundle *bundle = r->bundle;

    if (bundle->option_count == MOST_OPTIONS || bundle->member_count == r->members)
        return refuse(r, "not a bundle: too much in its head");
    if (strcmp(key, KEY_OPTION) == 0) {
        bundle_add_option(bundle, value, NULL);
        return true;
    }
    char *blank = strchr(value, ' ');
    if (strcmp(key, KEY_FILE) == 0 && blank) {
        *blank = '\0';
        bundle_add_option(bundle, value, blank + 1);
        return true;
    }
    if (strcmp(key, KEY_PLACE) == 0 && blank) {
        *blank = '\0';
        if (!is_member_name(value) || !bundle_is_place(blank + 1))
            return refuse(r, "not a bundle: no good place: " QUOTED, blank + 1);
        bundle_add_member(bundle, value, NULL, blank + 1);
        return true;
    }
    return refuse(r, "not a bundle of this format: " QUOTED " in its head", key);
}

/* The value of the line at *LINE, which must have this KEY; goes on to the next line. */
static char *expect(char **line, const char *key)
{
    size_t length = strlen(key);
    char *value = *line + length + 1, *end = strchr(*line, '\n');

    if (!end || strncmp(*line, key, length) != 0 || (*line)[length] != ' ')
        return NULL;
    *end = '\0';
    *line = end + 1;
    return value;
}

static bool number(const char *text, uint64_t *value)
{
    char *end;

    if (!text || text[0] < '0' || text[0] > '9' || strlen(text) > 18)
        return false;
    *value = strtoull(text, &end, 10);
    return !*end;
}

static bool read_lines(struct reader *r, char *line)
{
    struct bundle *bundle = r->bundle;
    static const char first[] = BUNDLE_FORMAT "\n";

    if (strncmp(line, first, strlen(first)) != 0) {
        line[strcspn(line, "\n")] = '\0';
        return refuse(r, "a bundle of another format: " QUOTED " instead of '" BUNDLE_FORMAT "'",
                      line);
    }
    line += strlen(first);
    const char *compiler = expect(&line, KEY_COMPILER), *target = expect(&line, KEY_TARGET);
    const char *members = expect(&line, KEY_MEMBERS), *bytes = expect(&line, KEY_BYTES);
    const char *module = expect(&line, KEY_MODULE);
    if (!compiler || !target || !module || !number(members, &r->members) ||
        !number(bytes, &r->bytes))
        return refuse(r, "not a bundle: its head lacks something");
    bundle->identity = (struct identity){duplicate(compiler), duplicate(target)};
    bundle->module = duplicate(module);
    while (strcmp(line, KEY_END "\n") != 0) {
        char *end = strchr(line, '\n'), *blank = strchr(line, ' ');
        if (!end || !blank || blank > end)
            return refuse(r, "not a bundle: its head has no end");
        *end = *blank = '\0';
        if (!take_line(r, line, blank + 1))
            return false;
        line = end + 1;
    }
    if (r->members > r->limits->members || r->bytes > r->limits->bytes)
        return refuse(r,
                      "over the limits: %" PRIu64 " members of %" PRIu64 " bytes, where %" PRIu64
                      " of %" PRIu64 " are allowed",
                      r->members, r->bytes, r->limits->members, r->limits->bytes);
    return true;
}

static bool read_head(struct reader *r)
{
    const char *name = "";
    uint64_t size = 0;

    if (!next_member(r, &name, &size))
        return false;
    if (strcmp(name, BUNDLE_HEAD) != 0 || size > MOST_HEAD)
        return refuse(r, "not a bundle: it does not begin with '" BUNDLE_HEAD "'");
    char *head = allocate((size_t)size + 1);
    la_ssize_t count = archive_read_data(r->archive, head, (size_t)size);
    head[size] = '\0';
    bool good = count == (la_ssize_t)size ? true : archive_failed(r);
    if (good && strlen(head) != size)
        good = refuse(r, "not a bundle: a NUL byte in its head");
    good = good && read_lines(r, head);
    free(head);
    return good;
}

/* That is a fault of the bundle's unless there is no room. */
static bool cannot_write(struct reader *r, const char *place)
{
    r->bundle->has_no_room = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO;
    return refuse(r, "cannot write '%s': %s", place, strerror(errno));
}

/* Makes the folder PATH, if it is not there yet. A few long places can ask for many. */
static bool make_folder(struct reader *r, const char *path)
{
    struct stat info;

    if (fstatat(r->folder, path, &info, AT_SYMLINK_NOFOLLOW) == 0)
        return true; /* if it is a file, the next one to be made in it fails */
    if (r->folders == r->limits->members)
        return refuse(r, "over the limits: more folders than members are allowed");
    r->folders++;
    return mkdirat(r->folder, path, 0700) == 0 || cannot_write(r, path);
}

/* Makes the folders of PLACE. */
static bool make_folders(struct reader *r, const char *place)
{
    char *path = duplicate(place);
    bool good = true;

    for (char *slash = strchr(path, '/'); good && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        good = make_folder(r, path);
        *slash = '/';
    }
    free(path);
    return good;
}

/* Opens the file PLACE in the folder, which must not be there yet. */
static int create(struct reader *r, const char *place)
{
    if (!make_folders(r, place))
        return -1;
    int fd = openat(r->folder, place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        cannot_write(r, place);
    return fd;
}

static bool copy_data(struct reader *r, int fd, const char *place)
{
    char buffer[65536];
    la_ssize_t count = 0;

    while ((count = archive_read_data(r->archive, buffer, sizeof buffer)) > 0) {
        if (!write_all(fd, buffer, (size_t)count))
            return cannot_write(r, place);
    }
    return count == 0 || archive_failed(r);
}

static bool take_member(struct reader *r, bool is_index)
{
    const char *name = "";
    uint64_t size = 0;

    if (!next_member(r, &name, &size))
        return false;
    if (size > r->left)
        return refuse(r, "not a bundle: its members are larger than its head says");
    r->left -= size;
    const char *place = name;
    if (is_index && strcmp(name, BUNDLE_INDEX) == 0) {
        r->bundle->has_index = true;
    } else if (is_member_name(name)) {
        /* Those with a place come in the order of the head. */
        const struct bundle_member *next = &r->bundle->members[r->placed];
        if (r->placed < r->places && strcmp(next->name, name) == 0) {
            place = next->place;
            r->placed++;
        } else {
            bundle_add_member(r->bundle, name, NULL, NULL);
        }
    } else {
        return refuse(r, "not a bundle: a member of the name '%s'", name);
    }
    int fd = create(r, place);
    if (fd < 0)
        return false;
    bool good = copy_data(r, fd, place);
    if (close(fd) != 0 && good)
        good = cannot_write(r, place);
    return good;
}

/* Whether nothing comes behind the last member but the end. */
static bool is_at_end(struct reader *r)
{
    struct archive_entry *entry;
    const void *data;
    ptrdiff_t count;

    int result = archive_read_next_header(r->archive, &entry);
    if (result == ARCHIVE_OK)
        return refuse(r, "not a bundle: its members are not those that its head says");
    if (result != ARCHIVE_EOF)
        return archive_failed(r);
    while ((count = bundle_input_read(&r->input, &data)) > 0)
        continue;
    return count == 0 || refuse(r, "not a bundle: %s", r->input.problem);
}

/* Whether the folder holds what the head says. */
static bool check_names(struct reader *r)
{
    struct bundle *bundle = r->bundle;
    struct stat info;

    for (size_t i = 0; i < bundle->option_count; i++) {
        const char *member = bundle->options[i].member;
        if (member && !(is_member_name(member) && find_member(bundle, member)))
            return refuse(r, "not a bundle: no member " QUOTED, member);
    }
    if ((!is_member_name(bundle->module) && !bundle_is_place(bundle->module)) ||
        fstatat(r->folder, bundle->module, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
        return refuse(r, "not a bundle: no module " QUOTED, bundle->module);
    return true;
}

static bool read_members(struct reader *r)
{
    r->left = r->bytes;
    r->places = r->bundle->member_count;
    for (uint64_t i = 0; i < r->members; i++) {
        if (!take_member(r, i == 0))
            return false;
    }
    if (r->left > 0 || r->placed < r->places)
        return refuse(r, "not a bundle: its members are not those that its head says");
    return is_at_end(r) && check_names(r);
}

/* For libarchive. */
static la_ssize_t read_input(struct archive *archive, void *context, const void **data)
{
    struct reader *r = context;
    ptrdiff_t count = bundle_input_read(&r->input, data);

    if (count < 0)
        archive_set_error(archive, EINVAL, "%s", r->input.problem);
    return count < 0 ? ARCHIVE_FATAL : (la_ssize_t)count;
}

bool bundle_read(struct bundle *bundle, int fd, int folder, const struct bundle_limits *limits,
                 struct text *problem)
{
    struct reader r = {
        .bundle = bundle, .input.fd = fd, .folder = folder, .limits = limits, .problem = problem};

    r.archive = archive_read_new();
    if (!r.archive)
        out_of_memory();
    bool good = (archive_read_support_format_tar(r.archive) == ARCHIVE_OK &&
                 archive_read_open(r.archive, &r, NULL, read_input, NULL) == ARCHIVE_OK) ||
                archive_failed(&r);
    good = good && read_head(&r) && read_members(&r);
    archive_read_free(r.archive);
    return good;
}

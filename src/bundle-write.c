#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bitcode.h"
#include "bundle-format.h"
#include "bundle.h"
#include "memory.h"
#include "tar.h"

/* A bundle that is written. */
struct writer {
    const struct bundle *bundle;
    struct tar tar;
    off_t *sizes;           /* owned: of the members' files */
    struct tar_hole *holes; /* owned: what is left out of them */
    struct text *problem;
};

static bool fail(struct writer *w, int error, const char *what)
{
    text_clear(w->problem);
    text_printf(w->problem, "%s: %s", what, strerror(error));
    return false;
}

/* Sizes go in front of everything, and there may be more files than can be open at once. Modules go
 * without their symbol tables. */
static bool measure_members(struct writer *w)
{
    const struct bundle *bundle = w->bundle;

    w->sizes = allocate(bundle->member_count * sizeof *w->sizes);
    w->holes = allocate(bundle->member_count * sizeof *w->holes);
    for (size_t i = 0; i < bundle->member_count; i++) {
        struct stat info;
        const char *path = bundle->members[i].path;
        if (stat(path, &info) != 0)
            return fail(w, errno, path);
        if (!S_ISREG(info.st_mode))
            return fail(w, EINVAL, path);
        w->sizes[i] = info.st_size;
        bitcode_symbol_table(path, &w->holes[i].start, &w->holes[i].end);
        if (w->holes[i].end > info.st_size)
            return fail(w, EIO, path); /* it is being written */
    }
    return true;
}

static void add_line(struct text *head, const char *key, const char *value)
{
    text_printf(head, "%s %s\n", key, value);
}

static void make_head(const struct writer *w, struct text *head)
{
    const struct bundle *bundle = w->bundle;
    uint64_t bytes = bundle->has_index ? bundle->index.length : 0;

    for (size_t i = 0; i < bundle->member_count; i++)
        bytes += (uint64_t)(w->sizes[i] - (w->holes[i].end - w->holes[i].start));
    text_puts(head, BUNDLE_FORMAT "\n");
    add_line(head, KEY_COMPILER, bundle->identity.version);
    add_line(head, KEY_TARGET, bundle->identity.target);
    text_printf(head, "%s %zu\n", KEY_MEMBERS, bundle->member_count + bundle->has_index);
    text_printf(head, "%s %" PRIu64 "\n", KEY_BYTES, bytes);
    add_line(head, KEY_MODULE, bundle->module);
    for (size_t i = 0; i < bundle->option_count; i++) {
        const struct bundle_option *option = &bundle->options[i];
        if (option->member)
            text_printf(head, "%s %s %s\n", KEY_FILE, option->text, option->member);
        else
            add_line(head, KEY_OPTION, option->text);
    }
    for (size_t i = 0; i < bundle->member_count; i++) {
        if (bundle->members[i].place)
            text_printf(head, "%s %s %s\n", KEY_PLACE, bundle->members[i].name,
                        bundle->members[i].place);
    }
    text_puts(head, KEY_END "\n");
}

static bool add_file(struct writer *w, size_t index)
{
    const struct bundle_member *member = &w->bundle->members[index];

    int fd = open(member->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(w, errno, member->path);
    bool good =
        tar_add_file(&w->tar, member->name, member->path, fd, w->sizes[index], w->holes[index]);
    close(fd);
    return good;
}

static bool add_text(struct writer *w, const char *name, const struct text *text)
{
    return tar_add(&w->tar, name, text->data, text->length);
}

static bool add_all(struct writer *w)
{
    struct text head = {0};

    make_head(w, &head);
    bool good = add_text(w, BUNDLE_HEAD, &head);
    text_free(&head);
    if (good && w->bundle->has_index)
        good = add_text(w, BUNDLE_INDEX, &w->bundle->index);
    for (size_t i = 0; good && i < w->bundle->member_count; i++)
        good = add_file(w, i);
    return good;
}

static bool write_to(struct writer *w, int fd)
{
    bool good = tar_start(&w->tar, fd, w->problem) && add_all(w);
    return tar_end(&w->tar, good);
}

bool bundle_write(const struct bundle *bundle, const char *path, struct text *problem)
{
    struct writer w = {.bundle = bundle, .problem = problem};
    bool good = measure_members(&w);

    if (good) {
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        good = fd >= 0 ? write_to(&w, fd) : fail(&w, errno, path);
        if (fd >= 0 && close(fd) != 0 && good)
            good = fail(&w, errno, path);
        if (fd >= 0 && !good)
            unlink(path);
    }
    free(w.sizes);
    free(w.holes);
    return good;
}

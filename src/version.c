#include "version.h"

#include <string.h>

#include "message.h"
#include "process.h"
#include "text.h"

/* The first "N.N" or "N.N.N" in TEXT; its length, 0 where there is none, goes to *LENGTH. */
static const char *find_version(const char *text, size_t *length)
{
    static const char digits[] = "0123456789";

    for (; *(text += strcspn(text, digits)); text += strspn(text, digits)) {
        *length = strspn(text, "0123456789.");
        if (memchr(text, '.', *length))
            return text;
    }
    *length = 0;
    return text;
}

void version_compare(const struct description *description)
{
    const struct common *common = description_common(description);
    const char *argv[4] = {common->compiler};
    struct text output = {0};
    size_t count = 1, ours, theirs;

    if (!common->linker_version)
        return;
    if (common_subcommand(common))
        argv[count++] = common_subcommand(common);
    argv[count] = "--version";
    const char *linker = find_version(common->linker_version, &ours);
    const char *compiler = process_output(argv, &output) == 0 ? output.data : "";
    compiler = find_version(compiler, &theirs);
    if (ours > 0 && theirs > 0 && (ours != theirs || strncmp(linker, compiler, ours) != 0))
        message("warning: %s: common.linker_version: the linker is version %.*s, but the compiler "
                "'%s' is version %.*s",
                description_path(description), (int)ours, linker, common->compiler, (int)theirs,
                compiler);
    text_free(&output);
}

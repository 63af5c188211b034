#include "advice.h"

#include <stdlib.h>
#include <unistd.h>

#include "message.h"
#include "quote.h"

enum { LONGEST_SHOWN = 16 << 10 };

void advice_common_command(struct text *out, const struct common *common)
{
    char *here = getcwd(NULL, 0);

    if (here) {
        text_puts(out, "cd ");
        quote_shell(out, here);
        text_puts(out, " && ");
    }
    quote_command(out, common->compiler);
    if (common->args.count > 0)
        text_putc(out, ' ');
    quote_shell_words(out, common->args.items, common->args.count);
    free(here);
}

void advice_command(struct text *out, const struct common *common, const struct job *job)
{
    advice_common_command(out, common);
    if (job->args.count > 0)
        text_putc(out, ' ');
    quote_shell_words(out, job->args.items, job->args.count);
}

void advice_show_command(const struct common *common, const struct job *job)
{
    struct text line = {0};

    text_puts(&line, "  ");
    advice_command(&line, common, job);
    if (line.length > LONGEST_SHOWN) {
        message("to run it alone: its command has %zu bytes; --explain shows it", line.length);
    } else {
        text_putc(&line, '\n');
        message("to run it alone:");
        message_write(line.data, line.length);
    }
    text_free(&line);
}

/* What lld removes was seen with LLVM 22.1.8: these when it ends, whether the link failed or not,
 * and with --save-temps nothing. */
void advice_keep(bool kept)
{
    message(
        "when the linker ends it removes what such a command reads (index shards, members taken "
        "out of archives) and the description, unless it is given --save-temps");
    if (!kept)
        message("for another look, link again with -Wl,--save-temps "
                "-Xthinlto-distributor=--keep; or have what fails packed, with "
                "-Xthinlto-distributor=--repro=DIR,--repro-failed");
}

#include "far-options.h"

#include <string.h>

#include "compilation.h"

/* How many words the OPTION, which is WORD with its member, takes with those behind it, of which
 * there are MORE; 0 where it is not allowed. */
static size_t allowed(const struct bundle_option *option, const char *const *word, size_t more,
                      const char *mllvm)
{
    size_t prefix = compilation_file_prefix(option->text);

    if (option->member)
        return prefix > 0 && prefix == strlen(option->text);
    /* What has a member in it is never the second word of another option. */
    return compilation_allowed(word[0], more > 0 && !option[1].member ? word[1] : NULL, mllvm);
}

bool far_options(const struct bundle *bundle, const char *mllvm, struct words *argv,
                 struct text *storage, struct text *problem)
{
    size_t first = argv->count, count = bundle->option_count;

    for (size_t i = 0; i < count; i++) {
        const struct bundle_option *option = &bundle->options[i];
        text_printf(storage, "%s%s", option->text, option->member ? option->member : "");
        text_putc(storage, '\0');
    }
    const char *word = storage->data;
    for (size_t i = 0; i < count; i++, word += strlen(word) + 1)
        words_add(argv, word);
    for (size_t i = 0; i < count;) {
        const char *const *words = &argv->items[first + i];
        size_t taken = allowed(&bundle->options[i], words, count - i - 1, mllvm);
        if (taken == 0) {
            text_clear(problem);
            text_printf(problem, "the option '%.80s' is not allowed here", *words);
            return false;
        }
        i += taken;
    }
    return true;
}

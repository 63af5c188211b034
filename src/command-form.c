#include "command-form.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Counts what "$NAME" or "${NAME}" at VARIABLE, behind the '$', stands for, and returns what is
 * behind it. A variable of the template's own is taken for its name. */
static const char *count_variable(const char *variable, struct command_form *form)
{
    const struct {
        const char *name;
        size_t *count;
    } ours[] = {{"compiler", &form->compiler},
                {"common_args", &form->common_args},
                {"args", &form->args},
                {"module", &form->module},
                {"linker_output", &form->linker_output},
                {"dtlto_warm", &form->warm},
                {"dtlto_clang", &form->clang},
                {"inputs_file", &form->inputs_file}};
    bool braces = *variable == '{';
    const char *name = variable + braces;
    size_t length = 0;

    while (isalnum((unsigned char)name[length]) || (name[length] && strchr("_-.", name[length])))
        length++;
    if (length == 0) { /* "$$", "$ ", "$:" */
        form->own++;
        return *variable ? variable + 1 : variable;
    }
    size_t i = 0;
    while (i < sizeof ours / sizeof *ours &&
           (strlen(ours[i].name) != length || strncmp(ours[i].name, name, length) != 0))
        i++;
    if (i < sizeof ours / sizeof *ours)
        ++*ours[i].count;
    else
        form->own += length;
    return name + length + (braces && name[length] == '}');
}

struct command_form command_form_find(const char *text)
{
    struct command_form form = {.own = 2, .compiler = 1, .common_args = 1, .args = 1};
    const char *rule = strstr(text, "rule backend");
    const char *at = rule ? strstr(rule, "command") : NULL;

    if (!at)
        return form;
    form = (struct command_form){0};
    at += strlen("command");
    at += strspn(at, " =");
    while (*at && *at != '\n') {
        if (*at == '$' && at[1] == '\n') {
            at += 2;
            at += strspn(at, " ");
        } else if (*at == '$') {
            at = count_variable(at + 1, &form);
        } else {
            form.own++;
            at++;
        }
    }
    return form;
}

size_t command_form_length(const struct command_form *form, const struct command_form *lengths)
{
    return form->own + form->compiler * lengths->compiler +
           form->common_args * lengths->common_args + form->args * lengths->args +
           form->module * lengths->module + form->linker_output * lengths->linker_output +
           form->warm * lengths->warm + form->clang * lengths->clang +
           form->inputs_file * lengths->inputs_file;
}

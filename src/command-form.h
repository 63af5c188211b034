/* How long a command is that ninja makes of a template. */
#ifndef COMMAND_FORM_H
#define COMMAND_FORM_H

#include <stddef.h>

/* The "command =" of a template's rule: how long it is itself, and how often it has each of the
 * variables that are ours. */
struct command_form {
    size_t own, compiler, common_args, args, module, linker_output, warm, clang, inputs_file;
};

/* The form of the command of the rule "backend" in the ninja file TEXT; where it is not there (an
 * included file may have it), that of the plain command. */
struct command_form command_form_find(const char *text);

/* The length of the command where the variables have these LENGTHS; its own does not count. */
size_t command_form_length(const struct command_form *form, const struct command_form *lengths);

#endif

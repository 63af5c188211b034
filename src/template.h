/* Templates: ninja files that define the rule "backend", put into the manifest as they are. */
#ifndef TEMPLATE_H
#define TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "message.h"
#include "ninja.h"

struct template
{
    char *name;    /* owned; as people call it: a name or a file */
    char *path;    /* owned; a null pointer where it is a built-in one */
    char *content; /* owned; NUL-terminated, ends in a newline */
    size_t length;
};

/* Finds the template WANTED. With a '/' in it or ".ninja" at its end it is a file; else it is
 * NAME.ninja in, in this order: the folders of $DTLTO_NINJA_TEMPLATES (separated by ':'),
 * $XDG_CONFIG_HOME/dtlto-ninja/templates (~/.config/... where that is not set), what is built in,
 * and the folder that "make install" puts templates in. TEMPLATE is freed with template_free. */
enum status template_load(const char *wanted, struct template *template);
void template_free(struct template *template);

/* Where the template has TEXT in a line that is no comment; a null pointer where it has not. The
 * second looks from AT, in its content, on. */
const char *template_find(const struct template *template, const char *text);
const char *template_find_behind(const struct template *template, const char *at, const char *text);

/* Prints the names that template_load would find, sorted, with where each comes from, on stdout. */
enum status template_list(void);

/* Lets ninja read the template, which knows best what a ninja file is, and makes sure of the rule.
 * FOLDER is where the files for that may be written. A built-in template needs no check. */
enum status template_check(const struct template *template, const struct ninja *ninja,
                           const char *folder);

#endif

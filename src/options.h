/* The command line of dtlto-ninja, and $DTLTO_NINJA_OPTIONS in front of it. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "message.h"
#include "text.h"

/* --memory=none */
#define NO_MEMORY_LIMIT (-1.0)

/* Whether the compiler is loaded once for all: if it is worth it, --warm, --no-warm. */
enum warmth { WARM_AUTO, WARM_ALWAYS, WARM_NEVER };

enum action { RUN, GENERATE, EXPLAIN, HELP, SHOW_VERSION, LIST_TEMPLATES, PRINT_TEMPLATE };

/* Strings point into the command line, or into STORAGE; a null pointer is an option not given. */
struct options {
    enum action action;
    const char *description;
    const char *template; /* of --template, or --print-template */
    const char *ninja;
    const char *output;
    const char *repro;                    /* a folder, or a file that ends in ".tar" */
    const char *explain;                  /* of --explain: a module, or a part of its name */
    const char *trace, *report;           /* files to write */
    const char *jobs, *load, *keep_going; /* checked, as ninja takes them */
    double memory;                        /* bytes; 0: not given; NO_MEMORY_LIMIT */
    enum warmth warm;
    bool verbose, quiet, keep;
    bool dry_run;
    bool repro_failed;   /* only what failed is in the repro */
    struct text storage; /* owned; free with options_free */
};

/* Reads the options. Anything that it does not understand is STATUS_USAGE, after a message. */
enum status options_read(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* Prints the help on stdout. */
void options_help(void);

#endif

#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distance.h"
#include "quote.h"
#include "words.h"

/* Options without a letter. */
enum {
    NINJA = 256,
    GENERATE_ONLY,
    KEEP,
    WARM,
    NO_WARM,
    LIST,
    PRINT,
    MEMORY,
    EXPLAIN_ONE,
    REPRO,
    REPRO_FAILED,
    TRACE,
    REPORT,
};

static const char short_options[] = "+:hVj:l:k:nvqo:t:";
static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"jobs", required_argument, NULL, 'j'},
    {"load", required_argument, NULL, 'l'},
    {"keep-going", required_argument, NULL, 'k'},
    {"memory", required_argument, NULL, MEMORY},
    {"dry-run", no_argument, NULL, 'n'},
    {"verbose", no_argument, NULL, 'v'},
    {"quiet", no_argument, NULL, 'q'},
    {"output", required_argument, NULL, 'o'},
    {"template", required_argument, NULL, 't'},
    {"ninja", required_argument, NULL, NINJA},
    {"generate", no_argument, NULL, GENERATE_ONLY},
    {"keep", no_argument, NULL, KEEP},
    {"explain", required_argument, NULL, EXPLAIN_ONE},
    {"repro", required_argument, NULL, REPRO},
    {"repro-failed", no_argument, NULL, REPRO_FAILED},
    {"trace", required_argument, NULL, TRACE},
    {"report", required_argument, NULL, REPORT},
    {"warm", no_argument, NULL, WARM},
    {"no-warm", no_argument, NULL, NO_WARM},
    {"list-templates", no_argument, NULL, LIST},
    {"print-template", required_argument, NULL, PRINT},
    {NULL, 0, NULL, 0},
};

void options_help(void)
{
    fputs("usage: dtlto-ninja [OPTION ...] DESCRIPTION\n"
          "Run the ThinLTO backend compilations of a link with ninja. The linker calls it:\n"
          "  clang -flto=thin -fuse-ld=lld -fthinlto-distributor=/path/to/dtlto-ninja ...\n"
          "with what -Xthinlto-distributor=OPTION,OPTION and $DTLTO_NINJA_OPTIONS say.\n"
          "\n"
          "  -j, --jobs=N            run N backend compilations at a time\n"
          "  -l, --load=N            start none while the load average is over N\n"
          "  -k, --keep-going=N      go on until N have failed (0: to the end)\n"
          "      --memory=SIZE       run no more than fit into SIZE (1500M, 8G); none: any\n"
          "  -n, --dry-run           show what would be compiled, and compile nothing\n"
          "  -v, --verbose           show the commands and what was chosen\n"
          "  -q, --quiet             show no progress, only what compilers say\n"
          "      --ninja=PATH        the ninja to run ($NINJA, ninja, ninja-build, samu)\n"
          "  -t, --template=NAME     how to run them: a template's name, or a file (local)\n"
          "      --warm, --no-warm   load the compiler once, or for each compilation\n"
          "      --list-templates, --print-template=NAME  list templates, or print one\n"
          "      --generate, -o, --output=FILE  only write the manifest (- for stdout)\n"
          "      --keep              keep the manifest and ninja's log, and say where\n"
          "      --repro=DIR|FILE.tar, --repro-failed  pack all, or what failed\n"
          "      --explain=MODULE    say what a compilation reads, and when it ran\n"
          "      --trace=FILE, --report=FILE  write a time trace, a page about the link\n"
          "  -h, --help; -V, --version   print this, or the version\n"
          "\n"
          "The manual is dtlto-ninja(1).\n",
          stdout);
}

/* The long option nearest to what was WRITTEN, "--name" or "--name=value". */
static const char *nearest(const char *written)
{
    struct text word = {0};
    size_t best = SIZE_MAX;
    const char *result = long_options[0].name;

    written += strspn(written, "-");
    text_write(&word, written, strcspn(written, "="));
    for (const struct option *option = long_options; option->name; option++) {
        size_t away = distance(word.data, option->name);
        if (away < best) {
            best = away;
            result = option->name;
        }
    }
    text_free(&word);
    return result;
}

/* Whether TEXT is what ninja takes for a number: a whole one, or with a fraction where that is
 * allowed. */
static bool is_number(const char *text, bool fraction)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    bool fits = fraction ? strtod(text, &end) >= 0 : strtol(text, &end, 10) <= INT_MAX;
    return fits && *end == '\0' && errno == 0;
}

static enum status take_number(const char **into, int letter, const char *value, const char *source)
{
    bool fraction = letter == 'l';

    if (!is_number(value, fraction)) {
        message("%s-%c: expected a %s, found '%s'", source, letter,
                fraction ? "number" : "whole number", value);
        return STATUS_USAGE;
    }
    *into = value;
    return STATUS_OK;
}

/* SIZE: a number, with K, M, G or T behind it where it is not in bytes; or "none". */
static enum status take_memory(double *into, const char *value, const char *source)
{
    static const char units[] = "KMGT";
    char *end = NULL;

    if (strcmp(value, "none") == 0) {
        *into = NO_MEMORY_LIMIT;
        return STATUS_OK;
    }
    double size = strtod(value, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        size *= 1024;
    if (*value < '0' || *value > '9' || size <= 0 || (*end && (!unit || end[1]))) {
        message("%s--memory: expected a size such as 1500M or 8G, or none, found '%s'", source,
                value);
        return STATUS_USAGE;
    }
    *into = size;
    return STATUS_OK;
}

/* A folder, or an archive that is not compressed. */
static enum status take_repro(const char **into, const char *value, const char *source)
{
    const char *slash = strrchr(value, '/'), *base = slash ? slash + 1 : value;

    if (!*value || strcmp(base, ".tar") == 0 || strstr(base, ".tar.") || strstr(base, ".tgz")) {
        message("%s--repro: expected a folder or a FILE.tar, found '%s'", source, value);
        return STATUS_USAGE;
    }
    *into = value;
    return STATUS_OK;
}

/* The file of the option NAME. It cannot be stdout, which may be the linked file. */
static enum status take_file(const char **into, const char *name, const char *value,
                             const char *source)
{
    if (*value == '\0' || strcmp(value, "-") == 0) {
        message("%s--%s: expected a file, found '%s'", source, name, value);
        return STATUS_USAGE;
    }
    *into = value;
    return STATUS_OK;
}

static enum status take_option(struct options *options, int option, const char *source)
{
    switch (option) {
    case 'h':
        options->action = HELP;
        break;
    case 'V':
        options->action = SHOW_VERSION;
        break;
    case 'j':
        return take_number(&options->jobs, 'j', optarg, source);
    case 'l':
        return take_number(&options->load, 'l', optarg, source);
    case 'k':
        return take_number(&options->keep_going, 'k', optarg, source);
    case 'n':
        options->dry_run = true;
        break;
    case 'v':
        options->verbose = true;
        options->quiet = false;
        break;
    case 'q':
        options->quiet = true;
        options->verbose = false;
        break;
    case 'o':
        options->output = optarg;
        break;
    case 't':
        options->template = optarg;
        break;
    case MEMORY:
        return take_memory(&options->memory, optarg, source);
    case NINJA:
        options->ninja = optarg;
        break;
    case GENERATE_ONLY:
        options->action = GENERATE;
        break;
    case KEEP:
        options->keep = true;
        break;
    case EXPLAIN_ONE:
        options->action = EXPLAIN;
        options->explain = optarg;
        break;
    case REPRO:
        return take_repro(&options->repro, optarg, source);
    case REPRO_FAILED:
        options->repro_failed = true;
        break;
    case TRACE:
        return take_file(&options->trace, "trace", optarg, source);
    case REPORT:
        return take_file(&options->report, "report", optarg, source);
    case WARM:
        options->warm = WARM_ALWAYS;
        break;
    case NO_WARM:
        options->warm = WARM_NEVER;
        break;
    case LIST:
        options->action = LIST_TEMPLATES;
        break;
    case PRINT:
        options->action = PRINT_TEMPLATE;
        options->template = optarg;
        break;
    default:
        break;
    }
    return STATUS_OK;
}

/* Whether WORD is a long option written with one dash, as lld-link has them. */
static bool lacks_a_dash(const char *word)
{
    size_t length = strcspn(word, "=");

    if (word[0] != '-' || word[1] == '-' || length < 3)
        return false;
    for (const struct option *option = long_options; option->name; option++) {
        if (strlen(option->name) == length - 1 && strncmp(option->name, word + 1, length - 1) == 0)
            return true;
    }
    return false;
}

/* The letter that was meant by C, or 0: only its case was wrong. */
static int other_case(int c)
{
    int other = isupper(c) ? tolower(c) : toupper(c);
    return other != c && isalpha(c) && strchr(short_options, other) ? other : 0;
}

/* getopt_long has returned RESULT, '?' or ':', for WORD. */
static enum status complain(int result, const char *word, const char *source)
{
    bool is_long = strncmp(word, "--", 2) == 0;

    if (lacks_a_dash(word) || (result == '?' && is_long && optopt == 0))
        message("%sunknown option '%s'; did you mean '--%s'?", source, word, nearest(word));
    else if (result == ':')
        message("%sthe option '%s' needs a value", source, word);
    else if (!is_long && other_case(optopt))
        message("%sunknown option '-%c'; did you mean '-%c'?", source, optopt, other_case(optopt));
    else if (!is_long)
        message("%sunknown option '-%c'; did you mean '--%s'?", source, optopt, nearest(word));
    else
        message("%sthe option '%s' takes no value", source, word);
    return STATUS_USAGE;
}

/* Reads options up to the first other word; optind is then its index. SOURCE goes in front of
 * messages. */
static enum status read_words(struct options *options, int argc, char **argv, const char *source)
{
    enum status status = STATUS_OK;
    int result;

    opterr = 0;
#ifdef HAVE_OPTRESET
    optreset = 1;
    optind = 1;
#else
    optind = 0; /* glibc's and musl's way to start anew */
#endif
    while (status == STATUS_OK) {
        int before = optind ? optind : 1;
        result = getopt_long(argc, argv, short_options, long_options, NULL);
        if (result == -1)
            break;
        const char *word = argv[before < argc ? before : argc - 1];
        if (result == '?' || result == ':' || lacks_a_dash(word))
            status = complain(result, word, source);
        else
            status = take_option(options, result, source);
    }
    return status;
}

static enum status read_environment(struct options *options)
{
    const char *value = getenv("DTLTO_NINJA_OPTIONS");
    struct words words = {0};
    enum status status = STATUS_OK;

    if (!value)
        return STATUS_OK;
    words_add(&words, program_name);
    if (!split_options(value, &options->storage, &words)) {
        message("DTLTO_NINJA_OPTIONS: expected words for a shell, found an open quote or a "
                "backslash at the end: %s",
                value);
        status = STATUS_USAGE;
    } else {
        int count = (int)words.count;
        words_add(&words, NULL);
        status = read_words(options, count, (char **)words.items, "DTLTO_NINJA_OPTIONS: ");
        if (status == STATUS_OK && optind < count) {
            message("DTLTO_NINJA_OPTIONS: expected only options, found '%s'", words.items[optind]);
            status = STATUS_USAGE;
        }
    }
    words_free(&words);
    return status;
}

/* Whether the last word is a description although it begins with a dash: "ld.lld -o -" writes
 * "-.PID.dist-file.json". */
static bool is_dashed_description(const char *word)
{
    size_t length = strlen(word);
    return word[0] == '-' && length > 5 && strcmp(word + length - 5, ".json") == 0 &&
           access(word, F_OK) == 0;
}

static enum status check(const struct options *options)
{
    if (options->action == HELP || options->action == SHOW_VERSION ||
        options->action == LIST_TEMPLATES || options->action == PRINT_TEMPLATE)
        return STATUS_OK;
    if (!options->description) {
        message("expected a job description as the last argument, found none; --help tells more");
        return STATUS_USAGE;
    }
    if (options->output && options->action != GENERATE) {
        message("--output goes with --generate");
        return STATUS_USAGE;
    }
    if (options->repro_failed && !options->repro) {
        message("--repro-failed goes with --repro");
        return STATUS_USAGE;
    }
    if (options->repro_failed && options->action == GENERATE) {
        message("--repro-failed does not go with --generate, which compiles nothing");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum status options_read(struct options *options, int argc, char **argv)
{
    *options = (struct options){.action = RUN};
    enum status status = read_environment(options);
    if (status != STATUS_OK)
        return status;

    if (argc > 1 && is_dashed_description(argv[argc - 1]))
        options->description = argv[--argc];
    status = read_words(options, argc, argv, "");
    if (status != STATUS_OK)
        return status;
    if (!options->description && optind < argc)
        options->description = argv[optind++];
    if (optind < argc) {
        message("expected one job description as the last argument, found '%s' besides '%s'",
                argv[optind], options->description);
        return STATUS_USAGE;
    }
    return check(options);
}

void options_free(struct options *options)
{
    text_free(&options->storage);
}

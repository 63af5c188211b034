#include "carrier.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "far.h"
#include "home.h"
#include "message.h"
#include "program.h"

struct failure {
    int status;
    const char *reason;
};

/* What a carrier's log says where it runs a compilation itself. */
struct remark {
    const char *words, *reason;
};

struct carrier {
    const char *name, *program;
    const char *prefix;       /* what a cache runs in front of the compiler; or a null pointer */
    const char *log_variable; /* of the program, or the prefix; or a null pointer */
    bool is_cache;
    bool wants_name;   /* it, or its prefix: the compiler by its name, not its path */
    bool wants_target; /* or it asks the compiler once a job; the same for all caches */
    const struct failure *failures; /* its own statuses, ending with 0 */
    const struct remark *remarks;   /* ending with a null pointer; icecream's client makes them */
    const char *host_mark;          /* the words in the log in front of a host; or a null pointer */
};

/* distcc's with DISTCC_VERBOSE, "exec on 10.0.0.1:3632/8,lzo: dtlto-clang -c ..." (its
 * dcc_note_execution). */
static const char distcc_host[] = "exec on ";

/* distcc's src/exitcode.h; with DISTCC_FALLBACK=0 most come as 116. */
static const struct failure distcc_failures[] = {
    {103, "no connection"},   {104, "the compiler crashed"},    {105, "out of memory"},
    {106, "a bad host list"}, {107, "the connection was lost"}, {108, "the connection was lost"},
    {109, "not understood"},  {110, "no dtlto-clang there"},    {113, "the host refused"},
    {116, "no host took it"}, {118, "it took too long"},        {0, NULL}};

/* icecc's client; what it cannot have done elsewhere it does itself. */
static const struct failure icecream_failures[] = {{105, "it was killed there"}, {0, NULL}};

/* Of the compilation on this machine; all else is ccache's own. */
static const struct failure ccache_failures[] = {{FAR_OBJECT, "no good object came of it"},
                                                 {0, NULL}};

static const struct remark icecream_remarks[] = {
    {"no local daemon found", "no iceccd here"},
    {"has to point to an existing file", "ICECC_VERSION names no archive"},
    {"unable to handle environment", "a worker cannot use the environment"},
    {"verifying environment", "a worker cannot use the environment"},
    {"no server found", "a worker was gone"},
    {"network failure", "the connection was lost"},
    {"reading message from remote", "the connection was lost"},
    {"write to host failed", "the connection was lost"},
    {"error sending file to remote", "the connection was lost"},
    {"failed to send file to remote", "the connection was lost"},
    {"ran out of memory", "out of memory there"},
    {"remote is missing file", "a file was missing there"},
    {"Remote status", "the worker refused"},
    {NULL, NULL}};
static const struct remark no_remarks[] = {{NULL, NULL}};

static const struct failure far_failures[] = {{STATUS_SYSTEM, "out of memory there"},
                                              {FAR_REFUSED, "refused there"},
                                              {FAR_COMPILER, "another clang there"},
                                              {FAR_LIMIT, "over the limits there"},
                                              {FAR_SYSTEM, "it could not run there"},
                                              {FAR_OBJECT, "no good object came of it there"},
                                              {0, NULL}};

static const struct carrier carriers[] = {
    {"distcc", "distcc", NULL, "DISTCC_LOG", false, true, false, distcc_failures, no_remarks,
     distcc_host},
    {"icecream", "icecc", NULL, "ICECC_LOGFILE", false, false, true, icecream_failures,
     icecream_remarks, NULL},
    {"ccache", "ccache", NULL, NULL, true, false, true, ccache_failures, no_remarks, NULL},
    {"ccache-distcc", "ccache", "distcc", "DISTCC_LOG", true, true, true, distcc_failures,
     no_remarks, distcc_host},
    {"ccache-icecream", "ccache", "icecc", "ICECC_LOGFILE", true, false, true, icecream_failures,
     icecream_remarks, NULL},
};

const struct carrier *carrier_find(const char *name)
{
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
        if (strcmp(carriers[i].name, name) == 0)
            return &carriers[i];
    }
    return NULL;
}

const struct carrier *carrier_without_farm(const struct carrier *carrier)
{
    return carrier->is_cache ? carrier_find(carrier->program) : NULL;
}

void carrier_names(struct text *names)
{
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++)
        text_printf(names, "%s%s", i > 0 ? ", " : "", carriers[i].name);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void carrier_command(const struct carrier *carrier, const char *self, const char *target,
                     const char *bundle, const char *object, struct words *argv)
{
    const char *rest[] = {"-c", bundle, "-o", object, NULL};

    words_add(argv, carrier->program);
    words_add(argv, carrier->wants_name && !carrier->is_cache ? base_name(self) : self);
    if (carrier->wants_target) {
        words_add(argv, "-target");
        words_add(argv, target);
    }
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        words_add(argv, rest[i]);
}

/* A carrier that knows the compiler by its name looks for it in PATH when it runs it here. */
static void add_to_path(const char *self)
{
    const char *path = getenv("PATH"), *slash = strrchr(self, '/');
    struct text text = {0};

    text_write(&text, self, slash ? (size_t)(slash - self) : 0);
    text_printf(&text, ":%s", path ? path : "/usr/bin:/bin");
    setenv("PATH", text.data, 1);
    text_free(&text);
}

/* Between a cache and its prefix goes this program, which checks what the farm sends back, unless
 * its path has a blank: that would be two words. */
static void set_prefix(const struct carrier *carrier, const char *self)
{
    bool between = !strchr(self, ' ');

    setenv("CCACHE_PREFIX", between ? self : carrier->prefix, 1);
    if (between)
        setenv(HOME_PREFIX, carrier->name, 1);
}

void carrier_prefix(const struct carrier *carrier, char **argv, struct words *command)
{
    words_add(command, carrier->prefix);
    words_add(command, carrier->wants_name ? base_name(argv[0]) : argv[0]);
    for (size_t i = 1; argv[i]; i++)
        words_add(command, argv[i]);
    words_add(command, NULL);
}

/* Has ccache tell compilers apart as it does by itself, by the time and the size of the real one's
 * file. Who it says that it is stands in the bundle, but one that was built anew may say the same.
 * Whoever has set it to something else knows better. */
static void set_check(const char *compiler)
{
    struct text check = {0}, file = {0};
    struct stat info;

    text_puts(&check, "string:dtlto-bundle 1");
    if (program_in_path(&file, compiler) && stat(file.data, &info) == 0)
        text_printf(&check, " %lld %lld.%09ld", (long long)info.st_size,
                    (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    setenv("CCACHE_COMPILERCHECK", check.data, 0);
    text_free(&check);
    text_free(&file);
}

void carrier_environment(const struct carrier *carrier, const char *self, const char *compiler,
                         const char *log, const char *statistics)
{
    if (carrier->wants_name)
        add_to_path(self);
    /* What distcc cannot have done is done here once, with its real command. Other carriers take no
     * notice. */
    setenv("DISTCC_FALLBACK", "0", 1);
    setenv("DISTCC_SKIP_LOCAL_RETRY", "1", 1);
    /* With 0 distcc 3.4 tries a host that refuses for ever. */
    const char *period = getenv("DISTCC_BACKOFF_PERIOD");
    if (period && strtol(period, NULL, 10) <= 0)
        setenv("DISTCC_BACKOFF_PERIOD", "1", 1);
    /* It would be run here in place of this program. */
    unsetenv("ICECC_CC");
    if (carrier->log_variable && !getenv(carrier->log_variable)) {
        setenv(carrier->log_variable, log, 1);
        /* So that the log has what carrier_host looks for. */
        setenv("DISTCC_VERBOSE", "1", 0);
        /* So that the log has what carrier_reason_here looks for. */
        setenv("ICECC_DEBUG", "warning", 0);
    }
    if (!carrier->is_cache)
        return;
    setenv("CCACHE_COMPILER", self, 1);
    setenv("CCACHE_COMPILERTYPE", "clang", 1);
    set_check(compiler);
    setenv("CCACHE_STATSLOG", statistics, 1);
    if (carrier->prefix)
        set_prefix(carrier, self);
    else /* what the user has before other compilers would bring objects that nobody has checked */
        setenv("CCACHE_PREFIX", "", 1);
}

void carrier_environment_end(void)
{
    static const char *const names[] = {
        "CCACHE_COMPILER",
        "CCACHE_COMPILERTYPE",
        "CCACHE_COMPILERCHECK",
        "CCACHE_STATSLOG",
        "CCACHE_PREFIX",
        HOME_PREFIX,
        HOME_JOB,
        /* By these the farms' clients know that they have called themselves, and end. */
        "_DISTCC_SAFEGUARD",
        "_ICECC_SAFEGUARD",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* ccache's stats_log: the name of the source behind a "#", and then words for what was done. */
bool carrier_found(const char *statistics)
{
    struct text text = {0};
    bool found = false;

    if (text_read_file(&text, statistics) != 0)
        return false;
    for (const char *line = strtok(text.data, "\n"); line && !found; line = strtok(NULL, "\n"))
        found = line[0] != '#' && strstr(line, "cache_hit");
    text_free(&text);
    return found;
}

bool carrier_is_local(const struct carrier *carrier)
{
    return carrier->is_cache && !carrier->prefix;
}

static const char *look_up(const struct failure *failures, int status)
{
    while (failures->reason && failures->status != status)
        failures++;
    return failures->reason;
}

const char *carrier_reason(const struct carrier *carrier, int status)
{
    const char *reason = look_up(carrier->failures, status);

    if (!reason && carrier_is_local(carrier))
        return "the cache failed";
    if (!reason)
        reason = look_up(far_failures, status);
    return reason ? reason : "it failed there";
}

bool carrier_is_unanswered(const struct carrier *carrier, int status)
{
    return look_up(carrier->failures, status) && !look_up(far_failures, status);
}

const char *carrier_reason_here(const struct carrier *carrier, const char *log)
{
    const struct remark *remark = carrier->remarks;
    struct text text = {0};

    bool known = text_read_file(&text, log) == 0;
    while (known && remark->words && !strstr(text.data, remark->words))
        remark++;
    text_free(&text);
    return known && remark->reason ? remark->reason : "the farm ran it here";
}

void carrier_host(const struct carrier *carrier, const char *log, struct text *host)
{
    struct text text = {0};
    const char *last = NULL;

    if (carrier->host_mark && text_read_file(&text, log) == 0) {
        for (const char *at = text.data; (at = strstr(at, carrier->host_mark));)
            last = at += strlen(carrier->host_mark);
    }
    /* Behind a host stand its limits and options, as in DISTCC_HOSTS. */
    if (last)
        text_write(host, last, strcspn(last, "/, \n"));
    text_free(&text);
}

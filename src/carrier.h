/* The programs that carry a bundle: a farm's client, or a compiler cache. */
#ifndef CARRIER_H
#define CARRIER_H

#include <stdbool.h>

#include "text.h"
#include "words.h"

struct carrier;

/* The one of that name; a null pointer where there is none. */
const struct carrier *carrier_find(const char *name);

/* The cache that is in front of the farm, by itself; a null pointer where there is none. */
const struct carrier *carrier_without_farm(const struct carrier *carrier);

/* Appends the names of all, with ", " between, for people. */
void carrier_names(struct text *names);

/* Puts the command that has BUNDLE compiled to OBJECT into ARGV, ending in a null pointer. SELF is
 * the absolute path of this program, TARGET the compiler's target. The strings belong to the
 * arguments. */
void carrier_command(const struct carrier *carrier, const char *self, const char *target,
                     const char *bundle, const char *object, struct words *argv);

/* For a cache with a farm behind it: puts the command of the farm's client for the compiler and its
 * arguments, ARGV, into COMMAND, ending in a null pointer. */
void carrier_prefix(const struct carrier *carrier, char **argv, struct words *command);

/* Sets the environment for it: no second try of its own where that can be turned off; its messages
 * go to the file LOG, unless the user wants them elsewhere; and a cache says in the file STATISTICS
 * what it found. COMPILER is the path of the real one: for a cache another time or size of its file
 * makes it another one. */
void carrier_environment(const struct carrier *carrier, const char *self, const char *compiler,
                         const char *log, const char *statistics);

/* Takes out of the environment what was set for a carrier, and by it, before the job's own command
 * is run: that may be one that goes through the same program. In a cache it would call this program
 * again and again, and a farm's client would refuse it. */
void carrier_environment_end(void);

/* Whether the compilation was found in a cache, as STATISTICS says. */
bool carrier_found(const char *statistics);

/* Whether it is a cache that has nothing behind it but the compiler of this machine. */
bool carrier_is_local(const struct carrier *carrier);

/* Why a carrier that ended with this exit status has not had the compilation done, in a few words
 * for a summary. */
const char *carrier_reason(const struct carrier *carrier, int status);

/* Whether that is the carrier's own word, for what it got no answer to from a compiler, or from
 * dtlto-clang, on the far side. */
bool carrier_is_unanswered(const struct carrier *carrier, int status);

/* Appends the machine that a carrier has sent the compilation to, as its messages in the file LOG
 * call it; nothing where they do not tell. */
void carrier_host(const struct carrier *carrier, const char *log, struct text *host);

/* Why a carrier that has run the compilation on this machine has done so, as far as its messages in
 * the file LOG tell, in a few words. */
const char *carrier_reason_here(const struct carrier *carrier, const char *log);

#endif

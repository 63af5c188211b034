/* The shapes that a job description may have, and the members that a job has in each. */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>

enum shape { UNKNOWN, FLAT, REFERENCES };

/* The members of a job, all of them arrays of strings. */
enum member {
    ARGS,
    INPUTS,
    OUTPUTS,
    PRIMARY_INPUT,
    SUMMARY_INDEX,
    PRIMARY_OUTPUT,
    IMPORTS,
    ADDITIONAL_INPUTS,
    ADDITIONAL_OUTPUTS,
    MEMBER_COUNT,
};

struct member_rule {
    const char *name;
    enum shape shape;
    bool required;
    bool single;     /* holds exactly one string */
    bool file_names; /* its strings may not be empty */
};

extern const struct member_rule members[MEMBER_COUNT];

/* Which member of a job KEY is; MEMBER_COUNT where it is none. */
enum member find_member(const char *key);

/* The shape for people, with the members that tell it. */
const char *shape_text(enum shape shape);

#endif

#include "shape.h"

#include <string.h>

const struct member_rule members[MEMBER_COUNT] = {
    [ARGS] = {"args", FLAT, true, false, false},
    [INPUTS] = {"inputs", FLAT, true, false, true},
    [OUTPUTS] = {"outputs", FLAT, true, false, true},
    [PRIMARY_INPUT] = {"primary_input", REFERENCES, true, true, true},
    [SUMMARY_INDEX] = {"summary_index", REFERENCES, true, true, true},
    [PRIMARY_OUTPUT] = {"primary_output", REFERENCES, true, true, true},
    [IMPORTS] = {"imports", REFERENCES, false, false, true},
    [ADDITIONAL_INPUTS] = {"additional_inputs", REFERENCES, false, false, true},
    [ADDITIONAL_OUTPUTS] = {"additional_outputs", REFERENCES, false, false, true},
};

enum member find_member(const char *key)
{
    int i = 0;
    while (i < MEMBER_COUNT && strcmp(members[i].name, key) != 0)
        i++;
    return (enum member)i;
}

const char *shape_text(enum shape shape)
{
    return shape == FLAT ? "the flat shape (args, inputs, outputs)"
                         : "the reference shape (primary_input, summary_index, primary_output)";
}

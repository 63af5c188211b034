#include "jobs.h"

struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(object, key, &value);
    return value;
}

size_t length(struct json_object *array)
{
    return array ? json_object_array_length(array) : 0;
}

const char *item(struct json_object *array, size_t index)
{
    return json_object_get_string(json_object_array_get_idx(array, index));
}

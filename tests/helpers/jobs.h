/* Reads a job description that json-c has parsed, for the distributors among the tests and the
 * benchmarks. What is not there counts as empty, and nothing is checked: lld has written it. */
#ifndef JOBS_H
#define JOBS_H

#include <json-c/json.h>
#include <stddef.h>

/* A null pointer where OBJECT has no such member, or is a null pointer itself. */
struct json_object *member(struct json_object *object, const char *key);

/* 0 for a null pointer. */
size_t length(struct json_object *array);

/* The string at INDEX, which belongs to ARRAY. */
const char *item(struct json_object *array, size_t index);

#endif

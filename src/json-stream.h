/* Reads a JSON file piece by piece, strictly, in memory bounded by the largest single value that
 * is asked for, never by the file.
 *
 * json-c does the decoding, one tokener run a value; this module walks the objects and arrays
 * around the values and refuses what json-c lets pass even with JSON_TOKENER_STRICT (seen with
 * json-c 0.16): duplicate keys, NUL bytes, raw control characters and \u0000 in strings, lone
 * surrogates, overlong UTF-8, NaN, Infinity, "1." and "-01", bytes after the end.
 *
 * Every error is printed as "FILE: line L, column C: PATH: expected X, found Y", where PATH is the
 * place in the document, such as jobs[3].inputs[1]. Columns count bytes from 1. */
#ifndef JSON_STREAM_H
#define JSON_STREAM_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "message.h"
#include "text.h"

struct json_stream;

/* Opens the file. Returns a null pointer after a message, with *STATUS set. The caller closes the
 * stream with json_close, which takes a null pointer too. PATH must outlive the stream. */
struct json_stream *json_open(const char *path, enum status *status);
void json_close(struct json_stream *stream);

/* Enters the object (KIND '{') or array (KIND '[') that comes next; it is an error if something
 * else does. */
enum status json_begin(struct json_stream *stream, char kind);

/* Moves to the next member or element of the innermost object or array. Returns true if there is
 * one: its value must then be read or skipped before the next call. Returns false at the end of
 * the container, which is left, and, with *STATUS set, at an error. */
bool json_next(struct json_stream *stream, enum status *status);

/* The key of the member that json_next moved to; valid until the next call of json_next. */
const char *json_key(const struct json_stream *stream);

/* Decodes the value that comes next. On STATUS_OK *VALUE is the caller's to json_object_put (it is
 * a null pointer for null). Meant for values without objects in them: duplicate keys inside the
 * value are not noticed. */
enum status json_value(struct json_stream *stream, struct json_object **value);

/* Reads the value that comes next if it is an array of plain strings, that is ASCII without escapes
 * and none of them empty, as nearly all arrays of a description are: appends each with a NUL behind
 * it to STORAGE, and counts them in *COUNT. Returns false, with nothing read, nothing changed and
 * nothing printed, where the value is anything else: json_value then tells. This is many times
 * faster than a tree of json-c. */
bool json_plain_strings(struct json_stream *stream, struct text *storage, size_t *count);

/* Passes over the value that comes next, whatever it is, checking it as strictly. */
enum status json_skip(struct json_stream *stream);

/* Checks that nothing but white space follows. */
enum status json_end(struct json_stream *stream);

/* The place in the document where the stream is, such as jobs[3].args; valid until the next call
 * of any function here. */
const char *json_path(struct json_stream *stream);

/* The byte offset of what comes next, and a way back to it: json_seek makes the stream stand
 * before the value at OFFSET, as the element INDEX of the array KEY of the outermost object, or
 * before that array itself where INDEX is -1. The file must be seekable; else it is an error. */
off_t json_tell(const struct json_stream *stream);
enum status json_seek(struct json_stream *stream, off_t offset, const char *key, ssize_t index);

#endif

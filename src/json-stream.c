#include "json-stream.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json-input.h"
#include "memory.h"
#include "utf8.h"

enum {
    MAX_DEPTH = JSON_TOKENER_DEFAULT_DEPTH,
};

/* One object or array that the stream is inside of. */
struct frame {
    char kind;        /* '{' or '[' */
    bool started;     /* a first member or element was seen */
    size_t index;     /* of the current element */
    char **keys;      /* of an object: owned, the last one is the current one */
    size_t key_count; /* linear search: the objects here have a handful of members */
    size_t key_room;
};

struct json_stream {
    struct input input;
    struct frame frames[MAX_DEPTH];
    size_t depth;
    struct json_tokener *tokener;
    struct text place; /* for json_path */
};

struct json_stream *json_open(const char *path, enum status *status)
{
    struct json_stream *stream = allocate(sizeof *stream);

    *stream = (struct json_stream){.depth = 0};
    *status = input_open(&stream->input, path);
    if (*status != STATUS_OK) {
        free(stream);
        return NULL;
    }
    stream->tokener = json_tokener_new_ex(MAX_DEPTH);
    if (!stream->tokener)
        out_of_memory();
    json_tokener_set_flags(stream->tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    return stream;
}

static int peek(struct json_stream *stream, size_t ahead)
{
    return input_peek(&stream->input, ahead);
}

static void leave(struct json_stream *stream)
{
    struct frame *frame = &stream->frames[--stream->depth];
    for (size_t i = 0; i < frame->key_count; i++)
        free(frame->keys[i]);
    free(frame->keys);
}

void json_close(struct json_stream *stream)
{
    if (!stream)
        return;
    while (stream->depth > 0)
        leave(stream);
    json_tokener_free(stream->tokener);
    text_free(&stream->place);
    input_close(&stream->input);
    free(stream);
}

static void add_place(struct json_stream *stream)
{
    text_clear(&stream->place);
    for (size_t i = 0; i < stream->depth; i++) {
        const struct frame *frame = &stream->frames[i];
        if (!frame->started)
            break;
        if (frame->kind == '[')
            text_printf(&stream->place, "[%zu]", frame->index);
        else
            text_printf(&stream->place, "%s%s", i ? "." : "", frame->keys[frame->key_count - 1]);
    }
}

const char *json_path(struct json_stream *stream)
{
    add_place(stream);
    return stream->place.data;
}

const char *json_key(const struct json_stream *stream)
{
    const struct frame *frame = &stream->frames[stream->depth - 1];
    return frame->keys[frame->key_count - 1];
}

static void describe_byte(struct text *out, int c)
{
    if (c == INPUT_END)
        text_puts(out, "the end of the file");
    else if (c == 0)
        text_puts(out, "a NUL byte");
    else if (c == '\n')
        text_puts(out, "a newline");
    else if (c == '"')
        text_puts(out, "a string");
    else if (c < 0x20 || c >= 0x7f)
        text_printf(out, "the byte 0x%02x", (unsigned)c);
    else
        text_printf(out, "'%c'", c);
}

/* Prints what was expected AHEAD bytes after the next one. ITEM, if it is not negative, is the
 * element of the value that was being read. FOUND may be a null pointer: the byte itself. */
static enum status fault(struct json_stream *stream, size_t ahead, ssize_t item,
                         const char *expected, const char *found)
{
    int c = peek(stream, ahead);
    if (c == INPUT_BROKEN)
        return STATUS_SYSTEM;

    size_t line;
    long long column;
    input_place(&stream->input, ahead, &line, &column);
    struct text what = {0};
    if (found)
        text_puts(&what, found);
    else
        describe_byte(&what, c);
    add_place(stream);
    if (item >= 0)
        text_printf(&stream->place, "[%zd]", item);
    message("%s: line %zu, column %lld: %s%sexpected %s, found %s", stream->input.path, line,
            column, stream->place.data, stream->place.length ? ": " : "", expected, what.data);
    text_free(&what);
    return STATUS_USAGE;
}

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next byte that is not white space, as peek has it. */
static int peek_token(struct json_stream *stream)
{
    int c;
    while (is_space(c = peek(stream, 0)))
        stream->input.from++;
    return c;
}

/* Whether C may stand in a string as it is and is ASCII. */
static bool is_plain(int c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* How many of the LENGTH bytes at TEXT, from the first on, are such; eight at a time. */
static size_t plain_span(const char *text, size_t length)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones * 0x80;
    size_t at = 0;

    for (; length - at >= 8; at += 8) {
        uint64_t bytes, quotes, backslashes;
        memcpy(&bytes, text + at, 8);
        quotes = bytes ^ ones * '"';
        backslashes = bytes ^ ones * '\\';
        /* The high bit of a byte of X - ONES * N, if X has it clear, is set where the byte is below
         * N, and perhaps in bytes above such a one. */
        uint64_t special = bytes | (bytes - ones * 0x20) | (quotes - ones) | (backslashes - ones);
        if (special & highs)
            break;
    }
    while (at < length && is_plain((unsigned char)text[at]))
        at++;
    return at;
}

static enum status scan_utf8(struct json_stream *stream, size_t *at, ssize_t item)
{
    unsigned char bytes[4];
    size_t length = 0;
    int c;

    while (length < sizeof bytes && (c = peek(stream, *at + length)) >= 0)
        bytes[length++] = (unsigned char)c;
    size_t size = utf8_sequence(bytes, length);
    if (size == 0)
        return fault(stream, *at, item, "UTF-8", NULL);
    *at += size;
    return STATUS_OK;
}

/* The value of the four hexadecimal digits AT, or -1. */
static int hex4(struct json_stream *stream, size_t at)
{
    int value = 0;
    for (size_t i = 0; i < 4; i++) {
        int c = peek(stream, at + i);
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = c > 0 ? strchr(digits, c) : NULL;
        if (!digit)
            return -1;
        value = value * 16 + (int)((digit - digits) % 16);
    }
    return value;
}

/* AT is behind the "\u". */
static enum status scan_unicode(struct json_stream *stream, size_t *at, ssize_t item)
{
    int value = hex4(stream, *at);
    if (value < 0)
        return fault(stream, *at, item, "four hexadecimal digits after \\u", NULL);
    if (value == 0)
        return fault(stream, *at - 2, item, "no NUL in a string", "\\u0000");
    if (value >= 0xd800 && value <= 0xdfff) {
        bool pair = value < 0xdc00 && peek(stream, *at + 4) == '\\' && peek(stream, *at + 5) == 'u';
        int low = pair ? hex4(stream, *at + 6) : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return fault(stream, *at - 2, item, "a pair of surrogates", "half of one");
        *at += 6;
    }
    *at += 4;
    return STATUS_OK;
}

static enum status scan_escape(struct json_stream *stream, size_t *at, ssize_t item)
{
    int c = peek(stream, ++*at);
    if (c <= 0 || !strchr("\"\\/bfnrtu", c))
        return fault(stream, *at, item, "an escape that JSON knows after the backslash", NULL);
    ++*at;
    return c == 'u' ? scan_unicode(stream, at, item) : STATUS_OK;
}

/* Moves *AT from the opening quote of a string past the closing one. */
static enum status scan_string(struct json_stream *stream, size_t *at, ssize_t item)
{
    enum status status = STATUS_OK;

    ++*at;
    while (status == STATUS_OK) {
        /* The bytes of nearly every string: straight through what is in the buffer. */
        size_t here = stream->input.from + *at;
        if (here < stream->input.to)
            *at += plain_span(stream->input.buffer + here, stream->input.to - here);

        int next = peek(stream, *at);
        if (next == INPUT_BROKEN)
            return STATUS_SYSTEM;
        if (next == INPUT_END)
            return fault(stream, *at, item, "the rest of a string", NULL);
        if (next == '"') {
            ++*at;
            break;
        }
        if (next < 0x20)
            status = fault(stream, *at, item, "no control character in a string", NULL);
        else if (next == '\\')
            status = scan_escape(stream, at, item);
        else if (next >= 0x80)
            status = scan_utf8(stream, at, item);
    }
    return status;
}

/* RFC 8259, section 6. */
static bool is_number(const char *c)
{
    c += *c == '-';
    if (*c == '0')
        c++;
    else if (*c >= '1' && *c <= '9')
        c += strspn(c, "0123456789");
    else
        return false;
    if (*c == '.') {
        size_t digits = strspn(++c, "0123456789");
        if (digits == 0)
            return false;
        c += digits;
    }
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '+' || *c == '-';
        size_t digits = strspn(c, "0123456789");
        if (digits == 0)
            return false;
        c += digits;
    }
    return *c == '\0';
}

/* A number, true, false or null. */
static enum status scan_bare(struct json_stream *stream, size_t *at, ssize_t item)
{
    char word[64];
    size_t length = 0;
    int c;

    while ((c = peek(stream, *at + length)) > 0x20 && c < 0x7f && !strchr("{}[],:\"", c)) {
        if (length + 1 == sizeof word)
            return fault(stream, *at, item, "a value", NULL);
        word[length++] = (char)c;
    }
    if (c == INPUT_BROKEN)
        return STATUS_SYSTEM;
    word[length] = '\0';
    if (length == 0)
        return fault(stream, *at, item, "a value", NULL);
    if (strcmp(word, "true") != 0 && strcmp(word, "false") != 0 && strcmp(word, "null") != 0 &&
        !is_number(word)) {
        char found[sizeof word + 2];
        memcpy(found + 1, word, length);
        found[0] = found[length + 1] = '\'';
        found[length + 2] = '\0';
        return fault(stream, *at, item, "a value", found);
    }
    *at += length;
    return STATUS_OK;
}

/* Finds the end of the value that comes next and checks what json-c would not. How its parts stand
 * to each other (commas, colons, kinds of brackets) is left to json-c. */
static enum status scan_value(struct json_stream *stream, size_t *length)
{
    size_t at = 0, depth = 0, item = 0;
    bool is_array = peek(stream, 0) == '[';
    enum status status = STATUS_OK;

    do {
        ssize_t here = depth > 0 && is_array ? (ssize_t)item : -1;
        int c = peek(stream, at);
        if (c == INPUT_BROKEN)
            return STATUS_SYSTEM;
        if (c == INPUT_END)
            return fault(stream, at, here, "the rest of the value", NULL);
        if (c == '[' || c == '{') {
            if (++depth + stream->depth > MAX_DEPTH)
                return fault(stream, at, here, "at most 32 levels of nesting", "more");
            at++;
        } else if (depth > 0 && (c == ']' || c == '}')) {
            depth--;
            at++;
        } else if (depth > 0 && (c == ',' || c == ':' || is_space(c))) {
            item += depth == 1 && c == ',';
            at++;
        } else if (c == '"') {
            status = scan_string(stream, &at, here);
        } else {
            status = scan_bare(stream, &at, here);
        }
    } while (status == STATUS_OK && depth > 0);
    *length = at;
    return status;
}

static const char *expectation(enum json_tokener_error error)
{
    switch (error) {
    case json_tokener_error_parse_array:
        return "',' or ']'";
    case json_tokener_error_parse_unexpected:
        return "a value";
    case json_tokener_error_parse_object_key_name:
        return "a key in double quotes";
    case json_tokener_error_parse_object_key_sep:
        return "':' after the key";
    case json_tokener_error_parse_object_value_sep:
        return "',' or '}'";
    default:
        return "valid JSON";
    }
}

enum status json_value(struct json_stream *stream, struct json_object **value)
{
    size_t length = 0;

    if (peek_token(stream) == INPUT_BROKEN)
        return STATUS_SYSTEM;
    enum status status = scan_value(stream, &length);
    if (status != STATUS_OK)
        return status;
    if (length >= INT_MAX)
        return fault(stream, 0, -1, "a value of less than 2 GiB", "a larger one");

    json_tokener_reset(stream->tokener);
    *value = json_tokener_parse_ex(stream->tokener, stream->input.buffer + stream->input.from,
                                   (int)length);
    enum json_tokener_error error = json_tokener_get_error(stream->tokener);
    /* A number is never complete for json-c until something follows. */
    if (error == json_tokener_continue) {
        *value = json_tokener_parse_ex(stream->tokener, " ", 1);
        error = json_tokener_get_error(stream->tokener);
    }
    if (error != json_tokener_success)
        return fault(stream, json_tokener_get_parse_end(stream->tokener), -1, expectation(error),
                     NULL);
    stream->input.from += length;
    return STATUS_OK;
}

/* The length of the plain string whose opening quote is AHEAD bytes after the next byte; 0 where
 * there is none, or an empty one. */
static size_t plain_string(struct json_stream *stream, size_t ahead)
{
    size_t length = 0;

    for (;;) {
        size_t at = stream->input.from + ahead + 1 + length;
        if (at < stream->input.to)
            length += plain_span(stream->input.buffer + at, stream->input.to - at);
        int c = peek(stream, ahead + 1 + length);
        if (c == '"')
            return length;
        if (!is_plain(c))
            return 0;
    }
}

static size_t skip_space(struct json_stream *stream, size_t ahead)
{
    while (is_space(peek(stream, ahead)))
        ahead++;
    return ahead;
}

bool json_plain_strings(struct json_stream *stream, struct text *storage, size_t *count)
{
    size_t stored = storage->length;

    *count = 0;
    if (peek_token(stream) != '[')
        return false;
    size_t ahead = skip_space(stream, 1);
    int c = peek(stream, ahead);
    while (c == '"') {
        size_t length = plain_string(stream, ahead);
        if (length == 0)
            break;
        text_write(storage, stream->input.buffer + stream->input.from + ahead + 1, length);
        text_putc(storage, '\0');
        ++*count;
        ahead = skip_space(stream, ahead + length + 2);
        if (peek(stream, ahead) == ']') {
            stream->input.from += ahead + 1;
            return true;
        }
        if (peek(stream, ahead) != ',')
            break;
        ahead = skip_space(stream, ahead + 1);
        c = peek(stream, ahead);
    }
    if (c == ']' && *count == 0) {
        stream->input.from += ahead + 1;
        return true;
    }
    storage->length = stored;
    return false;
}

enum status json_begin(struct json_stream *stream, char kind)
{
    int c = peek_token(stream);
    if (c == INPUT_BROKEN)
        return STATUS_SYSTEM;
    if (c != kind)
        return fault(stream, 0, -1, kind == '{' ? "an object" : "an array",
                     c == '{'   ? "an object"
                     : c == '[' ? "an array"
                                : NULL);
    if (stream->depth == MAX_DEPTH)
        return fault(stream, 0, -1, "at most 32 levels of nesting", "more");
    stream->input.from++;
    stream->frames[stream->depth++] = (struct frame){.kind = kind};
    return STATUS_OK;
}

/* Reads the key of a member, with the colon after it. */
static enum status read_key(struct json_stream *stream, struct frame *frame)
{
    struct json_object *value = NULL;
    /* What goes wrong here is the object's, not its last member's. */
    bool started = frame->started;
    frame->started = false;

    if (peek_token(stream) != '"')
        return fault(stream, 0, -1, "a key in double quotes", NULL);
    off_t start = json_tell(stream);
    enum status status = json_value(stream, &value);
    if (status != STATUS_OK)
        return status;
    char *key = duplicate(json_object_get_string(value));
    json_object_put(value);
    frame->keys = grow(frame->keys, frame->key_count, &frame->key_room, sizeof *frame->keys);
    frame->keys[frame->key_count++] = key;
    frame->started = true;
    for (size_t i = 0; started && i + 1 < frame->key_count; i++) {
        if (strcmp(frame->keys[i], key) == 0) {
            stream->input.from -= (size_t)(json_tell(stream) - start);
            return fault(stream, 0, -1, "each key once", "it again");
        }
    }
    if (peek_token(stream) != ':')
        return fault(stream, 0, -1, "':' after the key", NULL);
    stream->input.from++;
    return STATUS_OK;
}

bool json_next(struct json_stream *stream, enum status *status)
{
    struct frame *frame = &stream->frames[stream->depth - 1];
    char close = frame->kind == '{' ? '}' : ']';
    int c = peek_token(stream);

    *status = STATUS_OK;
    if (c == close) {
        stream->input.from++;
        leave(stream);
        return false;
    }
    if (c == INPUT_BROKEN) {
        *status = STATUS_SYSTEM;
        return false;
    }
    if (frame->started) {
        if (c != ',') {
            *status = fault(stream, 0, -1, close == '}' ? "',' or '}'" : "',' or ']'", NULL);
            return false;
        }
        stream->input.from++;
        frame->index++;
    }
    if (frame->kind == '[')
        frame->started = true;
    else
        *status = read_key(stream, frame);
    return *status == STATUS_OK;
}

enum status json_skip(struct json_stream *stream)
{
    int c = peek_token(stream);
    enum status status;

    if (c == '{' || c == '[') {
        status = json_begin(stream, (char)c);
        if (status != STATUS_OK)
            return status;
        while (json_next(stream, &status) && status == STATUS_OK) {
            status = json_skip(stream);
            if (status != STATUS_OK)
                break;
        }
        return status;
    }
    struct json_object *value = NULL;
    status = json_value(stream, &value);
    if (status == STATUS_OK)
        json_object_put(value);
    return status;
}

enum status json_end(struct json_stream *stream)
{
    int c = peek_token(stream);
    if (c == INPUT_BROKEN)
        return STATUS_SYSTEM;
    return c == INPUT_END ? STATUS_OK : fault(stream, 0, -1, "nothing after the end", NULL);
}

off_t json_tell(const struct json_stream *stream)
{
    return input_tell(&stream->input);
}

enum status json_seek(struct json_stream *stream, off_t offset, const char *key, ssize_t index)
{
    if (!input_seek(&stream->input, offset))
        return STATUS_USAGE;
    while (stream->depth > 0)
        leave(stream);
    struct frame *object = &stream->frames[stream->depth++];
    *object = (struct frame){.kind = '{', .started = true};
    object->keys = grow(NULL, 0, &object->key_room, sizeof *object->keys);
    object->keys[object->key_count++] = duplicate(key);
    if (index >= 0)
        stream->frames[stream->depth++] =
            (struct frame){.kind = '[', .started = true, .index = (size_t)index};
    return STATUS_OK;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * json_field.h - fields of JSON objects, both ways, for the files that read and write JSON; no other includes it.
 *
 * A field that cannot be written, or that is there with the wrong type or out of its range, sets `bad`; the caller asks
 * once at the end, as with a cursor (base/cursor.h). A field that is absent has its default, an unknown one is not
 * looked at, so that a later version may add some.
 *
 * Jansson's integers end at 2^63 - 1: a value beyond is written as a string of digits, and both are read. */
#ifndef XRO_RECORD_JSON_FIELD_H
#define XRO_RECORD_JSON_FIELD_H

#include "base/escape.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xro_json_out {
    json_t *object;
    bool bad;                   /* no memory */
};

struct xro_json_in {
    const json_t *object;
    bool bad;                   /* a field was not understood */
};

static inline struct xro_json_out xro_json_begin(void)
{
    json_t *object = json_object();

    struct xro_json_out out;

    out.object = object;
    out.bad = object == NULL;
    return out;
}

/* Takes VALUE, which may be NULL for "no memory". */
static inline void xro_json_put(struct xro_json_out *out, const char *key, json_t *value)
{
    if (json_object_set_new(out->object, key, value) != 0)
        out->bad = true;
}

/* The finished object, NULL when it is not whole. */
static inline json_t *xro_json_end(struct xro_json_out *out)
{
    if (!out->bad)
        return out->object;
    json_decref(out->object);
    return NULL;
}

/* A JSON string may hold UTF-8 only; other bytes are escaped. */
static inline json_t *xro_json_text(const char *text)
{
    json_t *value = json_string(text);
    size_t length = strlen(text), room = length * 4 + 1;
    char *escaped;

    if (value != NULL)
        return value;
    escaped = (char *)malloc(room);
    if (escaped != NULL)
        value = json_string(xro_escape(text, length, escaped, room));
    free(escaped);
    return value;
}

static inline json_t *xro_json_u64(uint64_t number)
{
    char digits[24];

    if (number <= INT64_MAX)
        return json_integer((json_int_t)number);
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    return json_string(digits);
}

static inline void xro_json_put_text(struct xro_json_out *out, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        xro_json_put(out, key, xro_json_text(text));
}

/* A number other than its default. */
static inline void xro_json_put_u64(struct xro_json_out *out, const char *key, uint64_t number, uint64_t usual)
{
    if (number != usual)
        xro_json_put(out, key, xro_json_u64(number));
}

static inline void xro_json_put_i64(struct xro_json_out *out, const char *key, int64_t number, int64_t usual)
{
    if (number != usual)
        xro_json_put(out, key, json_integer(number));
}

static inline void xro_json_put_true(struct xro_json_out *out, const char *key, bool value)
{
    if (value)
        xro_json_put(out, key, json_true());
}

/* A whole number as xro_json_u64 writes it, at most MOST. */
static inline bool xro_json_is_u64(const json_t *value, uint64_t most, uint64_t *number)
{
    const char *digits;
    uint64_t sum = 0;

    if (json_is_integer(value)) {
        json_int_t integer = json_integer_value(value);
        *number = (uint64_t)integer;
        return integer >= 0 && (uint64_t)integer <= most;
    }
    digits = json_string_value(value);
    if (digits == NULL || digits[0] == '\0')
        return false;
    for (; *digits != '\0'; digits++) {
        unsigned digit = (unsigned)(unsigned char)*digits - '0';
        if (digit > 9 || sum > (most - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

static inline uint64_t xro_json_get_u64(struct xro_json_in *in, const char *key, uint64_t usual, uint64_t most)
{
    const json_t *value = json_object_get(in->object, key);
    uint64_t number = usual;

    if (value != NULL && !xro_json_is_u64(value, most, &number))
        in->bad = true;
    return number;
}

static inline int64_t xro_json_get_i64(struct xro_json_in *in, const char *key, int64_t usual, int64_t least,
                                       int64_t most)
{
    const json_t *value = json_object_get(in->object, key);
    int64_t number;

    if (value == NULL)
        return usual;
    number = json_integer_value(value);
    if (!json_is_integer(value) || number < least || number > most) {
        in->bad = true;
        return usual;
    }
    return number;
}

static inline bool xro_json_get_bool(struct xro_json_in *in, const char *key, bool usual)
{
    const json_t *value = json_object_get(in->object, key);

    if (value == NULL)
        return usual;
    if (!json_is_boolean(value))
        in->bad = true;
    return json_is_true(value);
}

/* The text of KEY, "" when absent; it lives as long as the object. */
static inline const char *xro_json_get_text(struct xro_json_in *in, const char *key)
{
    const json_t *value = json_object_get(in->object, key);

    if (value == NULL)
        return "";
    if (!json_is_string(value)) {
        in->bad = true;
        return "";
    }
    return json_string_value(value);
}

/* Copy TEXT into TO, cut at SIZE, never within a UTF-8 character. */
static inline void xro_json_cut(const char *text, char *to, size_t size)
{
    size_t length = strlen(text);

    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(to, text, length);
    to[length] = '\0';
}

/* The array of KEY, NULL when absent. */
static inline const json_t *xro_json_get_array(struct xro_json_in *in, const char *key)
{
    const json_t *value = json_object_get(in->object, key);

    if (value != NULL && !json_is_array(value)) {
        in->bad = true;
        return NULL;
    }
    return value;
}

#endif

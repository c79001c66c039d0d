/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/path.h"

#include <string.h>

struct xro_span_text xro_text(const char *text)
{
    return (struct xro_span_text){ .bytes = text, .length = strlen(text) };
}

struct xro_span_text xro_path_text(const struct xro_buf *path)
{
    /* An empty buffer may have no memory, and nothing may be added to NULL, not even 0. */
    return (struct xro_span_text){ .bytes = path->bytes ? (const char *)path->bytes : "", .length = path->length };
}

static size_t find(struct xro_span_text text, size_t from, char byte)
{
    const char *p = from < text.length ? memchr(text.bytes + from, byte, text.length - from) : NULL;

    return p ? (size_t)(p - text.bytes) : text.length;
}

/* The place in CGI text where "key=" begins, text.length when it does not; KEY is LENGTH bytes without '='. */
static size_t find_key(struct xro_span_text cgi, const char *key, size_t length)
{
    for (size_t at = 0; at < cgi.length; at = find(cgi, at, '&') + 1)
        if (cgi.length - at > length && memcmp(cgi.bytes + at, key, length) == 0 && cgi.bytes[at + length] == '=')
            return at;
    return cgi.length;
}

enum xro_status xro_path_merge(struct xro_buf *path, struct xro_span_text from, struct xro_span_text opaque)
{
    size_t mark = find(from, 0, '?');
    char separator = '?';
    enum xro_status status;

    path->length = 0;
    status = xro_buf_append(path, from.bytes, mark);
    for (size_t at = mark + 1, end; status == XRO_OK && at < from.length; at = end + 1) {
        end = find(from, at, '&');
        size_t equals = find(from, at, '=');
        size_t length = (equals < end ? equals : end) - at;
        if (end == at || (opaque.length > 0 && find_key(opaque, from.bytes + at, length) < opaque.length))
            continue;           /* the redirect gives this key anew */
        status = xro_buf_append(path, &separator, 1);
        if (status == XRO_OK)
            status = xro_buf_append(path, from.bytes + at, end - at);
        separator = '&';
    }
    if (status != XRO_OK || opaque.length == 0)
        return status;
    if (separator == '?' || opaque.bytes[0] != '&')
        status = xro_buf_append(path, &separator, 1);
    return status == XRO_OK ? xro_buf_append(path, opaque.bytes, opaque.length) : status;
}

/* Put TEXT into PATH at AT. */
static enum xro_status insert(struct xro_buf *path, size_t at, const char *text, size_t length)
{
    enum xro_status status = xro_buf_reserve(path, length);

    if (status != XRO_OK)
        return status;
    memmove(path->bytes + at + length, path->bytes + at, path->length - at);
    memcpy(path->bytes + at, text, length);
    path->length += length;
    return XRO_OK;
}

enum xro_status xro_path_add(struct xro_buf *path, const char *key, const char *value)
{
    struct xro_span_text whole = xro_path_text(path);
    size_t mark = find(whole, 0, '?'), at;
    struct xro_span_text cgi = { .bytes = whole.bytes + (mark < whole.length ? mark + 1 : mark), .length = 0 };
    enum xro_status status;

    cgi.length = whole.length - (size_t)(cgi.bytes - whole.bytes);
    at = find_key(cgi, key, strlen(key));
    if (at < cgi.length) {
        size_t end = (size_t)(cgi.bytes - whole.bytes) + find(cgi, at, '&');
        status = insert(path, end, value, strlen(value));
        return status == XRO_OK ? insert(path, end, ",", 1) : status;
    }
    status = xro_buf_append(path, mark < whole.length ? "&" : "?", 1);
    if (status == XRO_OK)
        status = xro_buf_append(path, key, strlen(key));
    if (status == XRO_OK)
        status = xro_buf_append(path, "=", 1);
    return status == XRO_OK ? xro_buf_append(path, value, strlen(value)) : status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "imposter/tree.h"

#include "proto/xroot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STAT_READABLE = 16, MTIME = 1120176000 };        /* July 2005 */

/* On a mismatch behind a '*', the '*' takes one character more: no recursion, at worst length times pattern steps. */
bool xro_tree_match(const char *pattern, const char *text, size_t length)
{
    const char *star = NULL;
    size_t at = 0, star_at = 0;

    while (at < length) {
        if (*pattern == '*') {
            star = pattern++;
            star_at = at;
        } else if (*pattern != '\0' && (*pattern == '?' || *pattern == text[at])) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star + 1;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Is PATH a directory above FILE? */
static bool above(const char *path, size_t length, const char *file)
{
    if (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 1 && path[0] == '/')
        return true;
    return length > 0 && strncmp(file, path, length) == 0 && file[length] == '/';
}

static bool same(const struct xro_file *file, const char *path, size_t length)
{
    if (file->pattern)
        return xro_tree_match(file->path, path, length);
    return strlen(file->path) == length && memcmp(file->path, path, length) == 0;
}

/* The first line that names PATH; *ABOVE is set when it is a directory above one that does. */
static const struct xro_file *find_in(const struct xro_file *files, const char *path, size_t length, bool *is_above)
{
    for (const struct xro_file *file = files; file != NULL; file = file->next) {
        if (same(file, path, length))
            return file;
        *is_above = *is_above || above(path, length, file->path);
    }
    return NULL;
}

struct xro_found xro_tree_find(const struct xro_script *script, const struct xro_server *server, const char *path,
                               size_t length)
{
    bool is_above = false;
    const struct xro_file *file = find_in(server->files, path, length, &is_above);

    if (file == NULL)
        file = find_in(script->files, path, length, &is_above);
    if (file == NULL && !is_above)
        return (struct xro_found){ .error = XRO_KXR_NOTFOUND };
    if (file != NULL && file->kind == XRO_FILE_DENIED)
        return (struct xro_found){ .error = XRO_KXR_NOTAUTHORIZED };
    return (struct xro_found){ .file = file, .directory = file == NULL || file->kind == XRO_FILE_DIRECTORY };
}

/* Each line of 16 bytes is its own offset: 15 hexadecimal digits and a newline. */
static void fill_offsets(uint64_t offset, uint8_t *bytes, size_t n)
{
    char line[17];

    while (n > 0) {
        size_t within = (size_t)(offset % 16), part = 16 - within < n ? 16 - within : n;
        for (int i = 0; i < 15; i++)
            line[i] = "0123456789abcdef"[(offset - within) >> (4 * (14 - i)) & 15];
        line[15] = '\n';
        memcpy(bytes, line + within, part);
        bytes += part;
        offset += part;
        n -= part;
    }
}

void xro_tree_fill(const struct xro_file *file, uint64_t offset, uint8_t *bytes, size_t n)
{
    switch (file->fill) {
    case XRO_FILL_OFFSETS:
        fill_offsets(offset, bytes, n);
        return;
    case XRO_FILL_ZERO:
        memset(bytes, 0, n);
        return;
    case XRO_FILL_REPEAT:
        for (size_t i = 0; i < n; i++)
            bytes[i] = file->bytes[(offset + i) % file->length];
    }
}

size_t xro_tree_stat(const struct xro_found *found, char text[XRO_STAT_TEXT_SIZE])
{
    uint64_t size = found->file != NULL ? found->file->size : 4096;
    int flags = STAT_READABLE | (found->directory ? XRO_KXR_ISDIR | XRO_KXR_XSET : 0);

    if (found->file != NULL && found->file->offline)
        flags |= XRO_KXR_OFFLINE;
    int n = snprintf(text, XRO_STAT_TEXT_SIZE, "%d %" PRIu64 " %d %d %d %d %s imposter imposter",
                     found->directory ? 2 : 1, size, flags, MTIME, MTIME, MTIME, found->directory ? "0755" : "0644");
    return (size_t)n;
}

/* The name in the directory PATH (without a slash at its end) that FILE lies in or under; its length, 0 for none. */
static size_t name_in(const char *path, size_t length, const struct xro_file *file, const char **name)
{
    if (file->pattern || strncmp(file->path, path, length) != 0 || file->path[length] != '/')
        return 0;
    *name = file->path + length + 1;
    return strcspn(*name, "/");
}

static bool listed_before(const struct xro_file *files, const struct xro_file *end, const char *path, size_t length,
                          const char *name, size_t name_length)
{
    const char *other = "";

    for (const struct xro_file *file = files; file != end && file != NULL; file = file->next)
        if (name_in(path, length, file, &other) == name_length && memcmp(other, name, name_length) == 0)
            return true;
    return false;
}

static enum xro_status add_entry(struct xro_buf *body, const char *name, size_t name_length,
                                 const struct xro_file *file, bool dstat)
{
    bool leaf = name[name_length] == '\0';
    struct xro_found found = { .file = leaf ? file : NULL, .directory = !leaf || file->kind == XRO_FILE_DIRECTORY };
    char text[XRO_STAT_TEXT_SIZE];
    enum xro_status status = xro_buf_append(body, name, name_length);

    if (status == XRO_OK)
        status = xro_buf_append(body, "\n", 1);
    if (status != XRO_OK || !dstat)
        return status;
    status = xro_buf_append(body, text, xro_tree_stat(&found, text));
    return status == XRO_OK ? xro_buf_append(body, "\n", 1) : status;
}

enum xro_status xro_tree_list(const struct xro_script *script, const struct xro_server *server, const char *path,
                              size_t length, bool dstat, struct xro_buf *body)
{
    const struct xro_file *lists[2] = { server->files, script->files };
    enum xro_status status = XRO_OK;

    while (length > 0 && path[length - 1] == '/')
        length--;
    if (dstat)
        status = xro_buf_append(body, ".\n0 0 0 0\n", 10);
    for (size_t i = 0; i < 2; i++)
        for (const struct xro_file *file = lists[i]; file != NULL && status == XRO_OK; file = file->next) {
            const char *name;
            size_t n = name_in(path, length, file, &name);
            if (n == 0 || listed_before(lists[i], file, path, length, name, n) ||
                (i == 1 && listed_before(lists[0], NULL, path, length, name, n)))
                continue;
            status = add_entry(body, name, n, file, dstat);
        }
    if (status == XRO_OK && body->length > 0)
        body->bytes[body->length - 1] = '\0';
    return status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tree.h - the files of a server: what a path is, what stands in it, what lies in a directory. Nothing is stored:
 * bytes are computed from their offset. */
#ifndef XRO_IMPOSTER_TREE_H
#define XRO_IMPOSTER_TREE_H

#include "base/buf.h"
#include "imposter/script.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xro_found {
    int error;                  /* 0, or a kXR_ error code: NotFound, NotAuthorized */
    bool directory;
    const struct xro_file *file;        /* NULL: a directory that is there because something lies in it */
};

/* Does TEXT, of LENGTH bytes, match PATTERN ('*' any characters, '/' too; '?' one)? */
bool xro_tree_match(const char *pattern, const char *text, size_t length);

/* What PATH is on SERVER. */
struct xro_found xro_tree_find(const struct xro_script *script, const struct xro_server *server, const char *path,
                               size_t length);

/* N bytes of FILE from OFFSET on; the caller keeps within its size. */
void xro_tree_fill(const struct xro_file *file, uint64_t offset, uint8_t *bytes, size_t n);

/* The stat text, without a NUL: "id size flags mtime ctime atime mode owner group". Returns its length. */
enum { XRO_STAT_TEXT_SIZE = 160 };
size_t xro_tree_stat(const struct xro_found *found, char text[XRO_STAT_TEXT_SIZE]);

/* kXR_dirlist's body for the directory PATH: names, each with a line of stat when DSTAT. */
enum xro_status xro_tree_list(const struct xro_script *script, const struct xro_server *server, const char *path,
                              size_t length, bool dstat, struct xro_buf *body);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * path.h - the path that a request carries: the user's path, its CGI, what redirects add to it, and the list of
 * servers already tried. Pure functions over text in growing buffers. */
#ifndef XRO_WIRE_PATH_H
#define XRO_WIRE_PATH_H

#include "base/buf.h"
#include "proto/answer.h"

enum { XRO_WIRE_PATH_MAX = 128 * 1024 };        /* EOS redirects carry several KiB of opaque data; 64 KiB is our limit */

/* PATH becomes the path of FROM, then '?', FROM's CGI keys that OPAQUE does not name, then OPAQUE verbatim.
 * PATH and FROM are different buffers. XRO_INVALID when it grows too long, XRO_MEMORY. */
enum xro_status xro_path_merge(struct xro_buf *path, struct xro_span_text from, struct xro_span_text opaque);

/* Append KEY=VALUE to PATH's CGI, or ",VALUE" to that key's value when it is there. */
enum xro_status xro_path_add(struct xro_buf *path, const char *key, const char *value);

/* BUF's bytes as text. */
struct xro_span_text xro_path_text(const struct xro_buf *path);

/* A C string as text. */
struct xro_span_text xro_text(const char *text);

#endif

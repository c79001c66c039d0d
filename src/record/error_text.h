/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * error_text.h - the words for a failure, made from its facts when it is printed. */
#ifndef XRO_RECORD_ERROR_TEXT_H
#define XRO_RECORD_ERROR_TEXT_H

#include "record/sample.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_MESSAGE_SIZE = 1024,    /* room for any message whole */
    XRO_REASON_SIZE = 128       /* room for any reason whole */
};

/* "PHASE: what happened: why", such as "connect: 127.0.0.1:1 refused: Connection refused". OP is the op that failed,
 * NULL when it was none: its hop is named where it is known. A failure outside any phase begins with the op's name,
 * outside any op with "load" (engine set-up) or "process". Cut at SIZE, which must not be 0. Returns TO.
 *
 * The server's text in ERROR is taken to be escaped already (sample.h). */
char *xro_error_format(const struct xro_error *error, const struct xro_op *op, char *to, size_t size);

/* Where it happened: the word before the first colon of the message. Never NULL. */
const char *xro_error_place(const struct xro_error *error, const struct xro_op *op);

/* The reason alone, without hosts, times and texts, so that failures of the same cause can be counted together:
 * "refused", "server error 3011 NotFound", "time limit passed (--timeout)". Cut at SIZE. Returns TO. */
char *xro_error_reason(const struct xro_error *error, char *to, size_t size);

/* Both, "connect: refused": the key to group failures by. */
char *xro_error_key(const struct xro_error *error, const struct xro_op *op, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * plain.h - untrusted text on its way to a terminal or a file. Letters of all scripts pass; what would steer a terminal
 * or turn the direction of writing - control characters, bidirectional and invisible marks, bytes that are no UTF-8 -
 * becomes \xNN, byte by byte. */
#ifndef XRO_REPORT_PLAIN_H
#define XRO_REPORT_PLAIN_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum xro_quoting {
    XRO_QUOTE_NONE,
    XRO_QUOTE_CSV,              /* in double quotes where the text needs them (RFC 4180) */
    XRO_QUOTE_MARKDOWN          /* what means something to Markdown gets a backslash, < and & become entities */
};

void xro_put_plain(FILE *to, const char *text, enum xro_quoting quoting);

/* The columns that TEXT takes without quoting, one for each character. */
size_t xro_plain_width(const char *text);

#ifdef __cplusplus
}
#endif
#endif

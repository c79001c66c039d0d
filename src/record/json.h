/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * json.h - a sample as one line of JSON, both ways: what the child process hands to its parent, and what a results file
 * holds. xrdopen-results(5) describes every key.
 *
 * All of a sample survives the way there and back, except two things: the now_* fields of an op, which matter only
 * while it is being written, and error.detail, a pointer to a constant sentence, which comes back in error.text, before
 * the server's own text and parted from it by ": " when there is one. Text that is no UTF-8 is escaped on the way
 * out. */
#ifndef XRO_RECORD_JSON_H
#define XRO_RECORD_JSON_H

#include "base/status.h"
#include "record/sample.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SAMPLE in one line without newline, to be freed; NULL when there is no memory. Phases of 0 and fields that have their
 * default are left out. */
char *xro_sample_to_line(const struct xro_sample *sample);

/* Read the LENGTH bytes at LINE into SAMPLE, which xro_sample_create made. XRO_INVALID: no JSON, or a sample with
 * fields that cannot be; XRO_UNSUPPORTED: a JSON object, but no sample; the sample is empty then. LINE may hold any
 * bytes. Spans, waits and tries beyond the room are counted and not kept; more hops than there is room for are
 * invalid. */
enum xro_status xro_sample_from_line(const char *line, size_t length, struct xro_sample *sample);

#ifdef __cplusplus
}
#endif
#endif

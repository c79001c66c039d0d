/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * normal.h - what the files of the normal answers share. Private to imposter/normal*.c. */
#ifndef XRO_IMPOSTER_NORMAL_H
#define XRO_IMPOSTER_NORMAL_H

#include "imposter/loop.h"
#include "imposter/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make NORMAL a kXR_error, whatever it was; the second with the text that goes with NotFound or NotAuthorized. */
enum xro_status xro_normal_refuse(struct xro_normal *normal, int code, const char *text);
enum xro_status xro_normal_refuse_path(struct xro_normal *normal, int code);

/* What the turn's path is. */
struct xro_found xro_normal_find(const struct xro_turn *turn);

/* Answers about open files: normal_file.c. */
enum xro_status xro_normal_open(struct xro_turn *turn, struct xro_normal *normal);
enum xro_status xro_normal_close(struct xro_turn *turn, struct xro_normal *normal);
enum xro_status xro_normal_read(struct xro_turn *turn, struct xro_normal *normal);      /* pgread, too */
enum xro_status xro_normal_readv(struct xro_turn *turn, struct xro_normal *normal);
enum xro_status xro_normal_write(struct xro_turn *turn, struct xro_normal *normal);     /* pgwrite and sync, too */

#ifdef __cplusplus
}
#endif
#endif

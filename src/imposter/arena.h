/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * arena.h - memory that is given back all at once: what a parsed script lives in. */
#ifndef XRO_IMPOSTER_ARENA_H
#define XRO_IMPOSTER_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_arena;

struct xro_arena *xro_arena_new(void);

/* SIZE zeroed bytes, aligned for anything; NULL when there are none. */
void *xro_arena_take(struct xro_arena *arena, size_t size);

/* LENGTH bytes copied, with a NUL behind them. */
char *xro_arena_copy(struct xro_arena *arena, const void *bytes, size_t length);

/* NULL is allowed. */
void xro_arena_free(struct xro_arena *arena);

#ifdef __cplusplus
}
#endif
#endif

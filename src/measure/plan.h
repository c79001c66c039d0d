/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * plan.h - in which order a run takes its samples: in rounds, in each of which every row gets one block of samples, the
 * rows in random order. So a drift of machine or server hits all rows alike, and no row always follows the same other. */
#ifndef XRO_MEASURE_PLAN_H
#define XRO_MEASURE_PLAN_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xro_plan {
    size_t row_count;
    uint64_t count;             /* samples per row */
    uint64_t block_size;
    struct xro_random random;
    uint32_t round;
    size_t at;                  /* in the round's order */
    uint32_t *order;
};

struct xro_block {
    uint32_t row, round;
    uint64_t first, count;      /* samples of the row */
};

/* False when memory is short. The same SEED gives the same order. */
bool xro_plan_create(struct xro_plan *plan, size_t row_count, uint64_t count, uint64_t seed);
void xro_plan_close(struct xro_plan *plan);

/* The next block; false when all samples are planned. */
bool xro_plan_next(struct xro_plan *plan, struct xro_block *block);

#endif

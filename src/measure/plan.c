/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/plan.h"

#include <stdlib.h>

enum { BLOCK_MOST = 25, ROUNDS_LEAST = 20 };

/* A new random order (Fisher and Yates). */
static void shuffle(struct xro_plan *plan)
{
    for (size_t i = plan->row_count; i > 1; i--) {
        size_t j = (size_t)xro_random_below(&plan->random, i);
        uint32_t row = plan->order[i - 1];
        plan->order[i - 1] = plan->order[j];
        plan->order[j] = row;
    }
}

bool xro_plan_create(struct xro_plan *plan, size_t row_count, uint64_t count, uint64_t seed)
{
    uint64_t block = count / ROUNDS_LEAST;

    *plan = (struct xro_plan){
        .row_count = row_count, .count = count, .random = { .state = seed },
        .block_size = block < 1 ? 1 : block > BLOCK_MOST ? BLOCK_MOST : block,
        .order = (uint32_t *)calloc(row_count ? row_count : 1, sizeof *plan->order),
    };
    if (plan->order == NULL)
        return false;
    for (size_t i = 0; i < row_count; i++)
        plan->order[i] = (uint32_t)i;
    shuffle(plan);
    return true;
}

void xro_plan_close(struct xro_plan *plan)
{
    free(plan->order);
    plan->order = NULL;
}

bool xro_plan_next(struct xro_plan *plan, struct xro_block *block)
{
    uint64_t first = plan->round * plan->block_size;

    if (plan->at == plan->row_count) {
        plan->at = 0;
        plan->round++;
        first += plan->block_size;
        shuffle(plan);
    }
    if (plan->row_count == 0 || first >= plan->count)
        return false;
    *block = (struct xro_block){
        .row = plan->order[plan->at++], .round = plan->round, .first = first,
        .count = plan->count - first < plan->block_size ? plan->count - first : plan->block_size,
    };
    return true;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * random.h - a small repeatable generator (splitmix64), so that a run can be done again from its seed. Not for secrets. */
#ifndef XRO_BASE_RANDOM_H
#define XRO_BASE_RANDOM_H

#include <stdint.h>

struct xro_random {
    uint64_t state;
};

static inline uint64_t xro_random_next(struct xro_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number in [0, BOUND), each as likely as another (values that would favour the low ones are thrown away).
 * BOUND must not be 0. */
static inline uint64_t xro_random_below(struct xro_random *random, uint64_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound, value = xro_random_next(random);

    while (value >= limit)
        value = xro_random_next(random);
    return value % bound;
}

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "record/sample.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = {
#define O(id, name) [XRO_OP_##id] = name,
    XRO_OPS(O)
#undef O
};

static const struct { const char *name; enum xro_op_kind op; } slots[] = {
#define S(id, name, op) [XRO_SLOT_##id] = { name, XRO_OP_##op },
    XRO_SLOTS(S)
#undef S
};

static const char *const limit_names[] = {
#define L(id, name) [XRO_LIMIT_##id] = name,
    XRO_LIMITS(L)
#undef L
};

static const char *const outcome_names[] = {
#define O(id, name) [XRO_OUTCOME_##id] = name,
    XRO_OUTCOMES(O)
#undef O
};

static const char *const auth_outcome_names[] = {
#define A(id, name) [XRO_AUTH_OUTCOME_##id] = name,
    XRO_AUTH_OUTCOMES(A)
#undef A
};

static const char *const ending_names[] = {
#define E(id, name) [XRO_ENDING_##id] = name,
    XRO_ENDINGS(E)
#undef E
};

/* The index of NAME in NAMES, COUNT when it is not there. */
static unsigned find_name(const char *const *names, unsigned count, const char *name)
{
    unsigned i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

const char *xro_op_name(enum xro_op_kind kind)
{
    return (unsigned)kind < XRO_OP_KINDS ? op_names[kind] : "unknown";
}

enum xro_op_kind xro_op_from_name(const char *name)
{
    return (enum xro_op_kind)find_name(op_names, XRO_OP_KINDS, name);
}

const char *xro_slot_name(enum xro_slot slot)
{
    return (unsigned)slot < XRO_SLOT_COUNT ? slots[slot].name : "unknown";
}

enum xro_op_kind xro_slot_op(enum xro_slot slot)
{
    return slots[slot].op;
}

const char *xro_limit_name(enum xro_limit limit)
{
    return (unsigned)limit < XRO_LIMIT_COUNT ? limit_names[limit] : "unknown";
}

enum xro_limit xro_limit_from_name(const char *name)
{
    return (enum xro_limit)find_name(limit_names, XRO_LIMIT_COUNT, name);
}

const char *xro_outcome_name(enum xro_outcome outcome)
{
    return (unsigned)outcome < XRO_OUTCOME_COUNT ? outcome_names[outcome] : "unknown";
}

enum xro_outcome xro_outcome_from_name(const char *name)
{
    return (enum xro_outcome)find_name(outcome_names, XRO_OUTCOME_COUNT, name);
}

const char *xro_auth_outcome_name(enum xro_auth_outcome outcome)
{
    return (unsigned)outcome < XRO_AUTH_OUTCOME_COUNT ? auth_outcome_names[outcome] : "unknown";
}

enum xro_auth_outcome xro_auth_outcome_from_name(const char *name)
{
    return (enum xro_auth_outcome)find_name(auth_outcome_names, XRO_AUTH_OUTCOME_COUNT, name);
}

const char *xro_ending_name(enum xro_ending ending)
{
    return (unsigned)ending < XRO_ENDING_COUNT ? ending_names[ending] : "unknown";
}

enum xro_ending xro_ending_from_name(const char *name)
{
    return (enum xro_ending)find_name(ending_names, XRO_ENDING_COUNT, name);
}

/* One op's details, allocated together. */
struct op_storage {
    struct xro_hop hops[XRO_HOP_ROOM];
    struct xro_span spans[XRO_SPAN_ROOM];
    struct xro_wait waits[XRO_WAIT_ROOM];
    struct xro_try tries[XRO_TRY_ROOM];
    struct xro_attempt attempts[XRO_ATTEMPT_ROOM];
};

struct sample_storage {
    struct xro_sample sample;
    struct op_storage ops[XRO_SLOT_COUNT];
};

static void lend_storage(struct xro_op *op, struct op_storage *storage)
{
    op->hops = storage->hops;
    op->spans = storage->spans;
    op->waits = storage->waits;
    op->tries = storage->tries;
    op->attempts = storage->attempts;
    op->hop_room = XRO_HOP_ROOM;
    op->span_room = XRO_SPAN_ROOM;
    op->wait_room = XRO_WAIT_ROOM;
    op->try_room = XRO_TRY_ROOM;
    op->attempt_room = XRO_ATTEMPT_ROOM;
}

struct xro_sample *xro_sample_create(void)
{
    struct sample_storage *storage = (struct sample_storage *)xro_memory_touched(sizeof *storage);

    if (storage == NULL)
        return NULL;
    xro_sample_reset(&storage->sample);
    return &storage->sample;
}

void xro_sample_close(struct xro_sample *sample)
{
    free(sample);               /* the sample is the storage's first member */
}

void xro_sample_reset(struct xro_sample *sample)
{
    struct sample_storage *storage = (struct sample_storage *)sample;

    memset(sample, 0, sizeof *sample);
    sample->cpu = -1;
    sample->error.hop = -1;
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++) {
        struct xro_op *op = &sample->ops[slot];
        lend_storage(op, &storage->ops[slot]);
        op->slot = (enum xro_slot)slot;
        op->kind = slots[slot].op;
        op->size = -1;
        op->error.hop = -1;
    }
}

const struct xro_op *xro_sample_failed_op(const struct xro_sample *sample)
{
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++)
        if (sample->ops[slot].error.status != XRO_OK)
            return &sample->ops[slot];
    return NULL;
}

const struct xro_error *xro_sample_error(const struct xro_sample *sample)
{
    const struct xro_op *op;

    if (sample->error.status != XRO_OK)
        return &sample->error;
    op = xro_sample_failed_op(sample);
    return op ? &op->error : NULL;
}

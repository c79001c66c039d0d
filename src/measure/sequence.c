/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/sequence.h"

#include "measure/cpu.h"

#include <stdlib.h>
#include <sys/resource.h>

/* A read that brings nothing, from a file opened well: it is empty. */
static void judge_read(struct xro_op *op)
{
    if (op->kind != XRO_OP_READ || op->error.status != XRO_OK || op->bytes > 0)
        return;
    op->error = (struct xro_error){
        .status = XRO_SHORT, .phase = (enum xro_phase)op->now_phase, .hop = op->now_hop,
        .detail = "the file is empty: there is no byte to read",
    };
}

static xro_ns processor_time(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (xro_ns)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * XRO_NS_PER_S
        + (xro_ns)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * XRO_NS_PER_US;
}

enum xro_status xro_sequence_run(const struct xro_job *job, struct xro_sample *sample)
{
    struct xro_session *session = NULL;
    enum xro_status status;
    uint8_t byte;
    xro_ns begin = xro_clock_now();

    sample->wall = xro_clock_wall();
    status = job->engine->start(job->engine, &job->settings, &session, &sample->error);
    sample->has_load = true;
    sample->load = xro_clock_now() - begin;
    sample->error.status = status;
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT && status == XRO_OK; slot++) {
        struct xro_op *op = &sample->ops[slot];
        job->engine->perform(session, xro_slot_op((enum xro_slot)slot), &byte, 0, 1, op);
        judge_read(op);
        status = op->error.status;
        sample->op_count++;
    }
    sample->cpu = xro_cpu_current();
    sample->cpu_time = processor_time();
    job->engine->stop(session);
    return status;
}

static int compare(const void *a, const void *b)
{
    xro_ns x = *(const xro_ns *)a, y = *(const xro_ns *)b;

    return x < y ? -1 : x > y;
}

double xro_sequence_harness_ns(void)
{
    enum { ROUNDS = 101, OPS = 100 };
    const struct xro_engine *engine = &xro_engine_null;
    const struct xro_settings settings = { .target = "" };
    struct xro_sample *sample = xro_sample_create();
    struct xro_session *session = NULL;
    struct xro_error error;
    xro_ns rounds[ROUNDS];
    uint8_t byte;

    if (sample == NULL || engine->start(engine, &settings, &session, &error) != XRO_OK) {
        xro_sample_close(sample);
        return 0;
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        xro_ns begin = xro_clock_now();
        for (unsigned j = 0; j < OPS; j++)
            engine->perform(session, XRO_OP_READ, &byte, 0, 1, &sample->ops[XRO_SLOT_READ]);
        rounds[i] = xro_clock_now() - begin;
    }
    engine->stop(session);
    xro_sample_close(sample);
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    return (double)rounds[ROUNDS / 2] / OPS;
}

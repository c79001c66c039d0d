/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * spawn.h - one sample in a fresh process: this executable again, as `xrdopen sample`, whose line comes back through a
 * pipe. */
#ifndef XRO_MEASURE_SPAWN_H
#define XRO_MEASURE_SPAWN_H

#include "base/buf.h"
#include "measure/job.h"

struct xro_sample_place {              /* of a sample in its run */
    uint32_t row, block;
    uint64_t number;
};

/* The words behind `xrdopen sample`: the job's, then ROW NUMBER BLOCK SPAWNED. */
enum { XRO_SPAWN_WORDS = XRO_JOB_WORDS + 4 };

/* Take one sample of JOB in a process of its own. LINE gets the record, without newline; when the process dies, hangs or
 * prints no record, one that says so. XRO_MEMORY or XRO_IO: no process could be made. IN: a pipe
 * whose other end is held by who wants the sample; when that is closed nobody does, and the process is killed (XRO_CLOSED). */
enum xro_status xro_spawn_sample(const struct xro_job *job, const struct xro_sample_place *place, int in, struct xro_buf *line);

#endif

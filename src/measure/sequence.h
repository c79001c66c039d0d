/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sequence.h - the sequence of 2005, once, in this process: open, close, open, read one byte, close. */
#ifndef XRO_MEASURE_SEQUENCE_H
#define XRO_MEASURE_SEQUENCE_H

#include "measure/job.h"

/* Take one sample of JOB into SAMPLE, which is empty. Ends at the first failure. */
enum xro_status xro_sequence_run(const struct xro_job *job, struct xro_sample *sample);

/* What one op costs when the engine does nothing: the harness itself, in ns, the median of many. */
double xro_sequence_harness_ns(void);

#endif

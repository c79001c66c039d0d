/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * job.h - what is measured how: a target, an engine and its settings, as one line of text, so that it can be handed to
 * another process or another machine. */
#ifndef XRO_MEASURE_JOB_H
#define XRO_MEASURE_JOB_H

#include "engine/engine.h"

enum xro_fresh {
    XRO_FRESH_PROCESS,          /* each sample in a process of its own */
    XRO_FRESH_CONNECTION        /* in one process, each with connections of its own */
};

struct xro_job {
    const struct xro_engine *engine;
    struct xro_settings settings;       /* target points into `line` or is the owner's */
    enum xro_fresh fresh;
};

enum { XRO_JOB_WORDS = 10, XRO_JOB_HOSTS_SIZE = 1024, XRO_JOB_LINE_SIZE = 2 * XRO_PATH_SIZE + XRO_JOB_HOSTS_SIZE + 256 };

/* "ENGINE TIMEOUT_NS CONNECT_TIMEOUT_NS FAMILY FLAGS FRESH HOSTS CA PRELOAD TARGET", HOSTS, CA and PRELOAD
 * "-" for none, cut at SIZE. Returns TO. */
char *xro_job_to_line(const struct xro_job *job, char *to, size_t size);

/* The same back, from its words; the target is not copied. NULL when good, else what is wrong. */
const char *xro_job_from_words(char *const words[XRO_JOB_WORDS], struct xro_job *job);

/* Split LINE in place at blanks into at most COUNT words, the last of which takes the rest; answers how many. */
size_t xro_split_words(char *line, char **words, size_t count);

#endif

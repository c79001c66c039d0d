/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * station.h - a client machine as a run sees it: the agent (agent.h) that takes samples there, on this machine or behind a
 * command such as "ssh host". Whatever an agent says is untrusted: bounded, checked, and its failure costs no other. */
#ifndef XRO_MEASURE_STATION_H
#define XRO_MEASURE_STATION_H

#include "measure/job.h"
#include "record/results.h"

#include <signal.h>

struct xro_station;

/* Start the agent: a child of this process for VIA NULL, else `VIA xrdopen agent` by the shell. PIN: list of processors or
 * NULL. Waits until it has introduced itself, at most LIMIT. NULL: WHY says what went wrong,
 * or *STOP was set by a signal. */
struct xro_station *xro_station_create(const char *via, const char *pin, xro_ns limit, const volatile sig_atomic_t *stop,
                                       char *why, size_t why_size);

/* End the agent and give all back; NULL is allowed. */
void xro_station_close(struct xro_station *station);

/* What the agent told of its machine. */
const struct xro_header *xro_station_header(const struct xro_station *station);

/* Tell the agent of its next row; rows count from 0 in the order told, and their samples bear the run's number ID. */
enum xro_status xro_station_add_row(struct xro_station *station, uint32_t id, const struct xro_job *job);

/* Tell it what the samples of its ROW need ("tls,gsi"), so that it is loaded before the clock runs. */
enum xro_status xro_station_hint(struct xro_station *station, uint32_t row, const char *libraries);

/* Ask for COUNT samples of the station's ROW, numbered from FIRST, of BLOCK. */
enum xro_status xro_station_take(struct xro_station *station, uint32_t row, uint64_t first, uint64_t count, uint32_t block);

/* The next sample's line of the last request, with a NUL behind it, which the station owns until the next call. XRO_CLOSED: there is none left;
 * XRO_INTERRUPTED: *STOP was set by a signal; else the station is broken, and WHY says how. LIMIT: for this one sample. */
enum xro_status xro_station_next(struct xro_station *station, xro_ns limit, const volatile sig_atomic_t *stop, const char **line,
                                 size_t *length, char *why, size_t why_size);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * agent.h - the side of a run that takes the samples, on this machine or behind `--via`. It is told what to do by lines,
 * and answers by lines:
 *
 *     row ID JOB                   the next row, counted from 0, that samples will be asked of (job.h); they bear ID
 *     hint ROW LIBRARIES           its samples need these: load them before the clock runs (engine.h: preload)
 *     take ROW FIRST COUNT BLOCK   take COUNT samples of it, numbered from FIRST
 *
 * Its first line is a header (results.h) with this machine's facts; then for each `take` COUNT samples as they are taken, and
 * {"type":"done"}. It ends when its input does. */
#ifndef XRO_MEASURE_AGENT_H
#define XRO_MEASURE_AGENT_H

#define XRO_AGENT_DONE "{\"type\":\"done\"}"

/* Serve IN and OUT until IN ends; PIN is a list of processors or NULL. 0 when all went well, else an exit code. Enters a
 * private view of the hosts file first (hosts_view.h), so it must be a process of its own. */
int xro_agent_serve(int in, int out, const char *pin);

#endif

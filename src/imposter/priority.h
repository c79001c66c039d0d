/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * priority.h - what the scheduler can do for exact times. */
#ifndef XRO_IMPOSTER_PRIORITY_H
#define XRO_IMPOSTER_PRIORITY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Have sleeps end when they should and not up to 50 us later, where the system lets a process ask for that. */
void xro_priority_exact_sleep(void);

/* Run before all ordinary processes of this processor. Needs privileges; false, with errno, when it was refused. */
bool xro_priority_realtime(void);

#ifdef __cplusplus
}
#endif
#endif

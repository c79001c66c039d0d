/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "imposter/priority.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

void xro_priority_exact_sleep(void)
{
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

bool xro_priority_realtime(void)
{
#ifdef _POSIX_PRIORITY_SCHEDULING
    struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

    return sched_setscheduler(0, SCHED_FIFO, &lowest) == 0;
#else
    errno = ENOTSUP;
    return false;
#endif
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/cpu.h"

#include <sched.h>
#include <stdlib.h>

int32_t xro_cpu_current(void)
{
    return sched_getcpu();
}

/* One number of a list; moves TEXT behind it. -1: none there, or too large for a set. */
static long take_number(const char **text)
{
    char *end;
    long number;

    if (**text < '0' || **text > '9')
        return -1;
    number = strtol(*text, &end, 10);
    *text = end;
    return number < CPU_SETSIZE ? number : -1;
}

const char *xro_cpu_pin(const char *list)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (;;) {
        long first = take_number(&list), last = first;
        if (first >= 0 && *list == '-') {
            list++;
            last = take_number(&list);
        }
        if (first < 0 || last < first)
            return "not a list of processors, such as 0 or 2,4-7";
        for (long cpu = first; cpu <= last; cpu++)
            CPU_SET((unsigned)cpu, &set);
        if (*list == '\0')
            break;
        if (*list++ != ',')
            return "not a list of processors, such as 0 or 2,4-7";
    }
    return sched_setaffinity(0, sizeof set, &set) == 0 ? NULL : "this machine has no such processors, or we may not use them";
}

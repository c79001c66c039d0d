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

static const char no_list[] = "a list of processors, such as 0 or 2,4-7";

/* LIST as a set; NULL when it could be read. */
static const char *read_list(const char *list, cpu_set_t *set)
{
    CPU_ZERO(set);
    for (;;) {
        long first = take_number(&list), last = first;
        if (first >= 0 && *list == '-') {
            list++;
            last = take_number(&list);
        }
        if (first < 0 || last < first)
            return no_list;
        for (long cpu = first; cpu <= last; cpu++)
            CPU_SET((unsigned)cpu, set);
        if (*list == '\0')
            return NULL;
        if (*list++ != ',')
            return no_list;
    }
}

const char *xro_cpu_check(const char *list)
{
    cpu_set_t set, ours;
    const char *wanted = read_list(list, &set);

    if (wanted != NULL || sched_getaffinity(0, sizeof ours, &ours) != 0)
        return wanted;
    CPU_AND(&set, &set, &ours);
    return CPU_COUNT(&set) > 0 ? NULL : "processors that this machine has, and that we may use";
}

const char *xro_cpu_pin(const char *list)
{
    cpu_set_t set;
    const char *wanted = read_list(list, &set);

    if (wanted != NULL)
        return wanted;
    return sched_setaffinity(0, sizeof set, &set) == 0 ? NULL : "processors that this machine has, and that we may use";
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * cpu.h - which processor this runs on, and keeping to some of them. cpu_linux.c does it where Linux can. */
#ifndef XRO_MEASURE_CPU_H
#define XRO_MEASURE_CPU_H

#include <stdint.h>

/* The processor's number, -1 when it cannot be known. */
int32_t xro_cpu_current(void);

/* Whether LIST is one, and names a processor that we may use here. NULL when it will do, else what it has to be. */
const char *xro_cpu_check(const char *list);

/* Keep this process and its children to the processors of LIST, such as "0" or "2,4-7". NULL when done, else what it
 * has to be. */
const char *xro_cpu_pin(const char *list);

#endif

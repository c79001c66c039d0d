/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * memory.h - memory that is really there: zeroed, and every page of it written once, so that no page fault falls between
 * two stamps. (calloc leaves that to the first use, and a compiler makes calloc of malloc and memset.) */
#ifndef XRO_BASE_MEMORY_H
#define XRO_BASE_MEMORY_H

#include <stddef.h>

/* SIZE bytes of zeros, to be freed with free(); NULL when there is no memory. */
void *xro_memory_touched(size_t size);

#endif

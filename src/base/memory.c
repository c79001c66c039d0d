/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/memory.h"

#include <stdlib.h>

enum { PAGE = 4096 };           /* no machine has smaller ones */

void *xro_memory_touched(size_t size)
{
    volatile char *bytes = (volatile char *)calloc(1, size);

    for (size_t i = 0; bytes != NULL && i < size; i += PAGE)
        bytes[i] = 0;
    return (void *)bytes;
}

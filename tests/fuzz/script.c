/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * script.c - fuzz the parser of imposter scripts. */
#include "imposter/script.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct xro_script *script = NULL;
    struct xro_script_error error;
    char *copy = (char *)malloc(size ? size : 1);

    if (size > 0)
        memcpy(copy, bytes, size);
    if ((xro_imposter_parse(copy, size, &script, &error) == XRO_OK) != (script != NULL))
        abort();
    xro_script_free(script);
    free(copy);
    return 0;
}

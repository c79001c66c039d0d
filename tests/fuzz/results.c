/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * results.c - fuzz what is read back: a sample's line and a header's line. A sample that is taken is written out and read
 * again, and has to be the same line. */
#include "record/json.h"
#include "record/results.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct xro_sample *sample = xro_sample_create(), *again = xro_sample_create();
    struct xro_header *header = NULL;
    const char *line = (const char *)bytes;

    if (sample != NULL && again != NULL && xro_sample_from_line(line, size, sample) == XRO_OK) {
        char *first = xro_sample_to_line(sample);
        if (first == NULL || xro_sample_from_line(first, strlen(first), again) != XRO_OK)
            abort();
        char *second = xro_sample_to_line(again);
        if (second == NULL || strcmp(first, second) != 0)
            abort();
        free(first);
        free(second);
    }
    if (xro_header_from_line(line, size, &header) == XRO_OK)
        free(xro_header_to_line(header));
    xro_header_close(header);
    xro_sample_close(sample);
    xro_sample_close(again);
    return 0;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/report.h"

const char *const xro_format_names[] = { "table", "csv", "markdown", "json", NULL };

int xro_report_print(FILE *to, const struct xro_table *table, enum xro_format format, unsigned details)
{
    switch (format) {
    case XRO_FORMAT_TABLE:
        xro_render_table(to, table, details);
        break;
    case XRO_FORMAT_CSV:
        xro_render_csv(to, table, details);
        break;
    case XRO_FORMAT_MARKDOWN:
        xro_render_markdown(to, table, details);
        break;
    case XRO_FORMAT_JSON:
        if (!xro_render_json(to, table))
            return -1;
    }
    return ferror(to) ? -1 : 0;
}

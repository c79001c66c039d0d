/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "record/phase.h"

#include <string.h>

static const struct { const char *name, *text; } phases[] = {
#define P(id, name, text) [XRO_PHASE_##id] = { name, text },
    XRO_PHASES(P)
#undef P
};

const char *xro_phase_name(enum xro_phase phase)
{
    return (unsigned)phase < XRO_PHASE_COUNT ? phases[phase].name : "unknown";
}

const char *xro_phase_text(enum xro_phase phase)
{
    return (unsigned)phase < XRO_PHASE_COUNT ? phases[phase].text : "unknown";
}

enum xro_phase xro_phase_from_name(const char *name)
{
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        if (strcmp(phases[phase].name, name) == 0)
            return (enum xro_phase)phase;
    return XRO_PHASE_COUNT;
}

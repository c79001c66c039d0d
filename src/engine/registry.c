/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "engine/engine.h"

#include <string.h>

static const struct xro_engine *const engines[] = {
    &xro_engine_local, &xro_engine_wire, &xro_engine_xrdcl, &xro_engine_xrdposix, &xro_engine_null,
};

const struct xro_engine *xro_engine_at(size_t index)
{
    return index < sizeof engines / sizeof *engines ? engines[index] : NULL;
}

const struct xro_engine *xro_engine_find(const char *name)
{
    const struct xro_engine *engine;

    for (size_t i = 0; (engine = xro_engine_at(i)) != NULL; i++)
        if (strcmp(engine->name, name) == 0)
            return engine;
    return NULL;
}

const struct xro_engine *xro_engine_default(const struct xro_url *url)
{
    return url->scheme == XRO_SCHEME_FILE ? &xro_engine_local : &xro_engine_wire;
}

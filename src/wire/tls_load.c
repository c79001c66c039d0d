/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/module.h"
#include "wire/tls.h"

#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct xro_tls *library;
static const char *failure;

static void load(void)
{
    char why[XRO_MODULE_WHY_SIZE];
    const void *table;

    switch (xro_module_load(XRO_TLS_MODULE_FILE, XRO_TLS_MODULE_SYMBOL, XRO_TLS_ABI, &table, why)) {
    case XRO_MODULE_LOADED:
        library = (const struct xro_tls *)table;
        break;
    case XRO_MODULE_ABSENT:
        failure = "this xrdopen was built without TLS (libssl-dev)";
        break;
    case XRO_MODULE_BROKEN:
        failure = "the TLS module does not load: it needs the package libssl3";
        break;
    case XRO_MODULE_OTHER:
        failure = "the TLS module is of another version of xrdopen";
        break;
    }
}

const struct xro_tls *xro_tls_library(const char **why)
{
    pthread_once(&once, load);
    if (why != NULL)
        *why = failure;
    return library;
}

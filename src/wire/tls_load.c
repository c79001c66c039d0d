/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/module.h"
#include "wire/tls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct xro_tls *library;
static const char *failure;

static void load(void)
{
    char path[4096];
    void *handle;

    if (!xro_module_path(XRO_TLS_MODULE_FILE, path, sizeof path)) {
        failure = "this xrdopen was built without TLS (libssl-dev)";
        return;
    }
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        failure = "the TLS module does not load: it needs the package libssl3";
        return;
    }
    library = (const struct xro_tls *)dlsym(handle, XRO_TLS_MODULE_SYMBOL);
    if (library == NULL || library->abi != XRO_TLS_ABI) {
        failure = "the TLS module is of another version of xrdopen";
        library = NULL;
    }
}

const struct xro_tls *xro_tls_library(const char **why)
{
    pthread_once(&once, load);
    if (why != NULL)
        *why = failure;
    return library;
}

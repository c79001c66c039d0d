/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "auth/load.h"

#include "auth/files.h"
#include "auth/native.h"
#include "base/module.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PREPARED_MOST = 16, NAME_SIZE = 8 };

struct module {
    const char *file, *symbol;
    const char *lacking;        /* what to say when it is not there */
    bool tried;
    const struct xro_auth_method *table;
    char why[XRO_AUTH_REASON_SIZE];     /* why there is no table */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;       /* over all that follows */
static struct module krb5_module = {
    .file = XRO_AUTH_KRB5_FILE, .symbol = XRO_AUTH_KRB5_SYMBOL,
    .lacking = "the module " XRO_AUTH_KRB5_FILE " is not there: it is built when libkrb5-dev is installed",
};
static struct module xrdsec_module = {
    .file = XRO_AUTH_XRDSEC_FILE, .symbol = XRO_AUTH_XRDSEC_SYMBOL,
    .lacking = "the module " XRO_AUTH_XRDSEC_FILE " is not there: it is built when libxrootd-dev is installed",
};
static char prepared[PREPARED_MOST][NAME_SIZE];
static unsigned prepared_count;

static xro_ns thread_cpu(void)
{
    struct timespec spec;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spec);
    return (xro_ns)spec.tv_sec * XRO_NS_PER_S + (xro_ns)spec.tv_nsec;
}

static void load_once(struct module *module)
{
    char why[XRO_MODULE_WHY_SIZE];
    const void *table;

    module->tried = true;
    switch (xro_module_load(module->file, module->symbol, XRO_AUTH_ABI, &table, why)) {
    case XRO_MODULE_LOADED:
        module->table = (const struct xro_auth_method *)table;
        break;
    case XRO_MODULE_ABSENT:
        snprintf(module->why, sizeof module->why, "%s", module->lacking);
        break;
    case XRO_MODULE_BROKEN:
        snprintf(module->why, sizeof module->why, "the module does not load: %s", why);
        break;
    case XRO_MODULE_OTHER:
        snprintf(module->why, sizeof module->why, "the module is of another version of xrdopen: %s", why);
        break;
    }
}

static bool usable(struct module *module)
{
    if (!module->tried)
        load_once(module);
    return module->table != NULL;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* libkrb5's own module leaves the forwarding of tickets to XRootD's plug-in. */
static struct module *module_of(const char *method, const char *arguments)
{
    if (strcmp(method, "krb5") == 0 && !ends_in(arguments, ",fwd") && usable(&krb5_module))
        return &krb5_module;
    return &xrdsec_module;
}

static bool is_prepared(const struct module *module, const char *method)
{
    if (module == &krb5_module)
        method = "+krb5";       /* not the plug-in of that name */
    for (unsigned i = 0; i < prepared_count; i++)
        if (strcmp(prepared[i], method) == 0)
            return true;
    if (prepared_count < PREPARED_MOST)
        snprintf(prepared[prepared_count++], NAME_SIZE, "%s", method);
    return false;
}

/* gsi reads its environment once: a certificate without a proxy is taken only if it then finds this. */
static enum xro_status check_files(const char *method, const char *arguments, char reason[XRO_AUTH_REASON_SIZE])
{
    struct xro_gsi_files files;
    enum xro_status status = XRO_OK;

    if (strcmp(method, "sss") == 0)
        return xro_sss_check(arguments, reason);
    if (strcmp(method, "gsi") != 0)
        return XRO_OK;
    status = xro_gsi_find(arguments, &files, reason);
    if (status == XRO_OK && files.source == XRO_GSI_PAIR)
        setenv("XrdSecGSICREATEPROXY", "0", 0);
    return status;
}

static const struct xro_auth_method *load_and_prepare(const char *method, const char *arguments,
                                                      enum xro_status *status, char reason[XRO_AUTH_REASON_SIZE])
{
    struct module *module;

    *status = check_files(method, arguments, reason);
    if (*status != XRO_OK)
        return NULL;
    module = module_of(method, arguments);
    if (!usable(module)) {
        *status = xro_auth_say(XRO_MISSING, reason, "%s", module->why);
        return NULL;
    }
    if (module->table->prepare != NULL && !is_prepared(module, method))
        *status = module->table->prepare(method, reason);
    return *status == XRO_OK ? module->table : NULL;
}

const struct xro_auth_method *xro_auth_load(const char *method, const char *arguments, struct xro_auth_cost *cost,
                                            enum xro_status *status, char reason[XRO_AUTH_REASON_SIZE])
{
    const struct xro_auth_method *table = xro_auth_native(method);
    xro_ns begin, begin_cpu;

    *status = XRO_OK;
    reason[0] = '\0';
    if (table != NULL)
        return table;
    begin = xro_clock_now();
    begin_cpu = thread_cpu();
    pthread_mutex_lock(&lock);
    table = load_and_prepare(method, arguments, status, reason);
    pthread_mutex_unlock(&lock);
    cost->load_ns += xro_clock_now() - begin;
    cost->load_cpu_ns += thread_cpu() - begin_cpu;
    return table;
}

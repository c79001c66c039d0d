/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * wire.c - our own client as an engine. */
#include "base/module.h"
#include "engine/engine.h"
#include "wire/driver.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wire_session {
    struct xro_session base;
    struct xro_driver *driver;
    struct xro_tls_settings tls;
    char user[XRO_LOGIN_NAME_SIZE + 1];
};

/* The login name: the URL's, or that of the user who runs us. */
static void find_user(struct wire_session *wire, const struct xro_url *url)
{
    const struct passwd *entry = url->user[0] == '\0' ? getpwuid(geteuid()) : NULL;
    const char *user = url->user[0] != '\0' ? url->user : entry != NULL ? entry->pw_name : "????";

    memcpy(wire->user, user, strnlen(user, XRO_LOGIN_NAME_SIZE));
}

static int address_family(enum xro_family family)
{
    return family == XRO_FAMILY_V4 ? AF_INET : family == XRO_FAMILY_V6 ? AF_INET6 : AF_UNSPEC;
}

static void wire_stop(struct xro_session *session)
{
    if (session != NULL)
        xro_driver_close(((struct wire_session *)session)->driver);
    free(session);
}

/* Load TLS before the clock runs, when it is sure to be needed. */
static enum xro_status prepare_tls(struct wire_session *wire, const struct xro_settings *settings, struct xro_error *error)
{
    if (!settings->url.tls && settings->tls != XRO_TLS_REQUIRE)
        return XRO_OK;
    error->status = xro_driver_prepare_tls(wire->driver, error->text, sizeof error->text);
    if (error->status != XRO_OK)
        error->phase = XRO_PHASE_TLS;
    return error->status;
}

/* Load what will be needed: what an earlier sample needed, else what XrdSecPROTOCOL names. What cannot be loaded is said when
 * it is missed. */
static void preload(struct wire_session *wire, const char *names)
{
    char why[XRO_TLS_WHY_SIZE];

    if (names != NULL && strncmp(names, "tls", 3) == 0 && (names[3] == ',' || names[3] == '\0')) {
        xro_driver_prepare_tls(wire->driver, why, sizeof why);
        names += names[3] == ',' ? 4 : 3;
    }
    if (names == NULL || names[0] != '\0')
        xro_auth_preload(names);
}

/* One open before the sample, all the way, so that there is a TLS session to be resumed. Its outcome does not matter: the
 * sample will meet the same. */
static void make_tls_session(struct wire_session *wire)
{
    struct xro_sample *sample = xro_sample_create();

    if (sample != NULL && xro_driver_perform(wire->driver, XRO_OP_OPEN, NULL, 0, 0, &sample->ops[0]) == XRO_OK)
        xro_driver_perform(wire->driver, XRO_OP_CLOSE, NULL, 0, 0, &sample->ops[1]);
    xro_driver_hang_up(wire->driver);
    xro_sample_close(sample);
}

static struct xro_driver *create_driver(struct wire_session *wire, const struct xro_settings *settings)
{
    bool have_tls = xro_module_is_there(XRO_TLS_MODULE_FILE);
    const struct xro_driver_config driver = {
        .family = address_family(settings->family), .prefer_v4 = settings->prefer_v4,
        .hosts = settings->hosts, .tls = &wire->tls, .resume = settings->tls_resume,
        .watch = settings->watch, .watch_arg = settings->watch_arg,
    };
    const struct xro_client_config client = {
        .clock = xro_clock_monotonic, .host = settings->url.host, .port = settings->url.port, .path = settings->url.path,
        .user = wire->user, .pid = (uint32_t)getpid(), .pipeline = settings->pipeline,
        .tls = settings->url.tls || settings->tls == XRO_TLS_REQUIRE,
        .can_authenticate = true,
        .able_tls = have_tls && settings->tls != XRO_TLS_OFF,
        .no_tls = settings->tls == XRO_TLS_OFF ? "TLS is needed here, and switched off (--tls off)"
            : have_tls ? NULL : "TLS is needed here, and this xrdopen was built without (libssl-dev)",
        .timeout = settings->timeout, .connect_timeout = settings->connect_timeout,
    };

    wire->tls = (struct xro_tls_settings){ .ca = settings->ca };
    find_user(wire, &settings->url);
    return xro_driver_create(&client, &driver);
}

static enum xro_status wire_start(const struct xro_engine *engine, const struct xro_settings *settings,
                                  struct xro_session **session, struct xro_error *error)
{
    struct wire_session *wire = (struct wire_session *)calloc(1, sizeof *wire);

    *session = NULL;
    if (wire == NULL)
        return error->status = XRO_MEMORY;
    wire->base.engine = engine;
    wire->driver = create_driver(wire, settings);
    if (wire->driver == NULL)
        error->status = XRO_MEMORY;
    else
        prepare_tls(wire, settings, error);
    if (error->status != XRO_OK) {
        wire_stop(&wire->base);
        return error->status;
    }
    preload(wire, settings->preload);
    if (settings->tls_resume)
        make_tls_session(wire);
    *session = &wire->base;
    return XRO_OK;
}

static enum xro_status wire_perform(struct xro_session *session, enum xro_op_kind kind, void *data, uint64_t offset,
                                    uint32_t size, struct xro_op *op)
{
    return xro_driver_perform(((struct wire_session *)session)->driver, kind, data, offset, size, op);
}

static const char *wire_version(void)
{
    return NULL;
}

const struct xro_engine xro_engine_wire = {
    .name = "wire",
    .summary = "our own client, straight on the protocol",
    .ops = 1u << XRO_OP_OPEN | 1u << XRO_OP_CLOSE | 1u << XRO_OP_READ | 1u << XRO_OP_STAT | 1u << XRO_OP_PING,
    .start = wire_start, .perform = wire_perform, .stop = wire_stop, .version = wire_version,
};

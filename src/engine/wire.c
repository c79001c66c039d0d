/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * wire.c - our own client as an engine. */
#include "engine/engine.h"
#include "wire/driver.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wire_session {
    struct xro_session base;
    struct xro_driver *driver;
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

static enum xro_status wire_start(const struct xro_engine *engine, const struct xro_settings *settings,
                                  struct xro_session **session, struct xro_error *error)
{
    struct wire_session *wire = (struct wire_session *)calloc(1, sizeof *wire);
    const struct xro_driver_config driver = {
        .family = address_family(settings->family), .prefer_v4 = settings->prefer_v4,
        .hosts = settings->hosts,
        .watch = settings->watch, .watch_arg = settings->watch_arg,
    };
    struct xro_client_config client = {
        .clock = xro_clock_monotonic, .host = settings->url.host, .port = settings->url.port, .path = settings->url.path,
        .pid = (uint32_t)getpid(), .tls = settings->url.tls, .pipeline = settings->pipeline,
        .timeout = settings->timeout, .connect_timeout = settings->connect_timeout,
    };

    *session = NULL;
    if (wire == NULL)
        return error->status = XRO_MEMORY;
    wire->base.engine = engine;
    find_user(wire, &settings->url);
    client.user = wire->user;
    wire->driver = xro_driver_create(&client, &driver);
    if (wire->driver == NULL) {
        free(wire);
        return error->status = XRO_MEMORY;
    }
    *session = &wire->base;
    return XRO_OK;
}

static enum xro_status wire_perform(struct xro_session *session, enum xro_op_kind kind, void *data, uint64_t offset,
                                    uint32_t size, struct xro_op *op)
{
    return xro_driver_perform(((struct wire_session *)session)->driver, kind, data, offset, size, op);
}

static void wire_stop(struct xro_session *session)
{
    if (session != NULL)
        xro_driver_close(((struct wire_session *)session)->driver);
    free(session);
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

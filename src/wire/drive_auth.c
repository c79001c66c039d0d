/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * drive_auth.c - the driver's part of authentication: it has the methods make their credentials, within the deadline. */
#include "wire/drive.h"

#include "wire/errand.h"

#include <stdio.h>
#include <stdlib.h>

/* A step of authentication, as a thread does it: plug-ins may ask a KDC or a name server that does not answer. */
struct auth_step {
    struct xro_auth *auth;
    bool choose;                /* look for the next method; else make credentials */
    struct xro_auth_choice choice;
    struct xro_buf more, credentials;
    bool first;                 /* no answer of the server's to go by */
    enum xro_status status;
    xro_ns cpu;
    char reason[XRO_AUTH_REASON_SIZE];
};

static void take_auth_step(void *arg)
{
    struct auth_step *step = (struct auth_step *)arg;
    static const uint8_t nothing[1];
    const uint8_t *more = step->first ? NULL : step->more.length > 0 ? step->more.bytes : nothing;
    xro_ns cpu = xro_drive_cpu();

    if (step->choose)
        step->status = xro_auth_next(step->auth, &step->choice);
    else
        step->status = xro_auth_credentials(step->auth, more, step->more.length, &step->credentials);
    step->cpu = xro_drive_cpu() - cpu;
    snprintf(step->reason, sizeof step->reason, "%s", step->choose ? "" : xro_auth_reason(step->auth));
}

/* The step, without its authentication, which the link owns. */
static void free_auth_step(struct auth_step *step)
{
    xro_auth_wipe(&step->credentials);
    xro_buf_free(&step->credentials);
    xro_buf_free(&step->more);
    free(step);
}

/* A step that was left behind is done: its authentication, too, is nobody else's any more. */
static void drop_auth_step(void *arg)
{
    struct auth_step *step = (struct auth_step *)arg;

    xro_auth_close(step->auth);
    free_auth_step(step);
}

static struct auth_step *make_auth_step(struct xro_client *client, struct xro_link *link)
{
    struct auth_step *step = (struct auth_step *)calloc(1, sizeof *step);

    if (step == NULL)
        return NULL;
    step->auth = link->auth;
    step->choose = client->state == XRO_CALL_CHOOSE;
    step->first = client->more.bytes == NULL;
    step->more = step->credentials = xro_buf(XRO_AUTH_MOST);
    if (step->choose || step->first || xro_buf_append(&step->more, client->more.bytes, client->more.length) == XRO_OK)
        return step;
    free_auth_step(step);
    return NULL;
}

/* Are all methods that the server offers native? They ask nobody, so they need no thread. */
static bool is_all_native(struct xro_span_text token)
{
    static const char *const native[] = { "host", "unix", "ztn" };
    struct xro_security_offer offer;

    while (xro_next_offer(&token, &offer)) {
        size_t i = 0;
        while (i < 3 && (offer.name.length != strlen(native[i]) || memcmp(offer.name.bytes, native[i], offer.name.length) != 0))
            i++;
        if (i == 3)
            return false;
    }
    return true;
}

/* Do the step until UNTIL; false when it was left behind, and the link's authentication with it. */
static bool finish_auth_step(struct xro_driver *driver, struct xro_link *link, struct auth_step *step, xro_ns until)
{
    struct xro_errand *errand = driver->native[link->index] ? NULL : xro_errand_begin(take_auth_step, drop_auth_step, step);

    if (errand == NULL) {
        take_auth_step(step);
        return true;
    }
    if (!xro_errand_wait(errand, xro_drive_earlier(until, xro_drive_awhile()))) {
        xro_drive_show(driver);
        xro_errand_wait(errand, until);
    }
    if (xro_errand_end(errand))
        return true;
    link->auth = NULL;
    return false;
}

static void report_auth_step(struct xro_client *client, const struct auth_step *step)
{
    const struct xro_auth_choice *choice = &step->choice;

    if (step->choose && step->status != XRO_OK)
        xro_client_no_more_methods(client);
    else if (step->choose && choice->usable)
        xro_client_making(client, choice->method, choice->cost.load_ns);
    else if (step->choose)
        xro_client_passed_over(client, choice->method, choice->status == XRO_UNSUPPORTED ? XRO_AUTH_OUTCOME_SKIPPED
                               : XRO_AUTH_OUTCOME_FAILED, choice->reason, choice->cost.load_ns);
    else if (step->status == XRO_OK)
        xro_client_credentials(client, step->credentials.bytes, step->credentials.length, step->cpu);
    else
        xro_client_no_credentials(client, step->reason, step->cpu);
}

void xro_drive_authenticate(struct xro_driver *driver, struct xro_link *link, xro_ns until)
{
    struct xro_client *client = &driver->client;
    const struct xro_auth_peer peer = { .host = link->host, .user = client->config.user, .fd = driver->fds[link->index],
                                        .tls = link->secure };
    struct auth_step *step;

    if (xro_clock_now() >= until) {
        xro_client_expired(client);
        return;
    }
    if (link->auth == NULL) {
        link->auth = xro_auth_create(&peer, client->token);
        driver->native[link->index] = is_all_native(client->token);
    }
    step = link->auth != NULL ? make_auth_step(client, link) : NULL;
    if (step == NULL) {
        xro_client_no_more_methods(client);
        return;
    }
    if (!finish_auth_step(driver, link, step, until)) {
        xro_client_expired(client);
        return;
    }
    report_auth_step(client, step);
    free_auth_step(step);
}

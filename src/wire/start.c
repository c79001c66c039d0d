/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * start.c - what begins a connection: the answers to handshake, kXR_protocol and kXR_login. */
#include "wire/call.h"

#include "base/escape.h"
#include "wire/path.h"

#include <stdio.h>

void xro_call_handshake_answer(struct xro_client *client, const uint8_t bytes[XRO_HANDSHAKE_ANSWER_SIZE])
{
    struct xro_handshake_answer answer;
    struct xro_span_text text = { .bytes = (const char *)bytes, .length = XRO_HANDSHAKE_ANSWER_SIZE };

    if (!xro_get_handshake_answer(bytes, &answer)) {
        xro_link_down(client->link);
        xro_call_fail(client, XRO_PROTOCOL, "this is no xroot server; it answers", &text);
        return;
    }
    client->link->version = answer.version;
    xro_call_enter(client, XRO_CALL_PROTOCOL, client->now);
}

bool xro_call_encode_login(struct xro_client *client)
{
    struct xro_link *link = client->link;
    static const char own[] = "?xrd.appname=xrdopen";   /* the first byte is one to throw away */
    char cgi[2048];
    struct xro_out out;
    int length = snprintf(cgi, sizeof cgi, "%s%s%.*s", own, link->token.length > 0 ? "&" : "", (int)link->token.length,
                          link->token.length > 0 ? (const char *)link->token.bytes : "");

    if (length < 0 || (size_t)length >= sizeof cgi) {
        xro_call_fail(client, XRO_PROTOCOL, "the redirect's login token is too long", NULL);
        return false;
    }
    out = xro_link_room(link, XRO_REQUEST_HEADER_SIZE + (size_t)length);
    xro_put_login(&out, XRO_STREAM_LOGIN, client->config.pid, client->config.user,
                  XRO_KXR_FULLURL | XRO_KXR_HASIPV64 | XRO_KXR_REDIRFLAGS, cgi);
    xro_link_wrote(link, &out);
    if (!client->flight)
        client->stream = XRO_STREAM_LOGIN;
    if (out.bad)
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
    return !out.bad;
}

/* --- TLS ---------------------------------------------------------------------------------------------------------- */

static bool must_be_secure(const struct xro_client *client)
{
    return client->config.tls || client->link->needs_tls;
}

uint8_t xro_call_protocol_flags(const struct xro_client *client)
{
    bool want = must_be_secure(client) || client->link->asked_tls;

    /* Who says that it can do TLS must not send plain bytes behind this request: one flight does not say so. */
    if (!client->config.able_tls || client->flight)
        return XRO_KXR_SECREQS;
    return XRO_KXR_SECREQS | XRO_KXR_ABLETLS | (want ? XRO_KXR_WANTTLS : 0);
}

/* The server demands TLS for login or session and does not begin it: some announce it and never do (xrootd.tls data
 * of 5.5.3). Asked with wantTLS it does. */
static void ask_for_tls(struct xro_client *client)
{
    struct xro_out out = xro_link_room(client->link, XRO_REQUEST_HEADER_SIZE);

    client->link->asked_tls = true;
    xro_put_protocol(&out, XRO_STREAM_PROTOCOL, xro_call_protocol_flags(client), XRO_KXR_EXPLOGIN);
    xro_link_wrote(client->link, &out);
    if (out.bad)
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
    else
        xro_call_enter(client, XRO_CALL_PROTOCOL, xro_call_stamp(client));
}

enum tls_step { GO_ON, BEGIN_TLS, ASK_FOR_TLS, TLS_IMPOSSIBLE };

/* What the server's FLAGS mean for this link: the rules of TLS, all in one place. *WRONG: why it is impossible. */
static enum tls_step judge_tls(const struct xro_client *client, uint32_t flags, const char **wrong)
{
    bool able = client->config.able_tls && !client->flight, asked = client->link->asked_tls || must_be_secure(client);
    bool demands = flags & (XRO_KXR_TLSLOGIN | XRO_KXR_TLSSESS);

    *wrong = NULL;
    if (flags & XRO_KXR_GOTOTLS) {
        if (able)
            return BEGIN_TLS;
        *wrong = "server goes on in TLS, which was not asked for";
    } else if (must_be_secure(client) && !client->config.able_tls) {
        *wrong = client->config.no_tls ? client->config.no_tls : "TLS is a must here, and switched off";
    } else if (must_be_secure(client) && !(flags & XRO_KXR_HAVETLS)) {
        *wrong = "TLS is a must here, and the server has none";
    } else if (demands && !able) {
        *wrong = client->config.no_tls ? client->config.no_tls : "server demands TLS, which is not to be had here";
    } else if (asked) {
        *wrong = "server does not begin TLS although it was asked to";
    } else {
        return demands ? ASK_FOR_TLS : GO_ON;
    }
    return TLS_IMPOSSIBLE;
}

void xro_client_securing(struct xro_client *client)
{
    xro_call_enter(client, XRO_CALL_TLS, xro_call_stamp(client));
}

void xro_client_secured(struct xro_client *client, const struct xro_tls_facts *facts)
{
    client->op->hops[client->op->now_hop].tls = *facts;
    client->link->secure = true;
    if (xro_call_encode_login(client))
        xro_call_enter(client, XRO_CALL_LOGIN, xro_call_stamp(client));
}

void xro_client_not_secured(struct xro_client *client, const char *why)
{
    struct xro_span_text text = xro_text(why);

    xro_call_stamp(client);
    client->op->hops[client->op->now_hop].ending = XRO_ENDING_BROKEN;
    xro_link_down(client->link);
    xro_call_fail(client, XRO_TLS, NULL, &text);
}

/* --- kXR_protocol --------------------------------------------------------------------------------------------------- */

static void go_on_to_login(struct xro_client *client)
{
    if (client->flight) {
        client->stream = XRO_STREAM_LOGIN;
        xro_call_enter(client, XRO_CALL_LOGIN, client->now);
    } else if (xro_call_encode_login(client)) {
        xro_call_enter(client, XRO_CALL_LOGIN, xro_call_stamp(client));
    }
}

static void keep_signing_rules(struct xro_link *link, const struct xro_protocol_answer *protocol)
{
    size_t count = protocol->override_count < XRO_SIGN_REQUESTS ? protocol->override_count : XRO_SIGN_REQUESTS;

    link->signing = protocol->signing;
    link->sign_options = protocol->signing_options;
    link->sign_level = protocol->signing_level;
    link->sign_override_count = (uint8_t)count;
    if (count > 0)
        memcpy(link->sign_overrides, protocol->overrides, 2 * count);
}

void xro_call_protocol_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_hop *hop = &client->op->hops[client->op->now_hop];
    struct xro_protocol_answer protocol;
    const char *wrong;

    if (!xro_get_protocol_answer(body, answer.length, &protocol)) {
        xro_call_violation(client, "answer to kXR_protocol is too short");
        return;
    }
    hop->version = client->link->version = protocol.version;
    hop->flags = client->link->flags = protocol.flags;
    keep_signing_rules(client->link, &protocol);
    switch (judge_tls(client, protocol.flags, &wrong)) {
    case GO_ON:
        go_on_to_login(client);
        break;
    case BEGIN_TLS:
        xro_call_enter(client, XRO_CALL_SECURE, client->now);
        break;
    case ASK_FOR_TLS:
        ask_for_tls(client);
        break;
    case TLS_IMPOSSIBLE:
        if (!xro_call_step_by_step(client))
            xro_call_fail(client, XRO_TLS, wrong, NULL);
        break;
    }
}

/* --- kXR_login ------------------------------------------------------------------------------------------------------ */

/* What the server offers, as "gsi, krb5, unix". */
static void list_offers(struct xro_span_text token, char *to, size_t size)
{
    struct xro_security_offer offer;
    size_t used = 0;

    to[0] = '\0';
    while (xro_next_offer(&token, &offer) && used + 1 < size) {
        int n = snprintf(to + used, size - used, "%s%.*s", used ? ", " : "", (int)(offer.name.length < 16 ? offer.name.length : 16),
                         offer.name.bytes);
        used = n < 0 || (size_t)n >= size - used ? size - 1 : used + (size_t)n;
    }
    if (used == 0)
        snprintf(to, size, "nothing that is understood");
}

void xro_call_login_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_login_answer login;
    char offers[200];

    if (!xro_get_login_answer(body, answer.length, &login)) {
        xro_call_violation(client, "answer to kXR_login is too short for a session id");
        return;
    }
    if (login.token.length > 0) {
        struct xro_span_text text = { .bytes = offers };

        if (xro_call_step_by_step(client))
            return;
        if (client->config.can_authenticate) {
            if (!xro_call_copy(client, &client->offer, login.token.bytes, login.token.length, &client->token))
                return;
            client->since = client->now;
            xro_call_enter(client, XRO_CALL_CHOOSE, client->now);
            return;
        }
        list_offers(login.token, offers, sizeof offers);
        text.length = strlen(offers);
        xro_call_fail(client, XRO_AUTH, "server demands authentication, which cannot be done here; it offers", &text);
        return;
    }
    xro_call_ready(client);
}

void xro_call_ready(struct xro_client *client)
{
    client->link->ready = true;
    client->connect_deadline = XRO_NEVER;
    xro_call_note_manager(client);
    if (client->flight)
        xro_call_sent(client, client->now);
    else
        xro_call_send(client);
}

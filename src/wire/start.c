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

static const char *tls_demand(uint32_t flags)
{
    if (flags & XRO_KXR_GOTOTLS)
        return "server goes on in TLS, which was not asked for";
    if (flags & (XRO_KXR_TLSLOGIN | XRO_KXR_TLSSESS))
        return "server demands TLS, which this xrdopen does not have";
    return NULL;
}

void xro_call_protocol_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body)
{
    struct xro_hop *hop = &client->op->hops[client->op->now_hop];
    struct xro_protocol_answer protocol;
    const char *demand;

    if (!xro_get_protocol_answer(body, answer.length, &protocol)) {
        xro_call_violation(client, "answer to kXR_protocol is too short");
        return;
    }
    hop->version = client->link->version = protocol.version;
    hop->flags = client->link->flags = protocol.flags;
    demand = tls_demand(protocol.flags);
    if (demand != NULL) {
        xro_call_fail(client, XRO_TLS, demand, NULL);
    } else if (client->flight) {
        client->stream = XRO_STREAM_LOGIN;
        xro_call_enter(client, XRO_CALL_LOGIN, client->now);
    } else if (xro_call_encode_login(client)) {
        xro_call_enter(client, XRO_CALL_LOGIN, xro_call_stamp(client));
    }
}

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
        list_offers(login.token, offers, sizeof offers);
        text.length = strlen(offers);
        xro_call_fail(client, XRO_AUTH, "server demands authentication, which this xrdopen cannot do yet; it offers", &text);
        return;
    }
    client->link->ready = true;
    client->connect_deadline = XRO_NEVER;
    xro_call_note_manager(client);
    if (client->flight)
        xro_call_sent(client, client->now);
    else
        xro_call_send(client);
}

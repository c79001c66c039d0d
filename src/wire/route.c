/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * route.c - the call's way from server to server: hops, redirects, and the way back to the manager when a server it
 * chose is dead or has not the file. The rules are the official client's (XrdCl 5.5.3: RedirectLimit 16; retry at the
 * first manager with tried= and triedrc=). */
#include "base/escape.h"
#include "wire/call.h"
#include "wire/path.h"

/* --- hops -------------------------------------------------------------------------------------------------------- */

static void describe_hop(struct xro_client *client, struct xro_hop *hop)
{
    const struct xro_link *link = client->link;

    client->hop_links[client->op->now_hop] = link->ready ? (int8_t)link->index : -1;
    hop->reused = link->ready;
    hop->pipelined = client->flight;
    for (uint16_t i = 0; i < client->op->now_hop && hop->same_as == XRO_NO_HOP; i++)
        if (client->op->hops[i].port == hop->port && strcmp(client->op->hops[i].host, hop->host) == 0)
            hop->same_as = i;
    if (!link->ready)
        return;
    hop->version = link->version;
    hop->flags = link->flags;
}

void xro_call_hop(struct xro_client *client, struct xro_link *link)
{
    char host[XRO_HOST_SIZE];
    uint16_t index;

    xro_escape(link->host, strlen(link->host), host, sizeof host);
    client->link = link;
    /* Where TLS is a must, nothing but the handshake may go out in the clear. */
    client->flight = client->config.pipeline && !link->step_by_step && !link->ready && !client->config.tls && !link->needs_tls;
    /* What has passed since the last event is this hop's: deciding on it. */
    xro_call_end_pause(client, client->now);
    index = xro_timeline_hop(client->op, host, link->port, client->now);
    describe_hop(client, &client->op->hops[index]);
    if (link->ready) {
        xro_call_note_manager(client);
        xro_call_send(client);
    } else {
        xro_link_down(link);
        if (client->config.connect_timeout > 0)
            client->connect_deadline = xro_ns_add(client->now, client->config.connect_timeout);
        xro_call_enter(client, XRO_CALL_RESOLVE, client->now);
    }
}

/* A stream id for the next request, none of those with a fixed use. */
static uint16_t next_stream(struct xro_client *client)
{
    if (client->next_stream < XRO_STREAM_FIRST_REQUEST)
        client->next_stream = XRO_STREAM_FIRST_REQUEST;
    return client->next_stream++;
}

/* Put the signature before the last LENGTH bytes of the output, which are the request, when it has to have one. */
static bool sign(struct xro_client *client, size_t length)
{
    struct xro_link *link = client->link;
    struct xro_buf *signature = &client->signature;
    uint8_t *request = link->out.bytes + link->out.length - length;
    enum xro_status status = XRO_OK;

    if (!xro_sign_wanted(&link->sign, request))
        return true;
    signature->length = 0;
    status = xro_sign_append(&link->sign, link->auth, request, length, signature);
    if (status == XRO_OK)
        status = xro_buf_reserve(&link->out, signature->length);
    if (status != XRO_OK) {
        xro_call_fail(client, status, "the request cannot be signed", NULL);
        return false;
    }
    request = link->out.bytes + link->out.length - length;      /* reserving may have moved it */
    memmove(request + signature->length, request, length);
    memcpy(request, signature->bytes, signature->length);
    link->out.length += signature->length;
    return true;
}

bool xro_call_encode(struct xro_client *client)
{
    uint16_t stream = next_stream(client);
    struct xro_out out = xro_link_room(client->link, XRO_REQUEST_HEADER_SIZE + client->path.length);
    const char *path = (const char *)client->path.bytes;
    size_t length = client->path.length, before = client->link->out.length;

    switch (client->op->kind) {
    case XRO_OP_OPEN:
        xro_put_open(&out, stream, XRO_KXR_OPEN_READ | XRO_KXR_RETSTAT, path, length);
        break;
    case XRO_OP_CLOSE:
        xro_put_close(&out, stream, client->handle);
        break;
    case XRO_OP_READ:
        xro_put_read(&out, stream, client->handle, client->offset, client->size);
        break;
    case XRO_OP_STAT:
        xro_put_stat(&out, stream, path, length);
        break;
    case XRO_OP_PING:
        xro_put_ping(&out, stream);
        break;
    case XRO_OP_KINDS:
        out.bad = true;
        break;
    }
    if (out.bad) {
        xro_call_fail(client, XRO_MEMORY, NULL, NULL);
        return false;
    }
    xro_link_wrote(client->link, &out);
    client->request_stream = stream;
    return !client->link->sign.any || sign(client, client->link->out.length - before);
}

void xro_call_sent(struct xro_client *client, xro_ns at)
{
    client->stream = client->request_stream;
    xro_call_enter(client, XRO_CALL_REQUEST, at);
}

void xro_call_send(struct xro_client *client)
{
    if (xro_call_encode(client))
        xro_call_sent(client, xro_call_stamp(client));
}

void xro_call_note_manager(struct xro_client *client)
{
    bool meta = client->link->flags & XRO_KXR_ATTRMETA;
    bool first = client->balancer == NULL || (meta && !(client->balancer->flags & XRO_KXR_ATTRMETA));

    if (!(client->link->flags & XRO_KXR_ISMANAGER) || !first)
        return;
    client->first_path.length = 0;
    if (xro_buf_append(&client->first_path, client->path.bytes, client->path.length) == XRO_OK)
        client->balancer = client->link;
}

bool xro_call_step_by_step(struct xro_client *client)
{
    struct xro_link *link = client->link;

    if (!client->flight || client->state < XRO_CALL_HANDSHAKE)
        return false;
    client->op->hops[client->op->now_hop].ending = XRO_ENDING_RETRIED;
    xro_link_down(link);
    link->step_by_step = true;
    xro_call_hop(client, link);
    return true;
}

/* --- redirects --------------------------------------------------------------------------------------------------- */

static void follow(struct xro_client *client, struct xro_span_text host, uint16_t port, struct xro_span_text token, bool tls)
{
    struct xro_link *link = host.length < XRO_HOST_SIZE ? xro_client_link(client, host, port) : NULL;

    if (link == NULL) {
        xro_call_fail(client, host.length < XRO_HOST_SIZE ? XRO_MEMORY : XRO_PROTOCOL,
                      host.length < XRO_HOST_SIZE ? NULL : "redirect names a host whose name is too long", NULL);
        return;
    }
    link->needs_tls = link->needs_tls || tls;
    if (tls && link->ready && !link->secure)
        xro_link_down(link);    /* it is connected in the clear: that will not do any more */
    if (!link->ready) {
        link->token.length = 0;
        if (xro_buf_append(&link->token, token.bytes, token.length) != XRO_OK) {
            xro_call_fail(client, XRO_MEMORY, NULL, NULL);
            return;
        }
    }
    xro_call_hop(client, link);
}

/* PATH becomes MERGED, which takes PATH's old memory. */
static bool merge_path(struct xro_client *client, struct xro_span_text from, struct xro_span_text opaque)
{
    struct xro_buf old = client->path;

    if (xro_path_merge(&client->scratch, from, opaque) != XRO_OK) {
        xro_call_fail(client, XRO_PROTOCOL, "redirect makes the path too long", NULL);
        return false;
    }
    client->path = client->scratch;
    client->scratch = old;
    client->scratch.length = 0;
    return true;
}

/* The front of a URL, up to its path, parsed; false when it is none that we can follow. The path behind it may be longer
 * than any that a user gives, so it is not parsed with it. */
static bool parse_front(struct xro_span_text text, size_t end, struct xro_url *url)
{
    static const char some_path[] = "//x";
    char front[XRO_HOST_SIZE + XRO_USER_SIZE + 32];

    if (end >= sizeof front - sizeof some_path)
        return false;
    memcpy(front, text.bytes, end);
    memcpy(front + end, some_path, sizeof some_path);
    return xro_url_parse(front, url) == NULL && url->scheme == XRO_SCHEME_ROOT;
}

/* Where the path of a URL begins: at the first '/' or '?' behind "://"; the text's length when there is none. */
static size_t find_path(struct xro_span_text text)
{
    size_t i = 0;

    while (i + 3 <= text.length && memcmp(text.bytes + i, "://", 3) != 0)
        i++;
    i += 3;
    while (i < text.length && text.bytes[i] != '/' && text.bytes[i] != '?')
        i++;
    return i < text.length ? i : text.length;
}

/* proto://[user@]host[:port]/path[?cgi]; without a path the one that was asked for stays. */
static void follow_url(struct xro_client *client, struct xro_span_text text)
{
    struct xro_span_text none = { "", 0 }, path;
    size_t slash = find_path(text);
    struct xro_url url;
    bool merged;

    if (!parse_front(text, slash, &url)) {
        xro_call_fail(client, XRO_PROTOCOL, "redirect to a URL that cannot be followed", &text);
        return;
    }
    path = (struct xro_span_text){ .bytes = text.bytes + slash, .length = text.length - slash };
    if (path.length > 0 && path.bytes[0] == '/')
        path = (struct xro_span_text){ .bytes = path.bytes + 1, .length = path.length - 1 };
    if (path.length == 0 || path.bytes[0] == '?')
        merged = merge_path(client, xro_path_text(&client->path), path.length > 0
                            ? (struct xro_span_text){ .bytes = path.bytes + 1, .length = path.length - 1 } : none);
    else
        merged = merge_path(client, path, none);
    if (merged)
        follow(client, xro_text(url.host), url.port, none, url.tls);
}

void xro_call_redirect(struct xro_client *client, const uint8_t *body, size_t length)
{
    struct xro_redirect_answer answer;
    const char *wrong = length > XRO_REDIRECT_TEXT_MAX ? "redirect is too long" : xro_get_redirect_answer(body, length, &answer);
    enum xro_op_kind kind = client->op->kind;

    if (wrong == NULL && (kind == XRO_OP_READ || kind == XRO_OP_CLOSE))
        wrong = "redirect in answer to a request on an open file";
    if (wrong != NULL) {
        xro_call_violation(client, wrong);
        return;
    }
    client->op->hops[client->op->now_hop].ending = XRO_ENDING_REDIRECTED;
    if (++client->redirects > XRO_REDIRECT_LIMIT) {
        xro_call_fail(client, XRO_REDIRECTS, NULL, NULL);
        return;
    }
    if (answer.is_url)
        follow_url(client, answer.host);
    else if (merge_path(client, xro_path_text(&client->path), answer.opaque))
        follow(client, answer.host, answer.port, answer.token, false);
}

/* --- the way back ------------------------------------------------------------------------------------------------ */

/* The reason for triedrc=; "" when the failure is worth another server but has no word, NULL when it is final. */
static const char *tried_reason(int server)
{
    switch (server) {
    case 0:                   return "srverr";          /* connection lost or not to be had */
    case XRO_KXR_NOTFOUND:    return "enoent";
    case XRO_KXR_SERVERERROR: return "srverr";
    case XRO_KXR_FSERROR:     return "fserr";
    case XRO_KXR_IOERROR:     return "ioerr";
    case XRO_KXR_OVERLOADED:
    case XRO_KXR_NOMEMORY:    return "";
    default:                  return NULL;
    }
}

bool xro_call_go_back(struct xro_client *client, int server)
{
    const char *reason = tried_reason(server);
    enum xro_op_kind kind = client->op->kind;
    struct xro_link *failed = client->link;

    if (client->balancer == NULL || client->balancer == failed || reason == NULL
        || (kind != XRO_OP_OPEN && kind != XRO_OP_STAT) || client->redirects >= XRO_REDIRECT_LIMIT)
        return false;
    client->redirects++;
    if (xro_path_add(&client->first_path, "tried", failed->host) != XRO_OK
        || (reason[0] != '\0' && xro_path_add(&client->first_path, "triedrc", reason) != XRO_OK))
        return false;
    client->path.length = 0;
    if (xro_buf_append(&client->path, client->first_path.bytes, client->first_path.length) != XRO_OK)
        return false;
    client->connect_deadline = XRO_NEVER;
    if (client->op->hops[client->op->now_hop].ending == XRO_ENDING_UNDER_WAY)
        client->op->hops[client->op->now_hop].ending = XRO_ENDING_BROKEN;
    xro_call_hop(client, client->balancer);
    return true;
}

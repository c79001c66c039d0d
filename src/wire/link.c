/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * link.c - a client's connections: their memory, not their bytes. */
#include "wire/call.h"
#include "wire/path.h"

#include <stdlib.h>
#include <strings.h>

enum { OUT_FIRST = 1024, BODY_FIRST = 2048 };   /* enough for a usual open: no allocation while the clock runs */

struct xro_link *xro_link_create(uint16_t index)
{
    struct xro_link *link = (struct xro_link *)calloc(1, sizeof *link);

    if (link == NULL)
        return NULL;
    link->index = index;
    link->token = xro_buf(XRO_REDIRECT_TEXT_MAX);
    link->out = xro_buf(2 * XRO_WIRE_PATH_MAX);
    link->body = xro_buf(XRO_BODY_MAX);
    if (xro_buf_reserve(&link->out, OUT_FIRST) != XRO_OK || xro_buf_reserve(&link->body, BODY_FIRST) != XRO_OK) {
        xro_link_close(link);
        return NULL;
    }
    return link;
}

void xro_link_close(struct xro_link *link)
{
    if (link == NULL)
        return;
    xro_auth_close(link->auth);
    xro_buf_free(&link->token);
    xro_buf_free(&link->out);
    xro_buf_free(&link->body);
    free(link);
}

void xro_link_down(struct xro_link *link)
{
    link->up = link->ready = link->secure = link->asked_tls = false;
    if (link->auth != NULL && link->out.bytes != NULL)
        explicit_bzero(link->out.bytes, link->out.room);        /* credentials may lie in it */
    xro_auth_close(link->auth);
    link->auth = NULL;
    link->sign.any = false;
    link->out.length = link->sent = 0;
    link->head_length = 0;
    link->in_body = false;
    link->body.length = 0;
}

static bool is_needed(const struct xro_client *client, size_t index)
{
    const struct xro_link *link = client->links[index];
    bool needed = index == 0 || link == client->link || link == client->balancer || link == client->file_link;

    for (uint16_t i = 0; client->op != NULL && i < client->op->hop_count && !needed; i++)
        needed = client->hop_links[i] == (int8_t)index;
    return needed;
}

/* All places are taken: the link that an earlier op left behind, as new. An op alone meets fewer servers than there are. */
static struct xro_link *take_over(struct xro_client *client)
{
    for (size_t i = 0; i < XRO_LINKS_MAX; i++) {
        struct xro_link *link = client->links[i];
        if (is_needed(client, i))
            continue;
        xro_link_down(link);
        link->step_by_step = link->needs_tls = link->asked_tls = link->signing = false;
        link->version = link->flags = 0;
        link->address.length = 0;
        link->token.length = 0;
        return link;
    }
    return NULL;
}

/* A place for one more link, in client->links. */
static struct xro_link *find_place(struct xro_client *client)
{
    struct xro_link **place = &client->links[client->link_count];

    if (client->link_count == XRO_LINKS_MAX)
        return take_over(client);
    if (*place == NULL)
        *place = xro_link_create((uint16_t)client->link_count);
    if (*place != NULL)
        client->link_count++;
    return *place;
}

struct xro_link *xro_client_link(struct xro_client *client, struct xro_span_text host, uint16_t port)
{
    struct xro_link *place;

    for (size_t i = 0; i < client->link_count; i++) {
        struct xro_link *link = client->links[i];
        if (link->port == port && strlen(link->host) == host.length && strncasecmp(link->host, host.bytes, host.length) == 0)
            return link;
    }
    place = host.length < XRO_HOST_SIZE ? find_place(client) : NULL;
    if (place == NULL)
        return NULL;
    memcpy(place->host, host.bytes, host.length);
    place->host[host.length] = '\0';
    place->port = port;
    return place;
}

struct xro_out xro_link_room(struct xro_link *link, size_t room)
{
    if (link->sent == link->out.length)
        link->sent = link->out.length = 0;
    if (xro_buf_reserve(&link->out, room) != XRO_OK)
        return (struct xro_out){ .bad = true };
    return xro_out(link->out.bytes + link->out.length, room);
}

void xro_link_wrote(struct xro_link *link, const struct xro_out *out)
{
    if (!out->bad)
        link->out.length = (size_t)(out->at - link->out.bytes);
}

void xro_link_sent(struct xro_link *link, size_t length)
{
    link->sent += length;
}

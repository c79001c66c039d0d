/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * client.c - fuzz the state machine: the input is what a server sends. The first byte says how the bytes are cut, whether
 * the start is one flight, and whether the client can do TLS and authenticate; whenever the client wants bytes it gets the next piece, and the end of the input is
 * the end of the connection. Whatever comes: no crash, the op ends, and its phases add up to its total. */
#include "wire/client.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static xro_ns tick(void *arg)
{
    return *(xro_ns *)arg += 1000;
}

struct input {
    const uint8_t *bytes;
    size_t left;
    size_t piece;
};

static void give_bytes(struct xro_client *client, struct xro_link *link, struct input *input)
{
    size_t length, take = input->left < input->piece ? input->left : input->piece;

    xro_link_output(link, &length);
    xro_link_sent(link, length);
    if (take == 0) {
        xro_client_broke(client, link, XRO_CLOSED, 0);
        return;
    }
    /* A copy of the exact size: a read past it is seen by ASan. */
    uint8_t *copy = (uint8_t *)malloc(take);
    memcpy(copy, input->bytes, take);
    input->bytes += take;
    input->left -= take;
    xro_client_received(client, link, copy, take);
    free(copy);
}

/* The server's bytes choose what becomes of its methods, too: so all ways are gone. */
static void give_credentials(struct xro_client *client, struct input *input)
{
    uint8_t choice = input->left > 0 ? *input->bytes : 0;

    if (input->left > 0) {
        input->bytes++;
        input->left--;
    }
    if (client->state == XRO_CALL_MAKE && choice % 4 == 0)
        xro_client_no_credentials(client, "none", 1);
    else if (client->state == XRO_CALL_MAKE)
        xro_client_credentials(client, (const uint8_t *)"unix", 5, 1);
    else if (choice % 8 == 0)
        xro_client_no_more_methods(client);
    else if (choice % 8 == 1)
        xro_client_passed_over(client, "ztn", XRO_AUTH_OUTCOME_SKIPPED, "no TLS", 1);
    else
        xro_client_making(client, "unix", 0);
}

static void play(struct xro_client *client, struct input *input, xro_ns *now)
{
    const struct xro_address nowhere = { .as.v4.sin_family = AF_INET, .length = sizeof nowhere.as.v4 };
    struct xro_link *link;
    xro_ns until;

    for (;;)
        switch (xro_client_wants(client, &link, &until)) {
        case XRO_WANT_NOTHING:
            return;
        case XRO_WANT_ADDRESSES:
            xro_client_resolved(client, link->host[0] == 'x' ? -2 : 0);
            break;
        case XRO_WANT_CONNECTION:
            if (link->host[0] == 'y')
                xro_client_broke(client, link, XRO_CONNECT, 111);
            else
                xro_client_connected(client, link, &nowhere);
            break;
        case XRO_WANT_TLS:
            xro_client_securing(client);
            if (link->host[0] == 'z')
                xro_client_not_secured(client, "no");
            else
                xro_client_secured(client, &(const struct xro_tls_facts){ .version = "TLSv1.3" });
            break;
        case XRO_WANT_CREDENTIALS:
            give_credentials(client, input);
            break;
        case XRO_WANT_BYTES:
            give_bytes(client, link, input);
            break;
        case XRO_WANT_TIME:
            *now = until > *now ? until : *now;
            xro_client_woke(client);
            break;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    xro_ns now = 1000000;
    struct xro_client client;
    struct xro_sample *sample = xro_sample_create();
    uint8_t data[64];

    if (size < 1 || sample == NULL) {
        xro_sample_close(sample);
        return 0;
    }
    const struct xro_client_config config = {
        .clock = tick, .clock_arg = &now, .host = "m", .port = 1094, .user = "fuzz", .path = "/data/file?a=1&b=2",
        .timeout = 30 * XRO_NS_PER_S, .pipeline = bytes[0] & 1, .connect_timeout = bytes[0] & 2 ? XRO_NS_PER_S : 0,
        .able_tls = bytes[0] & 4, .can_authenticate = bytes[0] & 8,
    };
    struct input input = { .bytes = bytes + 1, .left = size - 1, .piece = ((bytes[0] >> 4) + 1u) * 8 };
    if (xro_client_create(&client, &config) == XRO_OK) {
        for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++) {
            struct xro_op *op = &sample->ops[slot];
            xro_client_begin(&client, xro_slot_op((enum xro_slot)slot), data, 0, slot == XRO_SLOT_READ ? sizeof data : 1, op);
            play(&client, &input, &now);
            if (!op->done || xro_op_sum(op) != op->total)
                abort();
        }
        xro_client_close(&client);
    }
    xro_sample_close(sample);
    return 0;
}

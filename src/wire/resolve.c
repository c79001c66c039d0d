/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/resolve.h"

#include "wire/errand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct question {               /* the thread's, while it looks up */
    xro_look_up_fn *look_up;
    int family, result;
    char host[XRO_HOST_SIZE], port[8];
    struct xro_addresses addresses;
};

struct xro_resolver {
    struct xro_errand *errand;
    struct question *question;
};

static void take_addresses(struct xro_addresses *addresses, const struct addrinfo *found)
{
    for (; found != NULL; found = found->ai_next) {
        struct xro_address *address = &addresses->items[addresses->count];

        if (addresses->count == XRO_ADDRESSES_MAX) {
            addresses->left_out++;
        } else if (found->ai_addrlen <= sizeof address->as) {
            memcpy(&address->as, found->ai_addr, found->ai_addrlen);
            address->length = found->ai_addrlen;
            addresses->count++;
        }
    }
}

static void look_up(void *arg)
{
    struct question *question = (struct question *)arg;
    const struct addrinfo hints = { .ai_family = question->family, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;

    question->result = question->look_up(question->host, question->port, &hints, &found);
    if (question->result == 0) {
        take_addresses(&question->addresses, found);
        if (question->addresses.count == 0)
            question->result = EAI_NONAME;
    }
    if (found != NULL)
        freeaddrinfo(found);
}

struct xro_resolver *xro_resolve_begin_by(xro_look_up_fn *function, const char *host, uint16_t port, int family)
{
    struct xro_resolver *resolver = (struct xro_resolver *)malloc(sizeof *resolver);
    struct question *question = (struct question *)calloc(1, sizeof *question);

    if (resolver != NULL && question != NULL) {
        question->look_up = function;
        question->family = family;
        snprintf(question->host, sizeof question->host, "%s", host);
        snprintf(question->port, sizeof question->port, "%u", (unsigned)port);
        resolver->question = question;
        resolver->errand = xro_errand_begin(look_up, free, question);
        if (resolver->errand != NULL)
            return resolver;
    }
    free(question);
    free(resolver);
    return NULL;
}

struct xro_resolver *xro_resolve_begin(const char *host, uint16_t port, int family)
{
    return xro_resolve_begin_by(getaddrinfo, host, port, family);
}

int xro_resolve_wait(struct xro_resolver *resolver, xro_ns until, struct xro_addresses *addresses)
{
    if (!xro_errand_wait(resolver->errand, until))
        return XRO_RESOLVE_TIMEOUT;
    *addresses = resolver->question->addresses;
    return resolver->question->result;
}

void xro_resolve_leave(struct xro_resolver *resolver)
{
    if (resolver == NULL)
        return;
    if (xro_errand_end(resolver->errand))
        free(resolver->question);
    free(resolver);
}

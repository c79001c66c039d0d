/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/resolve.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWHILE (300 * XRO_NS_PER_US)

struct xro_resolver {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, left;            /* the thread has its answer; nobody waits for it any more */
    atomic_bool answered;       /* the same as done, for whoever looks without the lock */
    int result;
    xro_look_up_fn *look_up;
    int family;
    char host[XRO_HOST_SIZE], port[8];
    struct xro_addresses addresses;
};

static void destroy(struct xro_resolver *resolver)
{
    pthread_cond_destroy(&resolver->changed);
    pthread_mutex_destroy(&resolver->lock);
    free(resolver);
}

static void take_addresses(struct xro_resolver *resolver, const struct addrinfo *found)
{
    for (; found != NULL; found = found->ai_next) {
        struct xro_address *address = &resolver->addresses.items[resolver->addresses.count];

        if (resolver->addresses.count == XRO_ADDRESSES_MAX) {
            resolver->addresses.left_out++;
        } else if (found->ai_addrlen <= sizeof address->as) {
            memcpy(&address->as, found->ai_addr, found->ai_addrlen);
            address->length = found->ai_addrlen;
            resolver->addresses.count++;
        }
    }
}

static void *run(void *arg)
{
    struct xro_resolver *resolver = (struct xro_resolver *)arg;
    const struct addrinfo hints = { .ai_family = resolver->family, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    int result = resolver->look_up(resolver->host, resolver->port, &hints, &found);
    bool left;

    pthread_mutex_lock(&resolver->lock);
    if (result == 0)
        take_addresses(resolver, found);
    resolver->result = result == 0 && resolver->addresses.count == 0 ? EAI_NONAME : result;
    resolver->done = true;
    atomic_store(&resolver->answered, true);
    left = resolver->left;
    pthread_cond_signal(&resolver->changed);
    pthread_mutex_unlock(&resolver->lock);
    if (found != NULL)
        freeaddrinfo(found);
    if (left)
        destroy(resolver);
    return NULL;
}

static bool init(struct xro_resolver *resolver)
{
    pthread_condattr_t attributes;

    if (pthread_condattr_init(&attributes) != 0)
        return false;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (pthread_cond_init(&resolver->changed, &attributes) != 0) {
        pthread_condattr_destroy(&attributes);
        return false;
    }
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&resolver->lock, NULL);
    return true;
}

struct xro_resolver *xro_resolve_begin(const char *host, uint16_t port, int family)
{
    return xro_resolve_begin_by(getaddrinfo, host, port, family);
}

struct xro_resolver *xro_resolve_begin_by(xro_look_up_fn *look_up, const char *host, uint16_t port, int family)
{
    struct xro_resolver *resolver = (struct xro_resolver *)calloc(1, sizeof *resolver);
    pthread_t thread;

    if (resolver == NULL)
        return NULL;
    if (!init(resolver)) {
        free(resolver);
        return NULL;
    }
    resolver->look_up = look_up;
    resolver->family = family;
    snprintf(resolver->host, sizeof resolver->host, "%s", host);
    snprintf(resolver->port, sizeof resolver->port, "%u", (unsigned)port);
    if (pthread_create(&thread, NULL, run, resolver) != 0) {
        destroy(resolver);
        return NULL;
    }
    pthread_detach(thread);
    return resolver;
}

/* Most look-ups are answered from a file or a cache at once. Going to sleep and being woken costs more than that, so look
 * for a little while first; the processor is given to whoever wants it. */
static void look_awhile(struct xro_resolver *resolver, xro_ns until)
{
    xro_ns end = xro_clock_now() + AWHILE;

    while (!atomic_load(&resolver->answered) && xro_clock_now() < (end < until ? end : until))
        sched_yield();
}

int xro_resolve_wait(struct xro_resolver *resolver, xro_ns until, struct xro_addresses *addresses)
{
    struct timespec ts = { .tv_sec = (time_t)(until / XRO_NS_PER_S), .tv_nsec = (long)(until % XRO_NS_PER_S) };
    int result = XRO_RESOLVE_TIMEOUT;

    look_awhile(resolver, until);
    pthread_mutex_lock(&resolver->lock);
    while (!resolver->done && pthread_cond_timedwait(&resolver->changed, &resolver->lock, &ts) == 0)
        ;
    if (resolver->done) {
        result = resolver->result;
        *addresses = resolver->addresses;
    }
    pthread_mutex_unlock(&resolver->lock);
    return result;
}

void xro_resolve_leave(struct xro_resolver *resolver)
{
    bool done;

    if (resolver == NULL)
        return;
    pthread_mutex_lock(&resolver->lock);
    done = resolver->done;
    resolver->left = true;
    pthread_mutex_unlock(&resolver->lock);
    if (done)
        destroy(resolver);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "wire/errand.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct xro_errand {
    void (*run)(void *arg);
    void (*drop)(void *arg);
    void *arg;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, left;            /* the thread has finished; nobody waits for it any more */
    atomic_bool finished;       /* the same as done, for whoever looks without the lock */
};

static void destroy(struct xro_errand *errand)
{
    pthread_cond_destroy(&errand->changed);
    pthread_mutex_destroy(&errand->lock);
    free(errand);
}

static void *work(void *arg)
{
    struct xro_errand *errand = (struct xro_errand *)arg;
    bool left;

    errand->run(errand->arg);
    pthread_mutex_lock(&errand->lock);
    errand->done = true;
    atomic_store(&errand->finished, true);
    left = errand->left;
    pthread_cond_signal(&errand->changed);
    pthread_mutex_unlock(&errand->lock);
    if (left) {
        errand->drop(errand->arg);
        destroy(errand);
    }
    return NULL;
}

static bool init(struct xro_errand *errand)
{
    pthread_condattr_t attributes;
    bool good;

    if (pthread_condattr_init(&attributes) != 0)
        return false;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    good = pthread_cond_init(&errand->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (good)
        pthread_mutex_init(&errand->lock, NULL);
    return good;
}

struct xro_errand *xro_errand_begin(void (*run)(void *arg), void (*drop)(void *arg), void *arg)
{
    struct xro_errand *errand = (struct xro_errand *)calloc(1, sizeof *errand);
    pthread_t thread;

    if (errand == NULL)
        return NULL;
    errand->run = run;
    errand->drop = drop;
    errand->arg = arg;
    if (!init(errand)) {
        free(errand);
        return NULL;
    }
    if (pthread_create(&thread, NULL, work, errand) != 0) {
        destroy(errand);
        return NULL;
    }
    pthread_detach(thread);
    return errand;
}

/* Most errands are short: a look-up is answered from a file at once. Going to sleep and being woken costs more than that, so
 * look for a little while first; the processor is given to whoever wants it. */
#define AWHILE (300 * XRO_NS_PER_US)

static void look_awhile(struct xro_errand *errand, xro_ns until)
{
    xro_ns end = xro_clock_now() + AWHILE;

    while (!atomic_load(&errand->finished) && xro_clock_now() < (end < until ? end : until))
        sched_yield();
}

bool xro_errand_wait(struct xro_errand *errand, xro_ns until)
{
    struct timespec ts = { .tv_sec = (time_t)(until / XRO_NS_PER_S), .tv_nsec = (long)(until % XRO_NS_PER_S) };
    bool done;

    look_awhile(errand, until);
    pthread_mutex_lock(&errand->lock);
    /* It is our own clock that counts: some wait on another (a debugger's, a faked one) and come back too early. */
    while (!errand->done && xro_clock_now() < until)
        pthread_cond_timedwait(&errand->changed, &errand->lock, &ts);
    done = errand->done;
    pthread_mutex_unlock(&errand->lock);
    return done;
}

bool xro_errand_end(struct xro_errand *errand)
{
    bool done;

    pthread_mutex_lock(&errand->lock);
    done = errand->done;
    errand->left = true;
    pthread_mutex_unlock(&errand->lock);
    if (done)
        destroy(errand);
    return done;
}

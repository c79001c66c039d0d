/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * loop.c - the event loop. It sleeps until a little before the earliest timer and spins the rest, because a sleeping
 * process is woken some ten microseconds late, and sometimes far more; while it spins it still looks for input as
 * long as the time left allows to serve it. */
#include "imposter/loop.h"
#include "imposter/priority.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    EVENTS_MAX = 256,
    SPIN_NS = 120000,           /* wake up so long before a timer */
    QUIET_NS = 30000,           /* this close to it nothing else is begun */
    FIRES_PER_ROUND = 64,       /* then input is looked at again */
    FLUSH_NS = 2000000          /* with so much time the trace is written */
};

/* --- opening and closing ---------------------------------------------------------------------------------------- */

static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void stop_ready(struct xro_source *source, unsigned ready);

static bool make_parts(struct xro_imposter *imposter)
{
    const struct xro_script *script = imposter->script;
    size_t servers = script->server_count;

    imposter->poller = xro_poller_new();
    imposter->ports = (uint16_t *)calloc(servers, sizeof *imposter->ports);
    imposter->serial_free = (xro_ns *)calloc(servers, sizeof *imposter->serial_free);
    imposter->counts = (uint64_t *)calloc(servers * script->rule_count + 1, sizeof *imposter->counts);
    imposter->scratch = (uint8_t *)malloc(XRO_SCRATCH_SIZE);
    if (imposter->options.trace && !xro_trace_open(&imposter->trace, STDERR_FILENO))
        return false;
    return imposter->poller != NULL && imposter->ports != NULL && imposter->serial_free != NULL &&
           imposter->counts != NULL && imposter->scratch != NULL;
}

static bool watch_stops(struct xro_imposter *imposter)
{
    for (int i = 0; i < 2; i++) {
        struct xro_stop *stop = &imposter->stops[i];
        *stop = (struct xro_stop){ .source.ready = stop_ready, .imposter = imposter, .watched = -1 };
        if (imposter->options.stop[i] >= 0 &&
            xro_poller_set(imposter->poller, imposter->options.stop[i], &stop->watched, XRO_POLL_READ, stop) != XRO_OK)
            return false;
    }
    return true;
}

enum xro_status xro_imposter_open(const struct xro_script *script, const struct xro_imposter_options *options,
                                  struct xro_imposter **out, struct xro_script_error *error)
{
    struct xro_imposter *imposter = (struct xro_imposter *)calloc(1, sizeof *imposter);
    enum xro_status status = XRO_MEMORY;

    *error = (struct xro_script_error){ .line = 0 };
    snprintf(error->text, sizeof error->text, "out of memory");
    *out = NULL;
    if (imposter == NULL)
        return XRO_MEMORY;
    raise_descriptor_limit();
    xro_priority_exact_sleep();
    imposter->script = script;
    imposter->options = *options;
    imposter->stopped = XRO_RUNNING;
    imposter->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (make_parts(imposter) && watch_stops(imposter))
        status = xro_listen_all(imposter, error);
    if (status == XRO_OK)
        status = xro_relay_resolve(imposter, error);
    imposter->begin = xro_clock_now();
    if (status == XRO_OK)
        *out = imposter;
    else
        xro_imposter_close(imposter);
    return status;
}

void xro_imposter_close(struct xro_imposter *imposter)
{
    if (imposter == NULL)
        return;
    while (imposter->guests != NULL)
        xro_guest_close(imposter->guests, false);
    xro_guest_bury(imposter);
    xro_relay_close_all(imposter);
    if (imposter->poller != NULL)
        xro_listen_close(imposter);
    xro_trace_close(&imposter->trace);
    xro_timers_free(&imposter->timers);
    xro_poller_free(imposter->poller);
    if (imposter->reserve >= 0)
        close(imposter->reserve);
    free(imposter->ports);
    free(imposter->serial_free);
    free(imposter->counts);
    free(imposter->paths);
    free(imposter->scratch);
    free(imposter);
}

bool xro_imposter_place(const struct xro_imposter *imposter, size_t index, struct xro_place *place)
{
    const struct xro_listener *listener;

    if (index >= imposter->listener_count)
        return false;
    listener = &imposter->listeners[index];
    *place = (struct xro_place){ .name = imposter->script->servers[listener->server].name,
                                 .host = listener->address->text, .port = imposter->ports[listener->server] };
    return true;
}

/* --- running ---------------------------------------------------------------------------------------------------- */

static void stop_ready(struct xro_source *source, unsigned ready)
{
    struct xro_stop *stop = (struct xro_stop *)source;

    (void)ready;
    stop->imposter->stopped = (int)(stop - stop->imposter->stops);
}

static void dispatch(const struct xro_poll_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct xro_source *source = (struct xro_source *)events[i].owner;
        source->ready(source, events[i].ready);
    }
}

static void bury(struct xro_imposter *imposter)
{
    xro_guest_bury(imposter);
    xro_relay_bury(imposter);
}

static void serve_while_spinning(struct xro_imposter *imposter)
{
    struct xro_poll_event events[1];

    dispatch(events, xro_poller_peek(imposter->poller, events, 1));
    bury(imposter);
}

/* Fire what is due, and spin for what soon will be. */
static void fire_timers(struct xro_imposter *imposter)
{
    xro_ns margin = imposter->options.spin ? SPIN_NS : 0;

    for (int fired = 0; fired < FIRES_PER_ROUND && imposter->stopped == XRO_RUNNING;) {
        xro_ns now = xro_clock_now(), next = xro_timers_next(&imposter->timers);
        struct xro_timer *timer = xro_timers_due(&imposter->timers, now);

        if (timer != NULL) {
            timer->fire(timer->owner, now);
            fired++;
        } else if (next > now + margin) {
            return;
        } else if (next - now > QUIET_NS) {
            serve_while_spinning(imposter);
        }
    }
}

static xro_ns wake_up(const struct xro_imposter *imposter, xro_ns end)
{
    xro_ns next = xro_timers_next(&imposter->timers);

    if (next != XRO_NEVER && imposter->options.spin)
        next = next > SPIN_NS ? next - SPIN_NS : 0;
    return next < end ? next : end;
}

int xro_imposter_run(struct xro_imposter *imposter)
{
    struct xro_poll_event events[EVENTS_MAX];
    xro_ns end = imposter->options.duration > 0 ? xro_ns_add(imposter->begin, imposter->options.duration) : XRO_NEVER;

    while (imposter->stopped == XRO_RUNNING) {
        xro_ns until = wake_up(imposter, end);
        if (until > xro_clock_now() + FLUSH_NS)
            xro_trace_flush(&imposter->trace);
        dispatch(events, xro_poller_wait(imposter->poller, events, EVENTS_MAX, until));
        bury(imposter);
        fire_timers(imposter);
        bury(imposter);
        if (xro_clock_now() >= end)
            imposter->stopped = -1;
    }
    return imposter->stopped;
}

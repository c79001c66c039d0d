/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "imposter/timers.h"

#include <stdlib.h>

static bool before(const struct xro_timer *a, const struct xro_timer *b)
{
    return a->due < b->due || (a->due == b->due && a->order < b->order);
}

static void put(struct xro_timers *timers, size_t place, struct xro_timer *timer)
{
    timers->heap[place] = timer;
    timer->place = place;
}

static void rise(struct xro_timers *timers, struct xro_timer *timer, size_t place)
{
    while (place > 1 && before(timer, timers->heap[place / 2])) {
        put(timers, place, timers->heap[place / 2]);
        place /= 2;
    }
    put(timers, place, timer);
}

static void sink(struct xro_timers *timers, struct xro_timer *timer, size_t place)
{
    for (size_t child = 2 * place; child <= timers->count; child = 2 * place) {
        if (child < timers->count && before(timers->heap[child + 1], timers->heap[child]))
            child++;
        if (!before(timers->heap[child], timer))
            break;
        put(timers, place, timers->heap[child]);
        place = child;
    }
    put(timers, place, timer);
}

static enum xro_status make_room(struct xro_timers *timers)
{
    size_t room = timers->room ? timers->room * 2 : 64;
    struct xro_timer **heap;

    if (timers->count + 1 < timers->room)
        return XRO_OK;
    heap = (struct xro_timer **)realloc(timers->heap, room * sizeof *heap);
    if (heap == NULL)
        return XRO_MEMORY;
    timers->heap = heap;
    timers->room = room;
    return XRO_OK;
}

enum xro_status xro_timers_set(struct xro_timers *timers, struct xro_timer *timer, xro_ns due)
{
    xro_timers_cancel(timers, timer);
    if (make_room(timers) != XRO_OK)
        return XRO_MEMORY;
    timer->due = due;
    timer->order = ++timers->order;
    timers->count++;
    rise(timers, timer, timers->count);
    return XRO_OK;
}

void xro_timers_cancel(struct xro_timers *timers, struct xro_timer *timer)
{
    size_t place = timer->place;
    struct xro_timer *last;

    if (place == 0)
        return;
    timer->place = 0;
    last = timers->heap[timers->count--];
    if (last == timer)
        return;
    if (place > 1 && before(last, timers->heap[place / 2]))
        rise(timers, last, place);
    else
        sink(timers, last, place);
}

xro_ns xro_timers_next(const struct xro_timers *timers)
{
    return timers->count > 0 ? timers->heap[1]->due : XRO_NEVER;
}

struct xro_timer *xro_timers_due(struct xro_timers *timers, xro_ns now)
{
    struct xro_timer *timer;

    if (xro_timers_next(timers) > now)
        return NULL;
    timer = timers->heap[1];
    xro_timers_cancel(timers, timer);
    return timer;
}

void xro_timers_free(struct xro_timers *timers)
{
    free(timers->heap);
    *timers = (struct xro_timers){ .heap = NULL };
}

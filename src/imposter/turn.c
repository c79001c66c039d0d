/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * turn.c - one event of a connection on its way through its rule's steps. A turn runs until it has to wait for a time
 * or for the kernel to take its output; the loop then runs it again.
 *
 * A delay counts from the arrival of the request (recv has returned), or from the end of the request before it when
 * that came later, or from the last send of this turn; the message behind it is built before the wait, so that at its
 * end nothing but the send is left to do. */
#include "imposter/loop.h"
#include "proto/serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    STEPS_PER_ROUND = 256,      /* then the other connections' turn comes */
    IDLE_PAUSE_NS = 1000000     /* of a `repeat` that found nothing to send */
};

enum outcome { GO, WAIT, END };

static const struct xro_step answer_only = { .kind = XRO_STEP_ANSWER };

/* --- beginning -------------------------------------------------------------------------------------------------- */

static bool has_path(uint16_t code)
{
    switch (code) {
    case XRO_KXR_OPEN: case XRO_KXR_STAT: case XRO_KXR_STATX: case XRO_KXR_DIRLIST: case XRO_KXR_LOCATE:
    case XRO_KXR_MKDIR: case XRO_KXR_RM: case XRO_KXR_RMDIR: case XRO_KXR_MV: case XRO_KXR_CHMOD: case XRO_KXR_TRUNCATE:
    case XRO_KXR_PREPARE: case XRO_KXR_QUERY: case XRO_KXR_FATTR:
        return true;
    default:
        return false;
    }
}

static void find_path(struct xro_turn *turn)
{
    const char *text = (const char *)turn->payload.bytes, *mark;
    size_t length = turn->payload.length;

    while (length > 0 && text[length - 1] == '\0')
        length--;
    if (turn->request.code == XRO_KXR_LOGIN) {
        turn->cgi = text;
        turn->cgi_length = length;
    } else if (length > 0 && has_path(turn->request.code)) {
        mark = (const char *)memchr(text, '?', length);
        turn->path = text;
        turn->path_length = mark != NULL ? (size_t)(mark - text) : length;
        turn->cgi = mark != NULL ? mark + 1 : NULL;
        turn->cgi_length = mark != NULL ? length - turn->path_length - 1 : 0;
    } else {
        const struct xro_open_file *open = xro_guest_file(turn->guest, &turn->request);
        turn->path = turn->file_path = open != NULL ? strdup(open->path) : NULL;
        turn->path_length = turn->path != NULL ? strlen(turn->path) : 0;
    }
}

static void fire(void *owner, xro_ns now)
{
    struct xro_turn *turn = (struct xro_turn *)owner;
    struct xro_guest *guest = turn->guest;

    (void)now;
    xro_turn_run(turn);
    xro_guest_advance(guest);
}

struct xro_turn *xro_turn_new(struct xro_guest *guest, uint64_t event, xro_ns arrival)
{
    struct xro_turn *turn = (struct xro_turn *)calloc(1, sizeof *turn);
    const struct xro_rule *rule;

    if (turn == NULL)
        return NULL;
    turn->guest = guest;
    turn->event = event;
    turn->arrival = arrival;
    turn->begin = turn->base = guest->free_at > arrival ? guest->free_at : arrival;
    turn->timer = (struct xro_timer){ .fire = fire, .owner = turn };
    turn->message = xro_buf(2 * (size_t)XRO_SCRIPT_MESSAGE_MAX);
    turn->steps = &answer_only;
    turn->step_count = 1;
    if ((event & (XRO_EVENT_ACCEPT | XRO_EVENT_HANDSHAKE)) == 0) {
        turn->request = guest->request;
        turn->payload = guest->payload;
        guest->payload = xro_buf(XRO_PAYLOAD_MAX);
        find_path(turn);
    }
    rule = xro_rules_pick(turn, turn->begin);
    if (rule != NULL) {
        turn->steps = rule->steps;
        turn->step_count = rule->step_count;
        turn->line = rule->line;
    }
    return turn;
}

void xro_turn_free(struct xro_turn *turn)
{
    xro_timers_cancel(&turn->guest->imposter->timers, &turn->timer);
    xro_buf_free(&turn->payload);
    xro_buf_free(&turn->message);
    xro_buf_free(&turn->normal.body);
    free(turn->file_path);
    free(turn);
}

/* --- waiting ---------------------------------------------------------------------------------------------------- */

static enum outcome wait_until(struct xro_turn *turn, xro_ns due)
{
    struct xro_guest *guest = turn->guest;

    if (xro_timers_set(&guest->imposter->timers, &turn->timer, due) == XRO_OK)
        return WAIT;
    xro_guest_close(guest, true);
    return END;
}

static bool sends(const struct xro_step *step)
{
    return step->kind <= XRO_STEP_REST;
}

static xro_ns delay_of(const struct xro_turn *turn, const struct xro_step *step)
{
    uint64_t times = 1;

    if (step->per_chunk && turn->request.code == XRO_KXR_READV)
        times = turn->request.length / XRO_CHUNK_SIZE;
    return times == 0 || step->delay <= XRO_NEVER / 4 / times ? step->delay * times : XRO_NEVER / 4;
}

static enum outcome do_delay(struct xro_turn *turn, const struct xro_step *step)
{
    struct xro_imposter *imposter = turn->guest->imposter;
    xro_ns *serial_free = &imposter->serial_free[turn->guest->server];

    if (step->serial && *serial_free > turn->base)
        turn->base = *serial_free;
    turn->due = turn->base = xro_ns_add(turn->base, delay_of(turn, step));
    if (step->serial)
        *serial_free = turn->due;
    turn->at++;
    if (turn->at < turn->step_count && sends(&turn->steps[turn->at]) && xro_message_build(turn) != XRO_OK) {
        xro_guest_close(turn->guest, true);
        return END;
    }
    return turn->due <= xro_clock_now() ? GO : wait_until(turn, turn->due);
}

/* --- sending ---------------------------------------------------------------------------------------------------- */

static const char *event_name(const struct xro_turn *turn)
{
    const char *name = xro_kxr_request_name(turn->request.code);

    if (turn->event == XRO_EVENT_ACCEPT)
        return "accept";
    if (turn->event == XRO_EVENT_HANDSHAKE)
        return "handshake";
    return name != NULL ? name : "other";
}

static void trace(struct xro_turn *turn, const char *what, xro_ns sent, size_t bytes)
{
    struct xro_guest *guest = turn->guest;

    if (!guest->imposter->options.trace)
        return;
    xro_trace_add(&guest->imposter->trace, &(struct xro_trace_line){
        .server = guest->imposter->script->servers[guest->server].name, .event = event_name(turn), .what = what,
        .guest = guest->number, .line = turn->line, .arrival = turn->arrival, .begin = turn->begin, .due = turn->due,
        .sent = sent, .bytes = bytes });
}

/* What the client now believes about its login. */
static void note_session(struct xro_turn *turn, const struct xro_step *step)
{
    struct xro_in in = xro_in(turn->message.bytes, turn->message.length);
    struct xro_answer header;

    if (step->attn || !xro_get_answer(&in, &header) || header.status != XRO_KXR_OK)
        return;
    if (turn->request.code == XRO_KXR_LOGIN) {
        turn->guest->logged_in = true;
        turn->guest->must_auth = in.left > XRO_SESSION_ID_SIZE;
    } else if (turn->request.code == XRO_KXR_AUTH) {
        turn->guest->must_auth = false;
    }
}

/* Up to where the message goes out in this step. */
static size_t send_end(const struct xro_turn *turn, const struct xro_step *step)
{
    size_t length = turn->message.length, end = length;

    if (step->kind == XRO_STEP_REST || step->first.kind == XRO_AMOUNT_ALL)
        return length;
    if (step->first.kind == XRO_AMOUNT_HALF)
        end = length / 2;
    else if (step->first.bytes < length)
        end = (size_t)step->first.bytes;
    return end;
}

static void send_part(struct xro_turn *turn, size_t n)
{
    xro_ns sent = xro_clock_now();

    xro_guest_send(turn->guest, turn->message.bytes + turn->message_at, n);
    trace(turn, "send", sent, n);
    turn->message_at += n;
    turn->base = sent;
    turn->due = 0;
}

/* The message, or this step's share of it, is out: on to the next piece, or the next step. */
static enum outcome after_send(struct xro_turn *turn, const struct xro_step *step)
{
    bool closes = step->kind == XRO_STEP_ANSWER && turn->normal.closes;

    turn->built = false;
    if (turn->more) {
        if (step->every == 0)
            return GO;
        turn->due = turn->base + step->every;
        if (xro_message_build(turn) == XRO_OK)
            return wait_until(turn, turn->due);
        xro_guest_close(turn->guest, true);
        return END;
    }
    turn->at++;
    if (!closes)
        return GO;
    xro_guest_close(turn->guest, false);
    return END;
}

static enum outcome do_send(struct xro_turn *turn, const struct xro_step *step)
{
    size_t end, n;

    if (!turn->built && xro_message_build(turn) != XRO_OK) {
        xro_guest_close(turn->guest, true);
        return END;
    }
    end = send_end(turn, step);
    n = end > turn->message_at ? end - turn->message_at : 0;
    if (step->dribble > 0 && n > step->dribble)
        n = (size_t)step->dribble;
    if (n > 0) {
        if (turn->message_at == 0 && step->kind != XRO_STEP_RAW)
            note_session(turn, step);
        send_part(turn, n);
    }
    if (turn->message_at >= end)
        return after_send(turn, step);
    turn->due = turn->base + step->every;
    return wait_until(turn, turn->due);
}

/* --- other steps ------------------------------------------------------------------------------------------------ */

static void do_detach(struct xro_turn *turn)
{
    struct xro_guest *guest = turn->guest;

    turn->at++;
    if (turn->detached)
        return;
    turn->detached = true;
    turn->next = guest->detached;
    guest->detached = turn;
    guest->turn = NULL;
    guest->free_at = xro_clock_now();
}

static void do_repeat(struct xro_turn *turn, const struct xro_step *step)
{
    turn->rounds++;
    if (step->times == 0 || turn->rounds < step->times) {
        turn->at = 0;
        return;
    }
    turn->rounds = 0;
    turn->at++;
}

static enum outcome do_ending(struct xro_turn *turn, const struct xro_step *step)
{
    struct xro_guest *guest = turn->guest;

    trace(turn, step->kind == XRO_STEP_RESET ? "reset" : step->kind == XRO_STEP_CLOSE ? "close"
                : step->kind == XRO_STEP_SHUTDOWN ? "shutdown" : "other", xro_clock_now(), 0);
    turn->at++;
    switch (step->kind) {
    case XRO_STEP_DEAF:
        guest->deaf = true;
        return GO;
    case XRO_STEP_SHUTDOWN:
        guest->shut = true;
        shutdown(guest->fd, SHUT_WR);
        return GO;
    case XRO_STEP_SILENCE:
        guest->silent = true;           /* ends the other turns, too, when they run next */
        return END;
    case XRO_STEP_CLOSE:
    case XRO_STEP_RESET:
        xro_guest_close(guest, step->kind == XRO_STEP_RESET);
        return END;
    default:
        return END;
    }
}

static enum outcome do_step(struct xro_turn *turn)
{
    const struct xro_step *step = &turn->steps[turn->at];

    switch (step->kind) {
    case XRO_STEP_DELAY:
        return do_delay(turn, step);
    case XRO_STEP_DETACH:
        do_detach(turn);
        return GO;
    case XRO_STEP_REPEAT:
        do_repeat(turn, step);
        return GO;
    case XRO_STEP_IGNORE:
        return END;
    default:
        return sends(step) ? do_send(turn, step) : do_ending(turn, step);
    }
}

/* --- running ---------------------------------------------------------------------------------------------------- */

static void finish(struct xro_turn *turn)
{
    struct xro_guest *guest = turn->guest;
    struct xro_turn **link = &guest->detached;

    if (guest->turn == turn) {
        guest->turn = NULL;
        guest->free_at = turn->base > turn->begin ? turn->base : turn->begin;
    }
    while (*link != NULL && *link != turn)
        link = &(*link)->next;
    if (*link == turn)
        *link = turn->next;
    xro_turn_free(turn);
}

void xro_turn_run(struct xro_turn *turn)
{
    struct xro_guest *guest = turn->guest;
    xro_ns base = turn->base;

    turn->drains = false;
    for (int i = 0; turn->at < turn->step_count && !guest->silent && !guest->dead; i++) {
        if (!xro_guest_drained(guest)) {
            turn->drains = true;
            return;
        }
        enum outcome outcome = END;
        if (i < STEPS_PER_ROUND)
            outcome = do_step(turn);
        else
            outcome = wait_until(turn, turn->base == base ? xro_clock_now() + IDLE_PAUSE_NS : xro_clock_now());
        if (outcome == WAIT)
            return;
        if (outcome == END)
            break;
    }
    finish(turn);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * json.c - each struct of sample.h has a function that writes it and one that reads it, side by side. */
#include "record/json.h"

#include "record/json_field.h"

/* --- errors ------------------------------------------------------------------------------------------------------ */

static bool error_is_blank(const struct xro_error *error)
{
    return error->status == XRO_OK && error->phase == XRO_PHASE_OTHER && error->hop == -1 && error->system == 0
        && error->resolver == 0 && error->server == 0 && error->limit == XRO_LIMIT_NONE && error->detail == NULL
        && error->text[0] == '\0';
}

static json_t *write_error(const struct xro_error *error)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put_text(&out, "status", xro_status_key(error->status));
    if (error->phase != XRO_PHASE_OTHER)
        xro_json_put_text(&out, "phase", xro_phase_name(error->phase));
    xro_json_put_i64(&out, "hop", error->hop, -1);
    xro_json_put_i64(&out, "errno", error->system, 0);
    xro_json_put_i64(&out, "resolver_code", error->resolver, 0);
    xro_json_put_i64(&out, "server_code", error->server, 0);
    if (error->limit != XRO_LIMIT_NONE)
        xro_json_put_text(&out, "limit", xro_limit_name(error->limit));
    xro_json_put_text(&out, "detail", error->detail);
    xro_json_put_text(&out, "text", error->text);
    return xro_json_end(&out);
}

static void put_error(struct xro_json_out *out, const struct xro_error *error)
{
    if (!error_is_blank(error))
        xro_json_put(out, "error", write_error(error));
}

static enum xro_phase get_phase(struct xro_json_in *in, const char *name)
{
    enum xro_phase phase = name[0] != '\0' ? xro_phase_from_name(name) : XRO_PHASE_OTHER;

    if (phase != XRO_PHASE_COUNT)
        return phase;
    in->bad = true;
    return XRO_PHASE_OTHER;
}

static enum xro_limit get_limit(struct xro_json_in *in)
{
    const char *name = xro_json_get_text(in, "limit");
    enum xro_limit limit = name[0] != '\0' ? xro_limit_from_name(name) : XRO_LIMIT_NONE;

    if (limit != XRO_LIMIT_COUNT)
        return limit;
    in->bad = true;
    return XRO_LIMIT_NONE;
}

static enum xro_status get_status(struct xro_json_in *in)
{
    const char *key = xro_json_get_text(in, "status");
    enum xro_status status = xro_status_from_key(key);

    /* XRO_INVALID is a status of its own and the answer to an unknown key. */
    if (status == XRO_INVALID && strcmp(key, xro_status_key(XRO_INVALID)) != 0)
        in->bad = true;
    return status;
}

/* Our sentence and the server's text share the one room that is there. */
static void read_words(struct xro_json_in *in, struct xro_error *error)
{
    const char *detail = xro_json_get_text(in, "detail"), *text = xro_json_get_text(in, "text");
    size_t used;

    xro_json_cut(detail[0] != '\0' ? detail : text, error->text, sizeof error->text);
    used = strlen(error->text);
    if (detail[0] == '\0' || text[0] == '\0' || used + 3 > sizeof error->text)
        return;
    memcpy(error->text + used, ": ", 3);
    xro_json_cut(text, error->text + used + 2, sizeof error->text - used - 2);
}

static bool read_error(const json_t *object, struct xro_error *error)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };

    error->status = get_status(&in);
    error->phase = get_phase(&in, xro_json_get_text(&in, "phase"));
    error->hop = (int32_t)xro_json_get_i64(&in, "hop", -1, -1, XRO_HOP_ROOM - 1);
    error->system = (int32_t)xro_json_get_i64(&in, "errno", 0, INT32_MIN, INT32_MAX);
    error->resolver = (int32_t)xro_json_get_i64(&in, "resolver_code", 0, INT32_MIN, INT32_MAX);
    error->server = (int32_t)xro_json_get_i64(&in, "server_code", 0, INT32_MIN, INT32_MAX);
    error->limit = get_limit(&in);
    read_words(&in, error);
    return !in.bad;
}

static void get_error(struct xro_json_in *in, struct xro_error *error)
{
    const json_t *object = json_object_get(in->object, "error");

    if (object != NULL && !read_error(object, error))
        in->bad = true;
}

/* --- hops -------------------------------------------------------------------------------------------------------- */

static json_t *write_phases(const struct xro_hop *hop)
{
    struct xro_json_out out = xro_json_begin();

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        xro_json_put_u64(&out, xro_phase_name((enum xro_phase)phase), hop->phase[phase], 0);
    return xro_json_end(&out);
}

static json_t *write_tls(const struct xro_tls_facts *tls)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put_text(&out, "version", tls->version);
    xro_json_put_text(&out, "cipher", tls->cipher);
    xro_json_put_text(&out, "subject", tls->subject);
    xro_json_put_text(&out, "issuer", tls->issuer);
    xro_json_put_true(&out, "resumed", tls->resumed);
    xro_json_put_u64(&out, "cpu_ns", tls->cpu, 0);
    return xro_json_end(&out);
}

static bool read_tls(const json_t *object, struct xro_tls_facts *tls)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };

    xro_json_cut(xro_json_get_text(&in, "version"), tls->version, sizeof tls->version);
    xro_json_cut(xro_json_get_text(&in, "cipher"), tls->cipher, sizeof tls->cipher);
    xro_json_cut(xro_json_get_text(&in, "subject"), tls->subject, sizeof tls->subject);
    xro_json_cut(xro_json_get_text(&in, "issuer"), tls->issuer, sizeof tls->issuer);
    tls->resumed = xro_json_get_bool(&in, "resumed", false);
    tls->cpu = xro_json_get_u64(&in, "cpu_ns", 0, UINT64_MAX);
    return !in.bad && tls->version[0] != '\0';
}

static json_t *write_hop(const struct xro_hop *hop)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put_text(&out, "host", hop->host);
    xro_json_put_u64(&out, "port", hop->port, 0);
    xro_json_put_text(&out, "address", hop->address);
    xro_json_put_true(&out, "reused", hop->reused);
    xro_json_put_true(&out, "pipelined", hop->pipelined);
    if (hop->ending != XRO_ENDING_ANSWERED)     /* nearly all are */
        xro_json_put_text(&out, "ending", xro_ending_name(hop->ending));
    xro_json_put_i64(&out, "server_code", hop->server_code, 0);
    xro_json_put_i64(&out, "errno", hop->system, 0);
    xro_json_put_u64(&out, "same_as", hop->same_as, XRO_NO_HOP);
    xro_json_put_u64(&out, "version", hop->version, 0);
    xro_json_put_u64(&out, "flags", hop->flags, 0);
    xro_json_put_u64(&out, "wait_count", hop->wait_count, 0);
    xro_json_put_u64(&out, "wait_asked_s", hop->wait_asked_s, 0);
    if (hop->tls.version[0] != '\0')
        xro_json_put(&out, "tls", write_tls(&hop->tls));
    xro_json_put(&out, "phase_ns", write_phases(hop));
    return xro_json_end(&out);
}

static bool read_phases(const json_t *object, struct xro_hop *hop)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        hop->phase[phase] = xro_json_get_u64(&in, xro_phase_name((enum xro_phase)phase), 0, UINT64_MAX);
    return !in.bad;
}

static enum xro_ending get_ending(struct xro_json_in *in)
{
    const char *name = xro_json_get_text(in, "ending");
    enum xro_ending ending = name[0] != '\0' ? xro_ending_from_name(name) : XRO_ENDING_ANSWERED;

    if (ending != XRO_ENDING_COUNT)
        return ending;
    in->bad = true;
    return XRO_ENDING_UNDER_WAY;
}

/* An index of another hop: below the room, so that whoever follows it stays within the array. */
static uint16_t get_same_as(struct xro_json_in *in)
{
    uint64_t index = xro_json_get_u64(in, "same_as", XRO_NO_HOP, XRO_NO_HOP);

    if (index >= XRO_HOP_ROOM && index != XRO_NO_HOP)
        in->bad = true;
    return (uint16_t)index;
}

static bool read_hop(const json_t *object, struct xro_hop *hop)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };

    memset(hop, 0, sizeof *hop);
    xro_json_cut(xro_json_get_text(&in, "host"), hop->host, sizeof hop->host);
    hop->port = (uint16_t)xro_json_get_u64(&in, "port", 0, UINT16_MAX);
    xro_json_cut(xro_json_get_text(&in, "address"), hop->address, sizeof hop->address);
    hop->reused = xro_json_get_bool(&in, "reused", false);
    hop->pipelined = xro_json_get_bool(&in, "pipelined", false);
    hop->ending = get_ending(&in);
    hop->server_code = (int32_t)xro_json_get_i64(&in, "server_code", 0, INT32_MIN, INT32_MAX);
    hop->system = (int32_t)xro_json_get_i64(&in, "errno", 0, INT32_MIN, INT32_MAX);
    hop->same_as = get_same_as(&in);
    hop->version = (uint32_t)xro_json_get_u64(&in, "version", 0, UINT32_MAX);
    hop->flags = (uint32_t)xro_json_get_u64(&in, "flags", 0, UINT32_MAX);
    hop->wait_count = (uint32_t)xro_json_get_u64(&in, "wait_count", 0, UINT32_MAX);
    hop->wait_asked_s = xro_json_get_u64(&in, "wait_asked_s", 0, UINT64_MAX);
    if (json_object_get(object, "tls") != NULL && !read_tls(json_object_get(object, "tls"), &hop->tls))
        in.bad = true;
    return read_phases(json_object_get(object, "phase_ns"), hop) && !in.bad;
}

/* --- spans, waits, tries ----------------------------------------------------------------------------------------- */

/* There are about 25 spans in a plain sample: [begin_ns, phase], or [begin_ns, phase, hop] past the first hop, keeps
 * its line short. */
static json_t *write_span(const struct xro_span *span)
{
    json_t *array = json_array();

    if (json_array_append_new(array, xro_json_u64(span->begin)) != 0
        || json_array_append_new(array, json_string(xro_phase_name((enum xro_phase)span->phase))) != 0
        || (span->hop > 0 && json_array_append_new(array, json_integer(span->hop)) != 0)) {
        json_decref(array);
        return NULL;
    }
    return array;
}

static bool read_span(const json_t *array, struct xro_span *span)
{
    const char *name = json_string_value(json_array_get(array, 1));
    const json_t *later = json_array_get(array, 2);
    enum xro_phase phase = name != NULL ? xro_phase_from_name(name) : XRO_PHASE_COUNT;
    uint64_t begin, hop = 0;

    if (phase == XRO_PHASE_COUNT || !xro_json_is_u64(json_array_get(array, 0), UINT64_MAX, &begin)
        || (later != NULL && !xro_json_is_u64(later, XRO_HOP_ROOM - 1, &hop)))
        return false;
    *span = (struct xro_span){ .begin = begin, .hop = (uint16_t)hop, .phase = (uint8_t)phase };
    return true;
}

static json_t *write_wait(const struct xro_wait *wait)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put(&out, "asked_s", json_integer(wait->asked_s));
    xro_json_put_true(&out, "deferred", wait->deferred);
    xro_json_put_u64(&out, "begin_ns", wait->begin, 0);
    xro_json_put_u64(&out, "spent_ns", wait->spent, 0);
    xro_json_put_u64(&out, "hop", wait->hop, 0);
    xro_json_put_text(&out, "text", wait->text);
    return xro_json_end(&out);
}

static bool read_wait(const json_t *object, struct xro_wait *wait)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };

    wait->asked_s = (int32_t)xro_json_get_i64(&in, "asked_s", 0, INT32_MIN, INT32_MAX);
    wait->deferred = xro_json_get_bool(&in, "deferred", false);
    wait->begin = xro_json_get_u64(&in, "begin_ns", 0, UINT64_MAX);
    wait->spent = xro_json_get_u64(&in, "spent_ns", 0, UINT64_MAX);
    wait->hop = (uint16_t)xro_json_get_u64(&in, "hop", 0, XRO_HOP_ROOM - 1);
    xro_json_cut(xro_json_get_text(&in, "text"), wait->text, sizeof wait->text);
    return !in.bad;
}

static json_t *write_try(const struct xro_try *try)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put_text(&out, "address", try->address);
    xro_json_put_text(&out, "outcome", xro_outcome_name(try->outcome));
    xro_json_put_i64(&out, "errno", try->system, 0);
    xro_json_put_u64(&out, "begin_ns", try->begin, 0);
    xro_json_put_u64(&out, "spent_ns", try->spent, 0);
    xro_json_put_u64(&out, "hop", try->hop, 0);
    return xro_json_end(&out);
}

static bool read_try(const json_t *object, struct xro_try *try)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };
    enum xro_outcome outcome = xro_outcome_from_name(xro_json_get_text(&in, "outcome"));

    if (outcome == XRO_OUTCOME_COUNT)
        return false;
    xro_json_cut(xro_json_get_text(&in, "address"), try->address, sizeof try->address);
    try->outcome = outcome;
    try->system = (int32_t)xro_json_get_i64(&in, "errno", 0, INT32_MIN, INT32_MAX);
    try->begin = xro_json_get_u64(&in, "begin_ns", 0, UINT64_MAX);
    try->spent = xro_json_get_u64(&in, "spent_ns", 0, UINT64_MAX);
    try->hop = (uint16_t)xro_json_get_u64(&in, "hop", 0, XRO_HOP_ROOM - 1);
    return !in.bad;
}

static json_t *write_attempt(const struct xro_attempt *attempt)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put_text(&out, "method", attempt->method);
    xro_json_put_text(&out, "outcome", xro_auth_outcome_name(attempt->outcome));
    xro_json_put_u64(&out, "rounds", attempt->rounds, 0);
    xro_json_put_u64(&out, "making_ns", attempt->making, 0);
    xro_json_put_u64(&out, "cpu_ns", attempt->cpu, 0);
    xro_json_put_u64(&out, "loading_ns", attempt->loading, 0);
    xro_json_put_u64(&out, "server_ns", attempt->server, 0);
    xro_json_put_u64(&out, "hop", attempt->hop, 0);
    xro_json_put_text(&out, "reason", attempt->reason);
    return xro_json_end(&out);
}

static bool read_attempt(const json_t *object, struct xro_attempt *attempt)
{
    struct xro_json_in in = { .object = object, .bad = !json_is_object(object) };
    enum xro_auth_outcome outcome = xro_auth_outcome_from_name(xro_json_get_text(&in, "outcome"));

    if (outcome == XRO_AUTH_OUTCOME_COUNT)
        return false;
    xro_json_cut(xro_json_get_text(&in, "method"), attempt->method, sizeof attempt->method);
    attempt->outcome = outcome;
    attempt->rounds = (uint32_t)xro_json_get_u64(&in, "rounds", 0, UINT32_MAX);
    attempt->making = xro_json_get_u64(&in, "making_ns", 0, UINT64_MAX);
    attempt->cpu = xro_json_get_u64(&in, "cpu_ns", 0, UINT64_MAX);
    attempt->loading = xro_json_get_u64(&in, "loading_ns", 0, UINT64_MAX);
    attempt->server = xro_json_get_u64(&in, "server_ns", 0, UINT64_MAX);
    attempt->hop = (uint16_t)xro_json_get_u64(&in, "hop", 0, XRO_HOP_ROOM - 1);
    xro_json_cut(xro_json_get_text(&in, "reason"), attempt->reason, sizeof attempt->reason);
    return !in.bad;
}

/* An array KEY, and KEY_count where more were counted than kept. Its writer and its reader are made by this macro,
 * since C cannot pass the type: they differ in nothing else. */
#define LIST(list, item, items)                                                                                     \
    static void put_##list(struct xro_json_out *out, const struct xro_op *op)                                       \
    {                                                                                                               \
        uint32_t kept = xro_kept(op->item##_count, op->item##_room);                                                \
        json_t *array = kept > 0 ? json_array() : NULL;                                                             \
                                                                                                                    \
        for (uint32_t i = 0; i < kept; i++)                                                                         \
            if (json_array_append_new(array, write_##item(&op->items[i])) != 0)                                     \
                out->bad = true;                                                                                    \
        if (kept > 0)                                                                                               \
            xro_json_put(out, #list, array);                                                                        \
        xro_json_put_u64(out, #item "_count", op->item##_count, kept);                                              \
    }                                                                                                               \
                                                                                                                    \
    static void get_##list(struct xro_json_in *in, struct xro_op *op)                                               \
    {                                                                                                               \
        const json_t *array = xro_json_get_array(in, #list);                                                        \
        size_t given = json_array_size(array);                                                                      \
        uint32_t count = given < UINT32_MAX ? (uint32_t)given : UINT32_MAX, kept = xro_kept(count, op->item##_room);\
                                                                                                                    \
        for (uint32_t i = 0; i < kept && !in->bad; i++)                                                             \
            in->bad = !read_##item(json_array_get(array, i), &op->items[i]);                                        \
        op->item##_count = (uint32_t)xro_json_get_u64(in, #item "_count", count, UINT32_MAX);                       \
        if (op->item##_count < kept)                                                                                \
            in->bad = true;     /* more kept than there were */                                                     \
        if (op->item##_count > kept && kept < op->item##_room)                                                      \
            in->bad = true;     /* room left, yet not kept */                                                       \
    }

LIST(spans, span, spans)
LIST(waits, wait, waits)
LIST(tries, try, tries)
LIST(attempts, attempt, attempts)
#undef LIST

static void put_hops(struct xro_json_out *out, const struct xro_op *op)
{
    json_t *array = op->hop_count > 0 ? json_array() : NULL;

    if (op->hop_count == 0)
        return;
    for (uint16_t i = 0; i < op->hop_count; i++)
        if (json_array_append_new(array, write_hop(&op->hops[i])) != 0)
            out->bad = true;
    xro_json_put(out, "hops", array);
}

static void get_hops(struct xro_json_in *in, struct xro_op *op)
{
    const json_t *array = xro_json_get_array(in, "hops");
    size_t count = json_array_size(array);

    if (count > op->hop_room) {
        in->bad = true;
        return;
    }
    for (size_t i = 0; i < count && !in->bad; i++)
        in->bad = !read_hop(json_array_get(array, i), &op->hops[i]);
    op->hop_count = (uint16_t)count;
}

/* --- ops --------------------------------------------------------------------------------------------------------- */

/* Never begun: such an op is not in the line at all. */
static bool op_is_blank(const struct xro_op *op)
{
    return op->kind == xro_slot_op(op->slot) && !op->done && op->begin == 0 && op->total == 0 && op->bytes == 0
        && op->size == -1 && op->stray_count == 0 && op->message_count == 0 && op->hop_count == 0
        && op->piece_count == 0 && op->gap == 0 && op->gap_begin == 0 && op->span_count == 0 && op->wait_count == 0
        && op->try_count == 0 && op->attempt_count == 0 && error_is_blank(&op->error);
}

static json_t *write_op(const struct xro_op *op)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put_text(&out, "slot", xro_slot_name(op->slot));
    if (op->kind != xro_slot_op(op->slot))
        xro_json_put_text(&out, "op", xro_op_name(op->kind));
    if (!op->done)
        xro_json_put(&out, "done", json_false());
    xro_json_put_u64(&out, "begin_ns", op->begin, 0);
    xro_json_put(&out, "total_ns", xro_json_u64(op->total));
    xro_json_put_u64(&out, "bytes", op->bytes, 0);
    xro_json_put_i64(&out, "size_bytes", op->size, -1);
    xro_json_put_u64(&out, "piece_count", op->piece_count, 0);
    xro_json_put_u64(&out, "gap_ns", op->gap, 0);
    xro_json_put_u64(&out, "gap_begin_ns", op->gap_begin, 0);
    xro_json_put_u64(&out, "stray_count", op->stray_count, 0);
    xro_json_put_u64(&out, "message_count", op->message_count, 0);
    put_error(&out, &op->error);
    put_hops(&out, op);
    put_spans(&out, op);
    put_waits(&out, op);
    put_tries(&out, op);
    put_attempts(&out, op);
    return xro_json_end(&out);
}

static enum xro_op_kind get_kind(struct xro_json_in *in, enum xro_slot slot)
{
    const char *name = xro_json_get_text(in, "op");
    enum xro_op_kind kind = name[0] != '\0' ? xro_op_from_name(name) : xro_slot_op(slot);

    if (kind != XRO_OP_KINDS)
        return kind;
    in->bad = true;
    return xro_slot_op(slot);
}

static void read_op(struct xro_json_in *in, struct xro_op *op)
{
    op->kind = get_kind(in, op->slot);
    op->done = xro_json_get_bool(in, "done", true);
    op->begin = xro_json_get_u64(in, "begin_ns", 0, UINT64_MAX);
    op->total = xro_json_get_u64(in, "total_ns", 0, UINT64_MAX);
    op->bytes = xro_json_get_u64(in, "bytes", 0, UINT64_MAX);
    op->size = xro_json_get_i64(in, "size_bytes", -1, INT64_MIN, INT64_MAX);
    op->piece_count = (uint32_t)xro_json_get_u64(in, "piece_count", 0, UINT32_MAX);
    op->gap = xro_json_get_u64(in, "gap_ns", 0, UINT64_MAX);
    op->gap_begin = xro_json_get_u64(in, "gap_begin_ns", 0, UINT64_MAX);
    op->stray_count = (uint32_t)xro_json_get_u64(in, "stray_count", 0, UINT32_MAX);
    op->message_count = (uint32_t)xro_json_get_u64(in, "message_count", 0, UINT32_MAX);
    get_error(in, &op->error);
    get_hops(in, op);
    get_spans(in, op);
    get_waits(in, op);
    get_tries(in, op);
    get_attempts(in, op);
}

/* The op that OBJECT is for, NULL when its slot is unknown or was there before. */
static struct xro_op *find_op(struct xro_json_in *in, struct xro_sample *sample, unsigned *seen)
{
    const char *name = xro_json_get_text(in, "slot");

    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++) {
        if (strcmp(name, xro_slot_name((enum xro_slot)slot)) != 0 || (*seen & 1u << slot) != 0)
            continue;
        *seen |= 1u << slot;
        return &sample->ops[slot];
    }
    return NULL;
}

static void put_ops(struct xro_json_out *out, const struct xro_sample *sample)
{
    json_t *array = json_array();

    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++)
        if (!op_is_blank(&sample->ops[slot]) && json_array_append_new(array, write_op(&sample->ops[slot])) != 0)
            out->bad = true;
    xro_json_put(out, "ops", array);
}

static void get_ops(struct xro_json_in *in, struct xro_sample *sample)
{
    const json_t *array = xro_json_get_array(in, "ops");
    unsigned seen = 0;

    for (size_t i = 0; i < json_array_size(array) && !in->bad; i++) {
        struct xro_json_in one = { .object = json_array_get(array, i) };
        struct xro_op *op = find_op(&one, sample, &seen);
        if (op != NULL)
            read_op(&one, op);
        in->bad = op == NULL || one.bad;
    }
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

static json_t *write_sample(const struct xro_sample *sample)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put(&out, "type", json_string("sample"));
    xro_json_put(&out, "row", json_integer(sample->row));
    xro_json_put(&out, "number", xro_json_u64(sample->number));
    xro_json_put_u64(&out, "block", sample->block, 0);
    xro_json_put_i64(&out, "cpu", sample->cpu, -1);
    xro_json_put_u64(&out, "wall_ns", sample->wall, 0);
    if (sample->has_start)
        xro_json_put(&out, "start_ns", xro_json_u64(sample->start));
    if (sample->has_load)
        xro_json_put(&out, "load_ns", xro_json_u64(sample->load));
    xro_json_put_u64(&out, "cpu_time_ns", sample->cpu_time, 0);
    xro_json_put_u64(&out, "op_count", sample->op_count, 0);
    put_error(&out, &sample->error);
    put_ops(&out, sample);
    return xro_json_end(&out);
}

static void read_sample(struct xro_json_in *in, struct xro_sample *sample)
{
    sample->row = (uint32_t)xro_json_get_u64(in, "row", 0, UINT32_MAX);
    sample->number = xro_json_get_u64(in, "number", 0, UINT64_MAX);
    sample->block = (uint32_t)xro_json_get_u64(in, "block", 0, UINT32_MAX);
    sample->cpu = (int32_t)xro_json_get_i64(in, "cpu", -1, INT32_MIN, INT32_MAX);
    sample->wall = xro_json_get_u64(in, "wall_ns", 0, UINT64_MAX);
    sample->has_start = json_object_get(in->object, "start_ns") != NULL;
    sample->start = xro_json_get_u64(in, "start_ns", 0, UINT64_MAX);
    sample->has_load = json_object_get(in->object, "load_ns") != NULL;
    sample->load = xro_json_get_u64(in, "load_ns", 0, UINT64_MAX);
    sample->cpu_time = xro_json_get_u64(in, "cpu_time_ns", 0, UINT64_MAX);
    sample->op_count = (uint32_t)xro_json_get_u64(in, "op_count", 0, UINT32_MAX);
    get_error(in, &sample->error);
    get_ops(in, sample);
}

char *xro_sample_to_line(const struct xro_sample *sample)
{
    json_t *object = write_sample(sample);
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;

    json_decref(object);
    return line;
}

enum xro_status xro_sample_from_line(const char *line, size_t length, struct xro_sample *sample)
{
    struct xro_json_in in = { .object = NULL };
    enum xro_status status = XRO_OK;
    json_t *object = json_loadb(line, length, 0, NULL);

    xro_sample_reset(sample);
    in.object = object;
    if (!json_is_object(object))
        status = XRO_INVALID;
    else if (strcmp(xro_json_get_text(&in, "type"), "sample") != 0)
        status = XRO_UNSUPPORTED;
    else
        read_sample(&in, sample);
    json_decref(object);
    if (status == XRO_OK && in.bad)
        status = XRO_INVALID;
    if (status != XRO_OK)
        xro_sample_reset(sample);
    return status;
}

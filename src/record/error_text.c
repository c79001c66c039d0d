/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "record/error_text.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- text that grows within its room ----------------------------------------------------------------------------- */

struct words {
    char *to;
    size_t size, used;
};

__attribute__((format(printf, 2, 3)))
static void add(struct words *words, const char *format, ...)
{
    size_t left = words->size - words->used;
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(words->to + words->used, left, format, arguments);
    va_end(arguments);
    if (n > 0)
        words->used += (size_t)n < left ? (size_t)n : left - 1;
}

/* --- facts ------------------------------------------------------------------------------------------------------- */

/* The names of kXR_ error codes 3000 and on. They are protocol's, but a record is read where the protocol is not
 * known; a test holds them to proto/xroot.h. */
static const char *server_code_name(int32_t code)
{
    static const char *const names[] = {
        "ArgInvalid", "ArgMissing", "ArgTooLong", "FileLocked", "FileNotOpen", "FSError", "InvalidRequest", "IOError",
        "NoMemory", "NoSpace", "NotAuthorized", "NotFound", "ServerError", "Unsupported", "noserver", "NotFile",
        "isDirectory", "Cancelled", "ItExists", "ChkSumErr", "inProgress", "overQuota", "SigVerErr", "DecryptErr",
        "Overloaded", "fsReadOnly", "BadPayload", "AttrNotFound", "TLSRequired", "noReplicas", "AuthFailed",
        "Impossible", "Conflict", "TooManyErrs", "ReqTimedOut", "TimerExpired",
    };

    return code >= 3000 && code - 3000 < (int32_t)(sizeof names / sizeof *names) ? names[code - 3000] : NULL;
}

static const struct xro_hop *failed_hop(const struct xro_error *error, const struct xro_op *op)
{
    return op != NULL && error->hop >= 0 && error->hop < op->hop_count ? &op->hops[error->hop] : NULL;
}

/* "host:port" of the hop, "" when it is not known. */
static const char *authority(const struct xro_error *error, const struct xro_op *op, char *to, size_t size)
{
    const struct xro_hop *hop = failed_hop(error, op);

    if (hop == NULL || hop->host[0] == '\0')
        return "";
    return xro_url_authority(hop->host, hop->port, to, size);
}

/* How many addresses of the hop were tried. */
static uint32_t tried_count(const struct xro_error *error, const struct xro_op *op)
{
    uint32_t count = 0;

    if (failed_hop(error, op) == NULL)
        return 0;
    for (uint32_t i = 0; i < xro_kept(op->try_count, op->try_room); i++)
        count += op->tries[i].hop == error->hop && op->tries[i].outcome != XRO_OUTCOME_UNTRIED;
    return count;
}

const char *xro_error_place(const struct xro_error *error, const struct xro_op *op)
{
    if (error->phase != XRO_PHASE_OTHER)
        return xro_phase_name(error->phase);
    if (op != NULL)
        return xro_op_name(op->kind);
    return error->status == XRO_DIED || error->status == XRO_INTERRUPTED ? "process" : "load";
}

/* --- what happened ----------------------------------------------------------------------------------------------- */

static const char *connect_verb(int32_t system)
{
    switch (system) {
    case ECONNREFUSED: return "refused";
    case ENETUNREACH:
    case EHOSTUNREACH: return "unreachable";
    case ETIMEDOUT:    return "did not answer";
    case ECONNRESET:   return "reset";
    default:           return "failed";
    }
}

/* What a server that let the time pass had been asked for. */
static void add_silence(struct words *words, const struct xro_error *error, const char *peer)
{
    switch (error->phase) {
    case XRO_PHASE_RESOLVE:
        add(words, ": no answer to the look-up of %s", peer[0] ? peer : "the name");
        break;
    case XRO_PHASE_WAIT:
        add(words, ": in a wait ordered by %s", peer);
        break;
    case XRO_PHASE_DEFER:
        add(words, ": %s deferred its answer and did not give it", peer);
        break;
    case XRO_PHASE_TRANSFER:
        add(words, ": half an answer from %s", peer);
        break;
    default:
        if (peer[0] != '\0')
            add(words, ": no answer from %s", peer);
    }
}

/* Of the op's waits, the last one ordered by the failed hop. */
static void add_last_wait(struct words *words, const struct xro_error *error, const struct xro_op *op)
{
    const struct xro_hop *hop = failed_hop(error, op);

    if (hop == NULL || hop->wait_count == 0 || error->phase != XRO_PHASE_WAIT)
        return;
    for (uint32_t i = xro_kept(op->wait_count, op->wait_room); i-- > 0;) {
        const struct xro_wait *wait = &op->waits[i];
        if (wait->hop != error->hop || wait->deferred)
            continue;
        add(words, " (asked for %" PRId32 " s%s%s%s)", wait->asked_s, wait->text[0] ? ", \"" : "", wait->text,
            wait->text[0] ? "\"" : "");
        return;
    }
}

static void add_timeout(struct words *words, const struct xro_error *error, const struct xro_op *op, const char *peer)
{
    char spent[XRO_DURATION_SIZE];

    if (error->phase == XRO_PHASE_WAIT) {       /* it is not waited for in vain: the failure comes at once */
        add(words, "%s ordered a pause that ends after the limit", peer[0] ? peer : "the server");
        if (error->limit != XRO_LIMIT_NONE)
            add(words, " (%s)", xro_limit_name(error->limit));
        add_last_wait(words, error, op);
        return;
    }
    add(words, "time limit passed");
    if (error->limit != XRO_LIMIT_NONE)
        add(words, " (%s)", xro_limit_name(error->limit));
    if (op != NULL)
        add(words, " %s into the %s", xro_format_duration(op->total, spent), xro_op_name(op->kind));
    add_silence(words, error, peer);
}

static void add_connect(struct words *words, const struct xro_error *error, const struct xro_op *op, const char *peer)
{
    uint32_t count = tried_count(error, op);

    add(words, "%s%s", peer, peer[0] ? " " : "");
    add(words, "%s", connect_verb(error->system));
    if (count > 1)
        add(words, " (%" PRIu32 " addresses tried)", count);
}

static void add_server(struct words *words, const struct xro_error *error, const char *peer)
{
    const char *name = server_code_name(error->server);

    add(words, "%s answered with an error", peer[0] ? peer : "the server");
    if (error->server != 0)
        add(words, ": %" PRId32 "%s%s", error->server, name ? " " : "", name ? name : "");
}

static void add_stalled(struct words *words, const struct xro_error *error, const struct xro_op *op, const char *peer)
{
    const struct xro_hop *hop = failed_hop(error, op);

    add(words, "no progress: %s keeps ordering waits", peer[0] ? peer : "the server");
    if (hop != NULL && hop->wait_count > 0)
        add(words, " (%" PRIu32 " of them, %" PRIu64 " s asked in all)", hop->wait_count, hop->wait_asked_s);
    add_last_wait(words, error, op);
}

/* The last hop that broke, if one did: what sent the op round and round. */
static void add_last_broken(struct words *words, const struct xro_op *op)
{
    char room[XRO_HOST_SIZE + 16];

    for (uint16_t i = op->hop_count; i-- > 0;) {
        const struct xro_hop *hop = &op->hops[i];
        if (hop->ending != XRO_ENDING_BROKEN)
            continue;
        add(words, ": %s %s", xro_url_authority(hop->host, hop->port, room, sizeof room),
            hop->address[0] != '\0' ? "closed the connection" : connect_verb(hop->system));
        return;
    }
}

static void add_redirects(struct words *words, const struct xro_op *op, const char *peer)
{
    unsigned servers = 0;

    add(words, "redirect limit reached");
    if (peer[0] != '\0')
        add(words, " at %s", peer);
    if (op == NULL)
        return;
    for (uint16_t i = 0; i < op->hop_count; i++)
        servers += op->hops[i].same_as == XRO_NO_HOP;
    add(words, " after %u hops at %u server%s", (unsigned)op->hop_count, servers, servers == 1 ? "" : "s");
    add_last_broken(words, op);
}

/* A subject and a verb where the peer is known; the bare status otherwise. */
static void add_plain(struct words *words, enum xro_status status, const char *peer)
{
    if (status == XRO_CLOSED && peer[0] != '\0')
        add(words, "%s closed the connection", peer);
    else if (status == XRO_PROTOCOL && peer[0] != '\0')
        add(words, "%s broke the protocol", peer);
    else
        add(words, "%s%s%s", peer, peer[0] ? ": " : "", xro_status_text(status));
}

static void add_what(struct words *words, const struct xro_error *error, const struct xro_op *op)
{
    char room[XRO_HOST_SIZE + 16];
    const char *peer = authority(error, op, room, sizeof room);
    const struct xro_hop *hop = failed_hop(error, op);

    switch (error->status) {
    case XRO_TIMEOUT:
        add_timeout(words, error, op, error->phase == XRO_PHASE_RESOLVE && hop != NULL ? hop->host : peer);
        break;
    case XRO_RESOLVE:                   /* the port says nothing here */
        add(words, "%s", hop != NULL && hop->host[0] != '\0' ? hop->host : "name look-up failed");
        break;
    case XRO_CONNECT:
        add_connect(words, error, op, peer);
        break;
    case XRO_SERVER:
        add_server(words, error, peer);
        break;
    case XRO_STALLED:
        add_stalled(words, error, op, peer);
        break;
    case XRO_REDIRECTS:
        add_redirects(words, op, peer);
        break;
    case XRO_IO:                        /* without a peer it is the operating system that refused */
        if (peer[0] == '\0' && op != NULL) {
            add(words, "%s failed", xro_op_name(op->kind));
            break;
        }
        add_plain(words, error->status, peer);
        break;
    default:
        add_plain(words, error->status, peer);
    }
}

/* --- why --------------------------------------------------------------------------------------------------------- */

/* What the operating system or the resolver called it, NULL when neither did. */
static const char *system_words(const struct xro_error *error)
{
    if (error->resolver != 0 && error->resolver != EAI_SYSTEM)
        return gai_strerror(error->resolver);
    return error->system != 0 ? strerror(error->system) : NULL;
}

static void add_why(struct words *words, const struct xro_error *error)
{
    const char *system = system_words(error);

    if (system != NULL)
        add(words, ": %s", system);
    if (error->detail != NULL)
        add(words, ": %s", error->detail);
    if (error->text[0] != '\0' && !(error->phase == XRO_PHASE_WAIT     /* the wait's words have been said */
                                    && (error->status == XRO_TIMEOUT || error->status == XRO_STALLED)))
        add(words, ": %s", error->text);
}

char *xro_error_format(const struct xro_error *error, const struct xro_op *op, char *to, size_t size)
{
    struct words words = { .to = to, .size = size };

    to[0] = '\0';
    add(&words, "%s: ", xro_error_place(error, op));
    add_what(&words, error, op);
    add_why(&words, error);
    return to;
}

/* --- the reason alone -------------------------------------------------------------------------------------------- */

char *xro_error_reason(const struct xro_error *error, char *to, size_t size)
{
    struct words words = { .to = to, .size = size };
    const char *system = system_words(error);

    to[0] = '\0';
    switch (error->status) {
    case XRO_TIMEOUT:
        add(&words, "time limit passed");
        if (error->limit != XRO_LIMIT_NONE)
            add(&words, " (%s)", xro_limit_name(error->limit));
        break;
    case XRO_SERVER:
        add(&words, "server error %" PRId32, error->server);
        if (server_code_name(error->server) != NULL)
            add(&words, " %s", server_code_name(error->server));
        break;
    default:
        add(&words, "%s", system != NULL ? system : xro_status_text(error->status));
    }
    return to;
}

char *xro_error_key(const struct xro_error *error, const struct xro_op *op, char *to, size_t size)
{
    char reason[XRO_REASON_SIZE];

    snprintf(to, size, "%s: %s", xro_error_place(error, op), xro_error_reason(error, reason, sizeof reason));
    return to;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * script.h - a parsed imposter script: servers, their files, and rules "event, conditions -> steps". The language is
 * described in xrdopen-imposter(5). A script is immutable once parsed and lives in one arena; it does no I/O and knows
 * no descriptor, so that the parser can be fuzzed. */
#ifndef XRO_IMPOSTER_SCRIPT_H
#define XRO_IMPOSTER_SCRIPT_H

#include "base/clock.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {                          /* what a script may hold; beyond it is an error with its place */
    XRO_SCRIPT_BYTES_MAX = 1 << 20,
    XRO_SCRIPT_SERVERS_MAX = 256,
    XRO_SCRIPT_ADDRESSES_MAX = 16,
    XRO_SCRIPT_RULES_MAX = 4096,
    XRO_SCRIPT_STEPS_MAX = 64,          /* of one rule */
    XRO_SCRIPT_FILES_MAX = 16384,
    XRO_SCRIPT_SETS_MAX = 64,
    XRO_SCRIPT_MESSAGE_MAX = 64 << 20   /* bytes of one answer */
};

/* --- data: what an answer's body is made of --------------------------------------------------------------------- */

enum xro_data_kind {
    XRO_DATA_BYTES,             /* bytes, `times` times over */
    XRO_DATA_FLAGS,             /* 4 bytes: the flags word of the server's kind */
    XRO_DATA_SESSION,           /* 16 bytes: this connection's session id */
    XRO_DATA_STREAM,            /* 2 bytes: the request's stream id */
    XRO_DATA_TARGET             /* a redirect's port and text */
};

struct xro_redirect {
    int server;                 /* index of a server, or XRO_REDIRECT_SELF or _TEXT */
    unsigned address;           /* which of its addresses, from 0 */
    const char *text;           /* XRO_REDIRECT_TEXT: in place of the host */
    const char *opaque, *token; /* NULL: none */
    bool url;                   /* the URL form */
    const char *scheme, *path;  /* of the URL form; path NULL: the request's own */
    uint32_t flags;             /* of the URL form: port on the wire is ~flags */
    bool has_port;              /* `port` stands in place of the server's */
    int32_t port;
};
enum { XRO_REDIRECT_SELF = -1, XRO_REDIRECT_TEXT = -2 };

struct xro_data {
    struct xro_data *next;
    enum xro_data_kind kind;
    const uint8_t *bytes;
    size_t length;
    uint64_t times;
    struct xro_redirect *redirect;
};

/* --- steps ------------------------------------------------------------------------------------------------------ */

enum xro_step_kind {
    XRO_STEP_ANSWER,            /* the normal answer, or what `piece` left of it */
    XRO_STEP_PIECE,             /* the next `amount` bytes of its data as oksofar */
    XRO_STEP_PIECES,            /* all of its data in pieces of `amount`, the last one final */
    XRO_STEP_MESSAGE,           /* header with `code` as status, and `data` */
    XRO_STEP_RAW,               /* `data` without a header */
    XRO_STEP_REST,              /* what `first` left of the message before */
    XRO_STEP_DELAY,
    XRO_STEP_DETACH,            /* go on beside the connection's other requests */
    XRO_STEP_REPEAT,            /* from the first step again */
    XRO_STEP_IGNORE,            /* no (further) answer to this request */
    XRO_STEP_SILENCE,           /* nothing more is sent on this connection; it is still read */
    XRO_STEP_DEAF,              /* nothing more is read from this connection */
    XRO_STEP_SHUTDOWN,          /* half-close: FIN, still reading */
    XRO_STEP_CLOSE,
    XRO_STEP_RESET
};

enum xro_amount_kind { XRO_AMOUNT_ALL, XRO_AMOUNT_BYTES, XRO_AMOUNT_HALF };

struct xro_amount {
    enum xro_amount_kind kind;
    uint64_t bytes;
};

enum xro_override_kind { XRO_KEEP, XRO_SET, XRO_ADD };

struct xro_override {           /* of a header field */
    enum xro_override_kind kind;
    int64_t value;
};

struct xro_patch {              /* bytes of a finished message overwritten, or (`flip`) turned over */
    struct xro_patch *next;
    uint64_t at;
    const uint8_t *bytes;
    size_t length;
    bool flip;
};

struct xro_step {
    enum xro_step_kind kind;
    unsigned line;
    bool attn;                  /* the message goes inside a kXR_attn (asynresp) */
    uint16_t code;              /* MESSAGE: status */
    struct xro_data *data;
    struct xro_amount amount;   /* PIECE, PIECES */
    struct xro_override stream, length, status;
    struct xro_amount first;    /* only so much of the message now */
    uint64_t dribble;           /* so many bytes at a time, 0: all at once */
    xro_ns every;               /* pause between bytes dribbled, or between PIECES */
    struct xro_patch *patches;
    bool crc;                   /* compute a kXR_status header's checksum after all changes */
    xro_ns delay;
    bool serial, per_chunk;     /* DELAY: one at a time over the server's connections; times the chunks of a readv */
    uint64_t times;             /* REPEAT: in all; 0: for ever */
};

/* --- rules ------------------------------------------------------------------------------------------------------ */

/* Events as bits: request codes 3000 to 3047 are bits 0 to 47. */
#define XRO_EVENT_OTHER     (UINT64_C(1) << 48)     /* a request with any other code */
#define XRO_EVENT_ACCEPT    (UINT64_C(1) << 62)
#define XRO_EVENT_HANDSHAKE (UINT64_C(1) << 63)
#define XRO_EVENT_ANY       ((UINT64_C(1) << 49) - 1)

enum xro_scope { XRO_SCOPE_SERVER, XRO_SCOPE_CONNECTION, XRO_SCOPE_PATH, XRO_SCOPE_ALL };

struct xro_rule {
    struct xro_rule *next;
    unsigned index, line;
    uint64_t events;
    const char *path, *cgi;     /* patterns, NULL: whatever */
    bool writing;               /* only opens for writing */
    uint64_t from, to;          /* counted from 1 */
    uint64_t every, offset;     /* count % every == offset; every 0: each */
    enum xro_scope scope;
    xro_ns after, until;        /* time since the start, or (`of_connection`) since the accept */
    bool of_connection;
    size_t step_count;
    struct xro_step *steps;
};

/* --- files and servers ------------------------------------------------------------------------------------------ */

enum xro_file_kind { XRO_FILE_FILE, XRO_FILE_DIRECTORY, XRO_FILE_DENIED };
enum xro_fill { XRO_FILL_OFFSETS, XRO_FILL_ZERO, XRO_FILL_REPEAT };

struct xro_file {
    struct xro_file *next;
    enum xro_file_kind kind;
    const char *path;           /* a pattern: '*' any characters, '?' one */
    bool pattern;               /* holds a '*' or '?' */
    uint64_t size;
    enum xro_fill fill;         /* OFFSETS: each 16 bytes say their own offset */
    const uint8_t *bytes;       /* REPEAT: over and over */
    size_t length;
    bool offline;
};

enum xro_server_kind { XRO_SERVER_DATA, XRO_SERVER_MANAGER, XRO_SERVER_RELAY };
enum xro_address_kind { XRO_ADDRESS_SERVE, XRO_ADDRESS_SILENT, XRO_ADDRESS_REFUSE, XRO_ADDRESS_SWALLOW };

struct xro_script_address {
    struct xro_script_address *next;
    enum xro_address_kind kind;
    const char *text;           /* numeric, without brackets */
    unsigned line, column;
};

struct xro_server {
    const char *name;
    unsigned line, column;
    enum xro_server_kind kind;
    struct xro_script_address *addresses;      /* never empty; all share one port */
    unsigned address_count;
    uint16_t port;              /* 0: a free one */
    const char *host;           /* what redirects and listings call it, NULL: its first address */
    const char *relay_host, *relay_port;        /* port NULL: the host is a server of this script... */
    unsigned relay_server;      /* ... namely this one */
    xro_ns relay_delay, relay_back;     /* to the real server, and back */
    struct xro_file *files;
    struct xro_rule *rules;
};

struct xro_script {
    struct xro_arena *arena;
    struct xro_server *servers;
    unsigned server_count;
    struct xro_file *files;     /* of the head: every server's, behind its own */
    struct xro_rule *rules;     /* likewise */
    unsigned rule_count;        /* indexes of all rules are below it */
};

struct xro_script_error {
    unsigned line, column;      /* from 1; 0 when it concerns no place */
    char text[240];             /* what was expected, what was found; printable ASCII */
};

struct xro_script_setting {     /* --set NAME=VALUE */
    const char *name, *value;
};

/* Parse TEXT, of LENGTH bytes, not NUL-terminated. XRO_OK with *SCRIPT, or XRO_INVALID or XRO_MEMORY with *ERROR
 * filled and *SCRIPT NULL. */
enum xro_status xro_imposter_parse(const char *text, size_t length, struct xro_script **script,
                                   struct xro_script_error *error);

/* The same with variables of the script set otherwise; each must be one that the script has. */
enum xro_status xro_imposter_parse_with(const char *text, size_t length, const struct xro_script_setting *settings,
                                        size_t setting_count, struct xro_script **script,
                                        struct xro_script_error *error);

/* The index of the server of that name, or -1. */
int xro_script_server(const struct xro_script *script, const char *name);

/* NULL is allowed. */
void xro_script_free(struct xro_script *script);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * answer.h - answers to bytes and back. A decoder gets the whole body, answers true when it has the shape that the
 * protocol asks for, and points into the body; it never reads past it. Whatever stands in a body is untrusted.
 *
 * Every answer has a header of 8 bytes: stream id (2), status (2), body length (4); then the body.
 * (XProtocol.hh, ServerResponseHeader) */
#ifndef XRO_PROTO_ANSWER_H
#define XRO_PROTO_ANSWER_H

#include "base/cursor.h"
#include "proto/request.h"
#include "proto/xroot.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xro_span_text {          /* text inside a body: no NUL at its end, may hold any byte */
    const char *bytes;
    size_t length;
};

struct xro_answer {             /* the header */
    uint16_t stream;
    uint16_t status;            /* enum xro_kxr_answer, or anything */
    uint32_t length;            /* of the body; a negative one on the wire is > INT32_MAX here */
};

/* The header; false when there are fewer than 8 bytes left, with nothing taken. */
bool xro_get_answer(struct xro_in *in, struct xro_answer *answer);
void xro_put_answer(struct xro_out *out, struct xro_answer answer);

/* The handshake's answer: 16 bytes in all, shaped like an answer with an 8-byte body. False: not an xroot server. */
struct xro_handshake_answer {
    uint32_t version, type;     /* type: 1 data server, 0 manager */
};
bool xro_get_handshake_answer(const uint8_t bytes[XRO_HANDSHAKE_ANSWER_SIZE], struct xro_handshake_answer *answer);
void xro_put_handshake_answer(struct xro_out *out, struct xro_handshake_answer answer);

/* kXR_protocol: version and flags word, then optional blocks, of which 'S' (signing requirements) is looked at. */
struct xro_protocol_answer {
    uint32_t version;
    uint32_t flags;             /* made up from 1 or 0 where the server is older than flags are */
    bool signing;               /* an 'S' block was there, whole */
    uint8_t signing_options, signing_level;
    const uint8_t *overrides;   /* pairs {request code - 3000, rule}, in the body */
    size_t override_count;
};
bool xro_get_protocol_answer(const uint8_t *body, size_t length, struct xro_protocol_answer *answer);

/* kXR_login: session id and security token. An empty body is good, too: servers up to 2.8.9 sent none. */
struct xro_login_answer {
    uint8_t session[XRO_SESSION_ID_SIZE];
    struct xro_span_text token; /* "&P=gsi,...&P=unix" or empty */
};
bool xro_get_login_answer(const uint8_t *body, size_t length, struct xro_login_answer *answer);

/* The next "&P=name,arguments" of a security token; false when there is none left. TOKEN moves on. */
struct xro_security_offer {
    struct xro_span_text name, arguments;
};
bool xro_next_offer(struct xro_span_text *token, struct xro_security_offer *offer);

/* kXR_open: the handle, then with kXR_retstat 8 bytes about compression and the stat text. */
struct xro_open_answer {
    struct xro_handle handle;
    struct xro_span_text stat;  /* empty when not there */
};
bool xro_get_open_answer(const uint8_t *body, size_t length, struct xro_open_answer *answer);

/* kXR_stat's text: "id size flags mtime ..." */
struct xro_stat_answer {
    int64_t size, mtime;
    uint32_t flags;             /* XRO_KXR_ISDIR and so on */
};
bool xro_get_stat_answer(struct xro_span_text text, struct xro_stat_answer *answer);

/* kXR_error: code and text; kXR_wait and kXR_waitresp: seconds and text. A NUL at the text's end is left out. */
struct xro_coded_answer {
    int32_t code;
    struct xro_span_text text;
};
bool xro_get_coded_answer(const uint8_t *body, size_t length, struct xro_coded_answer *answer);

/* kXR_redirect: host and port, or a URL (port on the wire < 0). The pieces point into the body. */
struct xro_redirect_answer {
    bool is_url;
    uint32_t flags;             /* of a URL: the bits of ~port, 0 for none */
    uint16_t port;              /* host form: 1 to 65535 */
    struct xro_span_text host;  /* host form: without brackets; URL form: the whole URL */
    struct xro_span_text opaque;    /* host form: what follows the first '?', up to the second; verbatim */
    struct xro_span_text token;     /* host form: what follows the second '?'; for the next login */
};
/* NULL when good, else a constant sentence that says what is wrong. */
const char *xro_get_redirect_answer(const uint8_t *body, size_t length, struct xro_redirect_answer *answer);

/* kXR_attn: the action, and for kXR_asynresp the answer inside. */
struct xro_attn_answer {
    int32_t action;
    bool has_answer;
    struct xro_answer inner;    /* has_answer: its header, with inner.length == body's */
    const uint8_t *body;        /* of the inner answer; else what follows the action */
    size_t length;
};
bool xro_get_attn_answer(const uint8_t *body, size_t length, struct xro_attn_answer *answer);

#ifdef __cplusplus
}
#endif
#endif

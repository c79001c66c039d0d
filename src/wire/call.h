/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * call.h - what the client's files share among themselves: changing the call's state, its ends, its way from server to
 * server. Not for others. */
#ifndef XRO_WIRE_CALL_H
#define XRO_WIRE_CALL_H

#include "wire/client.h"

/* The only writer of client->state; it stamps: from AT on the time goes to NEXT's phase. */
void xro_call_enter(struct xro_client *client, enum xro_call_state next, xro_ns at);

/* The pause that the call is in, ordered or deferred, lasted until AT. xro_call_enter() says so for a change of state. */
void xro_call_end_pause(struct xro_client *client, xro_ns at);

/* The clock, read now; also kept in client->now. */
xro_ns xro_call_stamp(struct xro_client *client);

/* --- ends (client.c) --- */

void xro_call_succeed(struct xro_client *client);

/* The call fails with STATUS in its present phase. DETAIL is a constant sentence or NULL, TEXT the server's or NULL. The
 * link is given up unless the failure is an answer (XRO_SERVER), after which it is in order. */
void xro_call_fail(struct xro_client *client, enum xro_status status, const char *detail, const struct xro_span_text *text);

/* The same for a link that broke the protocol. */
void xro_call_violation(struct xro_client *client, const char *detail);

/* The same for any link: where it is not the present hop's, the call goes on and the link is given up. */
void xro_call_link_violation(struct xro_client *client, struct xro_link *link, const char *detail);

/* --- the way (route.c) --- */

/* Begin a hop on LINK: send the request if it is ready, connect it if not. */
void xro_call_hop(struct xro_client *client, struct xro_link *link);

/* Send the request on the present link, which is ready. */
void xro_call_send(struct xro_client *client);

/* The request went out with what came before: from AT on its answer is waited for. */
void xro_call_sent(struct xro_client *client, xro_ns at);

/* The flags of kXR_protocol for the present link: what we can, and what we want. */
uint8_t xro_call_protocol_flags(const struct xro_client *client);

/* The link is logged in: send what it was made for. */
void xro_call_ready(struct xro_client *client);

/* An answer to kXR_auth came (authenticate.c). */
void xro_call_auth_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body);

/* Make TEXT a copy of LENGTH BYTES, in BUF: answers come and go. False: the call has failed. */
bool xro_call_copy(struct xro_client *client, struct xro_buf *buf, const void *bytes, size_t length,
                   struct xro_span_text *text);

/* Is an answer waited for in this state? */
bool xro_call_waits_for_answer(const struct xro_client *client);

/* Put kXR_login's bytes into the present link's output; false: the call has failed. */
bool xro_call_encode_login(struct xro_client *client);

/* Put the request's bytes into the present link's output; false: the call has failed. */
bool xro_call_encode(struct xro_client *client);

/* The present link is a manager: it is where failed attempts go back to. */
void xro_call_note_manager(struct xro_client *client);

/* The server said: go elsewhere. */
void xro_call_redirect(struct xro_client *client, const uint8_t *body, size_t length);

/* Go back to the manager because the present hop failed, with kXR code SERVER or, when 0, its connection; false: there is
 * no way back, or it makes no sense for this failure. */
bool xro_call_go_back(struct xro_client *client, int server);

/* One flight was refused: the same server again, step by step; false: it was no flight. */
bool xro_call_step_by_step(struct xro_client *client);

/* --- links (link.c) --- */

/* The link to HOST:PORT, a new one when there is none; NULL when memory or places are short. */
struct xro_link *xro_client_link(struct xro_client *client, struct xro_span_text host, uint16_t port);

struct xro_link *xro_link_create(uint16_t index);
void xro_link_close(struct xro_link *link);

/* It is not connected any more; what was coming in or going out is forgotten. */
void xro_link_down(struct xro_link *link);

/* Begin with this much room in LINK's output; a cursor over it. xro_link_wrote() takes what was written. */
struct xro_out xro_link_room(struct xro_link *link, size_t room);
void xro_link_wrote(struct xro_link *link, const struct xro_out *out);

/* --- answers (answers.c, start.c) --- */

/* A whole answer for the outstanding request came. INNER: it was inside a kXR_attn. */
void xro_call_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body, bool inner);

/* Answers to what begins a connection (start.c). */
void xro_call_protocol_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body);
void xro_call_login_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body);

/* The server refused with an error. */
void xro_call_error_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body);

/* The server ordered a pause. */
void xro_call_wait_answer(struct xro_client *client, struct xro_answer answer, const uint8_t *body);

/* The 16 bytes that answer the handshake came. */
void xro_call_handshake_answer(struct xro_client *client, const uint8_t bytes[XRO_HANDSHAKE_ANSWER_SIZE]);

/* A whole kXR_attn came. */
void xro_call_attn(struct xro_client *client, struct xro_link *link);

/* An answer that nobody waits for. */
void xro_call_stray(struct xro_client *client);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * token.h - the user's bearer token, found as the WLCG's rules say (WLCG Bearer Token Discovery 1.0) and as XRootD's
 * plug-in does:
 *
 *     1. $BEARER_TOKEN                        3. $XDG_RUNTIME_DIR/bt_u<uid>
 *     2. the file named by $BEARER_TOKEN_FILE 4. /tmp/bt_u<uid>
 *
 * A place that is not there, or holds nothing but white space, is passed over; one that cannot be used ends the search,
 * so that a mistake is not covered up by another token. White space around the token is taken off. */
#ifndef XRO_AUTH_TOKEN_H
#define XRO_AUTH_TOKEN_H

#include "auth/method.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { XRO_TOKEN_MOST = 65534 };        /* with its NUL it must fit into 16 bits */

struct xro_token {              /* a secret: to be given back by xro_token_free */
    char *memory;
    size_t size;                /* of the memory, all of which is wiped */
    const char *text;           /* the token, LENGTH characters, none of them blank or a control character */
    size_t length;
};

/* Find the token; it has fewer than MOST characters. XRO_AUTH with the reason when there is none, or none that may be
 * used. */
enum xro_status xro_token_find(size_t most, struct xro_token *token, char reason[XRO_AUTH_REASON_SIZE]);

/* Wipe it. Safe on a zeroed token. */
void xro_token_free(struct xro_token *token);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "auth/auth.h"

#include "base/escape.h"

#include <stdlib.h>
#include <string.h>

enum {
    TOKEN_MOST = 4095,          /* the official client looks at no more either */
    METHOD_LENGTH = 7
};

struct xro_auth {
    struct xro_auth_offer offer;        /* the present one; its strings are owned by what follows */
    char *host, *user, *token, *arguments;
    struct xro_span_text left;          /* of the token */
    unsigned looked_at, rounds;
    char name[METHOD_LENGTH + 1];       /* "": no present method */
    const struct xro_auth_method *method;       /* NULL: it cannot be used */
    void *session;
    char reason[XRO_AUTH_REASON_SIZE];
};

static char *copy(const char *text, size_t length)
{
    char *to = (char *)malloc(length + 1);

    if (to == NULL)
        return NULL;
    if (length > 0)
        memcpy(to, text, length);
    to[length] = '\0';
    return to;
}

struct xro_auth *xro_auth_create(const struct xro_auth_peer *peer, struct xro_span_text token)
{
    struct xro_auth *auth = (struct xro_auth *)calloc(1, sizeof *auth);
    const size_t length = token.length < TOKEN_MOST ? token.length : TOKEN_MOST;

    if (auth == NULL)
        return NULL;
    auth->host = copy(peer->host, strlen(peer->host));
    auth->user = peer->user != NULL ? copy(peer->user, strlen(peer->user)) : NULL;
    auth->token = copy(token.bytes, length);
    if (auth->host == NULL || auth->token == NULL || (peer->user != NULL && auth->user == NULL)) {
        xro_auth_close(auth);
        return NULL;
    }
    auth->left = (struct xro_span_text){ .bytes = auth->token, .length = length };
    auth->offer = (struct xro_auth_offer){
        .host = auth->host, .user = auth->user, .fd = peer->fd, .tls = peer->tls,
    };
    return auth;
}

static void forget_method(struct xro_auth *auth)
{
    if (auth->method != NULL && auth->method->close != NULL)
        auth->method->close(auth->session);
    auth->method = NULL;
    auth->session = NULL;
    auth->name[0] = '\0';
    auth->rounds = 0;
    auth->reason[0] = '\0';
    free(auth->arguments);
    auth->arguments = NULL;
}

void xro_auth_close(struct xro_auth *auth)
{
    if (auth == NULL)
        return;
    forget_method(auth);
    free(auth->host);
    free(auth->user);
    free(auth->token);
    free(auth);
}

/* --- the list --- */

/* The name becomes part of a library's: nothing but letters and digits may be in it. */
static bool good_name(struct xro_span_text name)
{
    if (name.length == 0 || name.length > METHOD_LENGTH)
        return false;
    for (size_t i = 0; i < name.length; i++)
        if ((name.bytes[i] < 'a' || name.bytes[i] > 'z') && (name.bytes[i] < '0' || name.bytes[i] > '9'))
            return false;
    return true;
}

/* Is NAME one of the words between LIST's commas? Blanks count, as they do for the official client. */
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (;;) {
        const size_t word = strcspn(list, ",");
        if (word == length && strncmp(list, name, length) == 0)
            return true;
        if (list[word] == '\0')
            return false;
        list += word + 1;
    }
}

static bool wanted(const char *name)
{
    const char *list = getenv("XrdSecPROTOCOL");

    return list == NULL || listed(list, name);
}

/* Make METHOD the present one, with its session. */
static enum xro_status take(struct xro_auth *auth, const struct xro_auth_method *method, char *reason)
{
    enum xro_status status = XRO_OK;

    if (method->open != NULL)
        status = method->open(&auth->offer, &auth->session, reason);
    if (status == XRO_OK)
        auth->method = method;
    return status;
}

static enum xro_status try_offer(struct xro_auth *auth, struct xro_security_offer offer, struct xro_auth_choice *choice,
                                 char reason[XRO_AUTH_REASON_SIZE])
{
    const struct xro_auth_method *method;
    enum xro_status status;

    if (!good_name(offer.name))
        return xro_auth_say(XRO_UNSUPPORTED, reason, "no method is called that");
    memcpy(auth->name, offer.name.bytes, offer.name.length);
    auth->name[offer.name.length] = '\0';
    if (!wanted(auth->name))
        return xro_auth_say(XRO_AUTH, reason, "not among XrdSecPROTOCOL");
    auth->arguments = copy(offer.arguments.bytes, offer.arguments.length);
    if (auth->arguments == NULL)
        return XRO_MEMORY;
    auth->offer.method = auth->name;
    auth->offer.arguments = auth->arguments;
    method = xro_auth_load(auth->name, auth->arguments, &choice->cost, &status, reason);
    return method == NULL ? status : take(auth, method, reason);
}

/* Words of a failure, ready to be shown. */
static void keep_reason(struct xro_auth *auth, enum xro_status status, const char *words)
{
    if (*words == '\0')
        words = xro_status_text(status);
    xro_escape(words, strlen(words), auth->reason, sizeof auth->reason);
}

enum xro_status xro_auth_next(struct xro_auth *auth, struct xro_auth_choice *choice)
{
    struct xro_security_offer offer;
    char reason[XRO_AUTH_REASON_SIZE] = "";

    *choice = (struct xro_auth_choice){ .status = XRO_AUTH };
    forget_method(auth);
    if (auth->looked_at == XRO_AUTH_METHODS_MOST || !xro_next_offer(&auth->left, &offer))
        return XRO_AUTH;
    auth->looked_at++;
    xro_escape(offer.name.bytes, offer.name.length, choice->method, sizeof choice->method);
    choice->status = try_offer(auth, offer, choice, reason);
    choice->usable = choice->status == XRO_OK;
    if (!choice->usable) {
        keep_reason(auth, choice->status, reason);
        memcpy(choice->reason, auth->reason, sizeof choice->reason);
    }
    return choice->status == XRO_MEMORY ? XRO_MEMORY : XRO_OK;
}

/* --- the present method --- */

enum xro_status xro_auth_credentials(struct xro_auth *auth, const uint8_t *more, size_t length, struct xro_buf *out)
{
    const struct xro_auth_sink sink = { .buf = out, .append = xro_buf_append };
    char reason[XRO_AUTH_REASON_SIZE] = "";
    const size_t before = out->length;
    enum xro_status status;

    auth->reason[0] = '\0';
    if (auth->method == NULL)
        status = xro_auth_say(XRO_INVALID, reason, "no method has been chosen");
    else if (auth->rounds == XRO_AUTH_ROUNDS_MOST)
        status = xro_auth_say(XRO_PROTOCOL, reason, "the server asks for more than %d rounds", XRO_AUTH_ROUNDS_MOST);
    else
        status = auth->method->make(auth->session, &auth->offer, more, length, &sink, reason);
    auth->rounds++;
    if (status != XRO_OK) {
        out->length = before;
        keep_reason(auth, status, reason);
    }
    return status;
}

const char *xro_auth_reason(const struct xro_auth *auth)
{
    return auth->reason;
}

const char *xro_auth_method(const struct xro_auth *auth)
{
    return auth->method != NULL ? auth->name : "";
}

size_t xro_auth_key_size(const struct xro_auth *auth)
{
    return auth->method != NULL && auth->method->key_size != NULL ? auth->method->key_size(auth->session) : 0;
}

enum xro_status xro_auth_encrypt(struct xro_auth *auth, const void *bytes, size_t length, struct xro_buf *out)
{
    const struct xro_auth_sink sink = { .buf = out, .append = xro_buf_append };
    char reason[XRO_AUTH_REASON_SIZE] = "";
    enum xro_status status = XRO_UNSUPPORTED;

    auth->reason[0] = '\0';
    if (xro_auth_key_size(auth) == 0 || auth->method->encrypt == NULL)
        xro_auth_say(status, reason, "the method has no session key");
    else
        status = auth->method->encrypt(auth->session, bytes, length, &sink, reason);
    if (status != XRO_OK)
        keep_reason(auth, status, reason);
    return status;
}

/* --- apart from a session --- */

struct xro_auth_cost xro_auth_preload(const char *methods)
{
    struct xro_auth_cost cost = { .load_ns = 0 };
    const char *at = methods != NULL ? methods : getenv("XrdSecPROTOCOL");
    char name[METHOD_LENGTH + 1], reason[XRO_AUTH_REASON_SIZE];
    enum xro_status status;

    while (at != NULL && *at != '\0') {
        const struct xro_span_text word = { .bytes = at, .length = strcspn(at, ",") };
        if (good_name(word)) {
            memcpy(name, word.bytes, word.length);
            name[word.length] = '\0';
            /* gsi's servers are new enough until one says otherwise */
            (void)xro_auth_load(name, strcmp(name, "gsi") == 0 ? "v:10600" : "", &cost, &status, reason);
        }
        at += word.length + (at[word.length] == ',');
    }
    return cost;
}

void xro_auth_wipe(struct xro_buf *buf)
{
    if (buf->bytes != NULL)
        explicit_bzero(buf->bytes, buf->room);
    buf->length = 0;
}

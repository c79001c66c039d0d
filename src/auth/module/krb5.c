/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * krb5.c - krb5 with MIT's libkrb5, built as xrdopen-krb5.so: "krb5\0" and an AP-REQ for the principal that the server
 * names, in one message. The forwarding of tickets (",fwd") is left to XRootD's plug-in.
 *
 * One context serves the process, under a lock: it is what makes the second connection cheap, and XRootD's plug-in loses
 * one per connection. The ticket cache is found at each call, as there: KRB5CCNAME, else /tmp/krb5cc_<uid>, else what
 * krb5.conf says. */
#include "auth/method.h"

#include <krb5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static krb5_context context;    /* NULL: not made yet */

/* What a call of libkrb5 needs and gives back. */
struct work {
    krb5_ccache cache;
    krb5_creds wanted, *ticket;         /* wanted: client and server are set */
    krb5_auth_context auth;
    krb5_data request;
};

static enum xro_status fail(krb5_error_code code, const char *what, char reason[XRO_AUTH_REASON_SIZE])
{
    const char *words;

    if (code == KRB5KRB_AP_ERR_TKT_EXPIRED)
        return xro_auth_say(XRO_AUTH, reason, "%s: ticket expired", what);
    words = krb5_get_error_message(context, code);
    xro_auth_say(XRO_AUTH, reason, "%s: %s", what, words);
    krb5_free_error_message(context, words);
    return XRO_AUTH;
}

static enum xro_status make_context(char reason[XRO_AUTH_REASON_SIZE])
{
    krb5_error_code code;

    if (context != NULL)
        return XRO_OK;
    code = krb5_init_context(&context);
    if (code == 0)
        return XRO_OK;
    context = NULL;
    return fail(code, "Kerberos is not set up", reason);
}

static krb5_error_code find_cache(struct work *work)
{
    const char *name = getenv("KRB5CCNAME");
    char in_tmp[64];

    snprintf(in_tmp, sizeof in_tmp, "/tmp/krb5cc_%u", (unsigned)geteuid());
    if (name == NULL && access(in_tmp, R_OK) == 0)
        name = in_tmp;
    return name != NULL ? krb5_cc_resolve(context, name, &work->cache) : krb5_cc_default(context, &work->cache);
}

/* The ticket for SERVICE: from the cache, or else from the KDC. */
static enum xro_status get_ticket(struct work *work, const char *service, char reason[XRO_AUTH_REASON_SIZE])
{
    krb5_error_code code = find_cache(work);

    if (code != 0)
        return fail(code, "no ticket cache", reason);
    code = krb5_cc_get_principal(context, work->cache, &work->wanted.client);
    if (code != 0)
        return fail(code, "no credentials", reason);
    code = krb5_parse_name(context, service, &work->wanted.server);
    if (code != 0)
        return fail(code, "the server's principal is none", reason);
    code = krb5_get_credentials(context, 0, work->cache, &work->wanted, &work->ticket);
    return code == 0 ? XRO_OK : fail(code, "no credentials", reason);
}

static enum xro_status make_request(struct work *work, const struct xro_auth_sink *sink,
                                    char reason[XRO_AUTH_REASON_SIZE])
{
    /* the option is the one that XRootD's plug-in sends */
    const krb5_error_code code = krb5_mk_req_extended(context, &work->auth, AP_OPTS_USE_SESSION_KEY, NULL,
                                                      work->ticket, &work->request);
    enum xro_status status;

    if (code != 0)
        return fail(code, "no credentials", reason);
    status = sink->append(sink->buf, "krb5", sizeof "krb5");
    return status == XRO_OK ? sink->append(sink->buf, work->request.data, work->request.length) : status;
}

static void clear(struct work *work)
{
    krb5_free_data_contents(context, &work->request);
    krb5_auth_con_free(context, work->auth);
    krb5_free_creds(context, work->ticket);
    krb5_free_cred_contents(context, &work->wanted);
    if (work->cache != NULL)
        krb5_cc_close(context, work->cache);
}

static enum xro_status prepare(const char *method, char reason[XRO_AUTH_REASON_SIZE])
{
    enum xro_status status;

    (void)method;
    pthread_mutex_lock(&lock);
    status = make_context(reason);
    pthread_mutex_unlock(&lock);
    return status;
}

static enum xro_status make(void *session, const struct xro_auth_offer *offer, const uint8_t *more, size_t length,
                            const struct xro_auth_sink *sink, char reason[XRO_AUTH_REASON_SIZE])
{
    struct work work = { .cache = NULL };
    enum xro_status status;

    (void)session, (void)length;
    if (more != NULL)
        return xro_auth_say(XRO_PROTOCOL, reason, "the server asks for more, and krb5 has but one message");
    if (offer->arguments[0] == '\0')
        return xro_auth_say(XRO_PROTOCOL, reason, "the server names no principal");
    pthread_mutex_lock(&lock);
    status = make_context(reason);
    if (status == XRO_OK)
        status = get_ticket(&work, offer->arguments, reason);
    if (status == XRO_OK)
        status = make_request(&work, sink, reason);
    if (context != NULL)
        clear(&work);
    pthread_mutex_unlock(&lock);
    return status;
}

extern const struct xro_auth_method xro_auth_module_krb5;

__attribute__((visibility("default")))
const struct xro_auth_method xro_auth_module_krb5 = { .abi = XRO_AUTH_ABI, .prepare = prepare, .make = make };

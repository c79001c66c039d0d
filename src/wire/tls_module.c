/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tls_module.c - TLS with OpenSSL 3: the module xrdopen-tls.so. Fails closed: certificate and host name are always verified. */
#include "wire/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GRID_FOLDER "/etc/grid-security/certificates"

enum { KEPT_MOST = 32 };        /* hosts whose session is kept to be resumed */

struct kept {
    char host[XRO_HOST_SIZE];
    SSL_SESSION *session;
};

struct xro_tls_context {
    SSL_CTX *ssl;
    struct kept kept[KEPT_MOST];
    size_t kept_count;
};

struct xro_tls_session {
    SSL *ssl;
    char host[XRO_HOST_SIZE];
    char subject[128];          /* of the server's certificate, once it was looked at */
};

/* The oldest error in OpenSSL's queue in words, and an empty queue. */
static void take_error(const char *what, char *why, size_t size)
{
    unsigned long code = ERR_get_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;

    snprintf(why, size, "%s%s%s", what, reason ? ": " : "", reason ? reason : "");
    ERR_clear_error();
}

/* --- settings ------------------------------------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    struct stat st;

    return path != NULL && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool trust(SSL_CTX *ssl, const char *path, char *why, size_t size)
{
    if (SSL_CTX_load_verify_locations(ssl, is_folder(path) ? NULL : path, is_folder(path) ? path : NULL) == 1)
        return true;
    snprintf(why, size, "the certificate authorities in %s cannot be read", path);
    ERR_clear_error();
    return false;
}

static bool load_authorities(SSL_CTX *ssl, const struct xro_tls_settings *settings, char *why, size_t size)
{
    const char *folder = getenv("X509_CERT_DIR"), *file = getenv("X509_CERT_FILE");

    if (settings->ca != NULL)
        return trust(ssl, settings->ca, why, size);
    if (folder != NULL || file != NULL)
        return (folder == NULL || trust(ssl, folder, why, size)) && (file == NULL || trust(ssl, file, why, size));
    if (is_folder(GRID_FOLDER))
        return trust(ssl, GRID_FOLDER, why, size);
    if (SSL_CTX_set_default_verify_paths(ssl) == 1)
        return true;
    take_error("the system's certificate authorities cannot be read", why, size);
    return false;
}

/* No key is ever asked for on the terminal. */
static int no_pass_phrase(char *to, int size, int writing, void *arg)
{
    (void)to;
    (void)size;
    (void)writing;
    (void)arg;
    return -1;
}

/* The client's certificate, when the user names one: a server may ask for it, and then it is a way to log in. */
static bool load_own_certificate(SSL_CTX *ssl, char *why, size_t size)
{
    const char *proxy = getenv("X509_USER_PROXY"), *certificate = getenv("X509_USER_CERT"), *key = getenv("X509_USER_KEY");

    if (proxy != NULL)
        certificate = key = proxy;
    if (certificate == NULL || key == NULL)
        return true;
    SSL_CTX_set_default_passwd_cb(ssl, no_pass_phrase);
    if (SSL_CTX_use_certificate_chain_file(ssl, certificate) == 1 && SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) == 1)
        return true;
    take_error("the client certificate that the environment names cannot be used", why, size);
    return false;
}

/* Whose certificate it is: when the verdict is bad, OpenSSL forgets it. */
static int note_subject(int verdict, X509_STORE_CTX *store)
{
    const SSL *ssl = (const SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct xro_tls_session *session = ssl != NULL ? (struct xro_tls_session *)SSL_get_app_data(ssl) : NULL;
    X509 *certificate = X509_STORE_CTX_get0_cert(store);

    if (session != NULL && certificate != NULL)
        X509_NAME_oneline(X509_get_subject_name(certificate), session->subject, sizeof session->subject);
    return verdict;
}

static struct xro_tls_context *create(const struct xro_tls_settings *settings, char *why, size_t size)
{
    struct xro_tls_context *context = (struct xro_tls_context *)calloc(1, sizeof *context);

    if (context == NULL || (context->ssl = SSL_CTX_new(TLS_client_method())) == NULL) {
        take_error("no TLS context", why, size);
        free(context);
        return NULL;
    }
    SSL_CTX_set_min_proto_version(context->ssl, TLS1_2_VERSION);
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, note_subject);
    SSL_CTX_set_mode(context->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    if (load_authorities(context->ssl, settings, why, size) && load_own_certificate(context->ssl, why, size))
        return context;
    SSL_CTX_free(context->ssl);
    free(context);
    return NULL;
}

static void close_context(struct xro_tls_context *context)
{
    if (context == NULL)
        return;
    for (size_t i = 0; i < context->kept_count; i++)
        SSL_SESSION_free(context->kept[i].session);
    SSL_CTX_free(context->ssl);
    free(context);
}

/* --- sessions ------------------------------------------------------------------------------------------------------ */

static struct kept *find_kept(struct xro_tls_context *context, const char *host)
{
    for (size_t i = 0; i < context->kept_count; i++)
        if (strcmp(context->kept[i].host, host) == 0)
            return &context->kept[i];
    return NULL;
}

/* The name that the certificate has to bear: an address in digits is looked for among its addresses. */
static bool expect_host(SSL *ssl, const char *host)
{
    unsigned char address[16];

    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

static void end(struct xro_tls_context *context, struct xro_tls_session *session)
{
    struct kept *kept;
    SSL_SESSION *ticket;

    if (session == NULL)
        return;
    ticket = context != NULL && SSL_is_init_finished(session->ssl) ? SSL_get1_session(session->ssl) : NULL;
    kept = ticket != NULL ? find_kept(context, session->host) : NULL;
    if (ticket != NULL && kept == NULL && context->kept_count < KEPT_MOST) {
        kept = &context->kept[context->kept_count++];
        memcpy(kept->host, session->host, sizeof kept->host);
        kept->session = NULL;
    }
    if (kept != NULL) {
        SSL_SESSION_free(kept->session);
        kept->session = ticket;
    } else {
        SSL_SESSION_free(ticket);
    }
    /* Without this a session is thought broken, and not resumed. Nothing is sent. */
    SSL_set_quiet_shutdown(session->ssl, 1);
    SSL_shutdown(session->ssl);
    SSL_free(session->ssl);
    free(session);
    ERR_clear_error();
}

static struct xro_tls_session *begin(struct xro_tls_context *context, int fd, const char *host, bool resume)
{
    struct xro_tls_session *session = (struct xro_tls_session *)calloc(1, sizeof *session);
    const struct kept *kept = resume ? find_kept(context, host) : NULL;

    if (session == NULL || (session->ssl = SSL_new(context->ssl)) == NULL) {
        free(session);
        return NULL;
    }
    snprintf(session->host, sizeof session->host, "%s", host);
    if (!expect_host(session->ssl, host) || SSL_set_fd(session->ssl, fd) != 1) {
        end(NULL, session);
        return NULL;
    }
    if (kept != NULL)
        SSL_set_session(session->ssl, kept->session);
    SSL_set_app_data(session->ssl, session);
    SSL_set_connect_state(session->ssl);
    return session;
}

static int outcome(SSL *ssl, int result)
{
    switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return XRO_TLS_WANT_READ;
    case SSL_ERROR_WANT_WRITE:
        return XRO_TLS_WANT_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        return XRO_TLS_FAILED;
    }
}

static int handshake(struct xro_tls_session *session, char *why, size_t size)
{
    int result = SSL_do_handshake(session->ssl), answer;
    long verdict;

    if (result == 1)
        return 1;
    answer = outcome(session->ssl, result);
    if (answer == XRO_TLS_WANT_READ || answer == XRO_TLS_WANT_WRITE)
        return answer;
    verdict = SSL_get_verify_result(session->ssl);
    if (verdict != X509_V_OK) {
        snprintf(why, size, "the server's certificate is not accepted: %s%s%s%s", X509_verify_cert_error_string(verdict),
                 session->subject[0] ? " (" : "", session->subject, session->subject[0] ? ")" : "");
        ERR_clear_error();
    } else {
        take_error("the TLS handshake failed", why, size);
    }
    return XRO_TLS_FAILED;
}

static ssize_t read_bytes(struct xro_tls_session *session, void *bytes, size_t size)
{
    int result = SSL_read(session->ssl, bytes, size < INT32_MAX ? (int)size : INT32_MAX);

    return result > 0 ? result : outcome(session->ssl, result);
}

static ssize_t write_bytes(struct xro_tls_session *session, const void *bytes, size_t size)
{
    int result = SSL_write(session->ssl, bytes, size < INT32_MAX ? (int)size : INT32_MAX);

    return result > 0 ? result : outcome(session->ssl, result);
}

static bool pending(struct xro_tls_session *session)
{
    return SSL_has_pending(session->ssl) == 1;
}

static void facts(struct xro_tls_session *session, struct xro_tls_facts *facts)
{
    X509 *certificate = SSL_get0_peer_certificate(session->ssl);

    memset(facts, 0, sizeof *facts);
    snprintf(facts->version, sizeof facts->version, "%s", SSL_get_version(session->ssl));
    snprintf(facts->cipher, sizeof facts->cipher, "%s", SSL_get_cipher_name(session->ssl));
    facts->resumed = SSL_session_reused(session->ssl) == 1;
    if (certificate == NULL)
        return;
    X509_NAME_oneline(X509_get_subject_name(certificate), facts->subject, sizeof facts->subject);
    X509_NAME_oneline(X509_get_issuer_name(certificate), facts->issuer, sizeof facts->issuer);
}

static const char *version(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

extern const struct xro_tls xro_module_tls;

__attribute__((visibility("default"))) const struct xro_tls xro_module_tls = {
    .abi = XRO_TLS_ABI, .version = version, .create = create, .close = close_context, .begin = begin, .handshake = handshake,
    .read = read_bytes, .write = write_bytes, .pending = pending, .facts = facts, .end = end,
};

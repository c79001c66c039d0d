/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth_help.h - what the tests of src/auth share: a folder of their own, an environment without credentials, and a check
 * that words say what they should and no secret. */
#ifndef XRO_TESTS_AUTH_HELP_H
#define XRO_TESTS_AUTH_HELP_H

#include "auth/auth.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define SECRET "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

enum { PATH_SIZE = 512 };

static char folder[64];         /* of this test's own */

static inline const char *in_folder(const char *name)
{
    static char paths[8][PATH_SIZE];
    static unsigned next;
    char *path = paths[next++ % LENGTH(paths)];

    snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    return path;
}

static inline const char *write_file(const char *name, const char *text, size_t length, mode_t mode)
{
    const char *path = in_folder(name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

static inline const char *write_text(const char *name, const char *text)
{
    return write_file(name, text, strlen(text), 0600);
}

static const char *const variables[] = {
    "BEARER_TOKEN", "BEARER_TOKEN_FILE", "XDG_RUNTIME_DIR", "XrdSecPROTOCOL", "XrdSecSSSKT", "XrdSecsssKT",
    "XrdSecCREDS", "XrdSecGSICREATEPROXY", "XrdSecGSIUSERPROXY", "XrdSecGSIUSERCERT", "XrdSecGSIUSERKEY",
    "X509_USER_PROXY", "X509_USER_CERT", "X509_USER_KEY",
};

static inline int clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(variables); i++)
        unsetenv(variables[i]);
    setenv("HOME", folder, 1);
    setenv("XRDOPEN_MODULE_DIR", folder, 1);    /* where none is */
    return 0;
}

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/xrdopen-auth.XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *file, int type, struct FTW *walk)
{
    (void)file, (void)type, (void)walk;
    return remove(path);
}

static inline int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Has TEXT all the words, and nothing of the secret? */
static inline void assert_words(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' does not say '%s'", text, words);
    assert_null(strstr(text, SECRET));
    assert_null(strstr(text, "c2VjcmV0"));
}

static inline struct xro_span_text span(const char *text)
{
    return (struct xro_span_text){ .bytes = text, .length = strlen(text) };
}

static inline struct xro_auth *begin(const char *token, bool tls)
{
    const struct xro_auth_peer peer = { .host = "server.test", .fd = -1, .tls = tls };
    struct xro_auth *auth = xro_auth_create(&peer, span(token));

    assert_non_null(auth);
    return auth;
}

static inline struct xro_buf credentials_of(const char *token, bool tls)
{
    struct xro_auth *auth = begin(token, tls);
    struct xro_auth_choice choice;
    struct xro_buf out = xro_buf(XRO_AUTH_MOST);

    assert_int_equal(xro_auth_next(auth, &choice), XRO_OK);
    assert_string_equal(choice.reason, "");
    assert_true(choice.usable);
    assert_int_equal(xro_auth_credentials(auth, NULL, 0, &out), XRO_OK);
    assert_string_equal(xro_auth_reason(auth), "");
    assert_int_equal(xro_auth_key_size(auth), 0);
    xro_auth_close(auth);
    return out;
}

#endif

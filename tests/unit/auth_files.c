/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * auth_files.c - the files of gsi and sss, looked at before a plug-in is: what is good, and what would crash or ask. */
#include "auth/files.h"
#include "auth_help.h"

#define CERTIFICATE "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n"
#define KEY "-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----\n"
#define LOCKED "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----\n"
#define OLD_LOCKED "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMII=\n-----END RSA PRIVATE KEY-----\n"

static void gsi_files(void **state)
{
    static const struct {
        const char *proxy, *certificate, *key, *create, *arguments, *words;
        enum xro_gsi_source source;
    } cases[] = {
        { CERTIFICATE KEY CERTIFICATE, NULL, NULL, NULL, "v:10600", "", XRO_GSI_PROXY },
        { CERTIFICATE KEY, NULL, NULL, NULL, "v:10600", "is no proxy: 1 certificates, 1 keys", XRO_GSI_PROXY },
        { CERTIFICATE CERTIFICATE, NULL, NULL, NULL, "v:10600", "is no proxy: 2 certificates, 0 keys", XRO_GSI_PROXY },
        { CERTIFICATE LOCKED CERTIFICATE, NULL, NULL, NULL, "v:10600", "asks for a pass phrase", XRO_GSI_PROXY },
        { CERTIFICATE OLD_LOCKED CERTIFICATE, NULL, NULL, NULL, "", "asks for a pass phrase", XRO_GSI_PROXY },
        { "", CERTIFICATE, KEY, NULL, "v:10600", "is no proxy", XRO_GSI_PROXY },
        { NULL, NULL, NULL, NULL, "v:10600", "no credentials: no proxy", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, KEY, NULL, "v:10600", "", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, KEY, "0", "v:10600", "", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, KEY, "1", "v:10600", "a certificate alone is not taken", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, KEY, NULL, "v:10500", "a certificate alone is not taken", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, KEY, NULL, "", "a certificate alone is not taken", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, LOCKED, NULL, "v:10600", "asks for a pass phrase: make a proxy first", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, OLD_LOCKED, NULL, "v:10600", "asks for a pass phrase: make a proxy first", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, "", NULL, "v:10600", "holds no key", XRO_GSI_PAIR },
        { NULL, CERTIFICATE, NULL, NULL, "v:10600", "cannot be read: No such file", XRO_GSI_PAIR },
        { NULL, KEY, KEY, NULL, "v:10600", "no certificate", XRO_GSI_PAIR },
    };
    char reason[XRO_AUTH_REASON_SIZE];
    struct xro_gsi_files files;

    (void)state;
    setenv("X509_USER_PROXY", in_folder("proxy.pem"), 1);
    setenv("X509_USER_CERT", in_folder("cert.pem"), 1);
    setenv("XrdSecGSIUSERKEY", in_folder("key.pem"), 1);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        unlink(in_folder("proxy.pem"));
        unlink(in_folder("cert.pem"));
        unlink(in_folder("key.pem"));
        unsetenv("XrdSecGSICREATEPROXY");
        if (cases[i].proxy != NULL)
            write_text("proxy.pem", cases[i].proxy);
        if (cases[i].certificate != NULL)
            write_text("cert.pem", cases[i].certificate);
        if (cases[i].key != NULL)
            write_text("key.pem", cases[i].key);
        if (cases[i].create != NULL)
            setenv("XrdSecGSICREATEPROXY", cases[i].create, 1);
        reason[0] = '\0';
        assert_int_equal(xro_gsi_find(cases[i].arguments, &files, reason), cases[i].words[0] == '\0' ? XRO_OK : XRO_AUTH);
        assert_words(reason, cases[i].words);
        assert_int_equal(files.source, cases[i].source);
    }
}

static void gsi_oddities(void **state)
{
    char reason[XRO_AUTH_REASON_SIZE] = "";
    static char long_path[2000];
    struct xro_gsi_files files;

    (void)state;
    setenv("X509_USER_PROXY", folder, 1);
    assert_int_equal(xro_gsi_find("v:10600", &files, reason), XRO_AUTH);
    assert_words(reason, "cannot be read");
    setenv("X509_USER_PROXY", "/tmp/x509up_<uid>", 1);
    assert_int_equal(xro_gsi_find("v:10600", &files, reason), XRO_AUTH);
    assert_words(reason, "placeholders");
    memset(long_path, '/', sizeof long_path - 1);
    setenv("XrdSecGSIUSERPROXY", long_path, 1);
    assert_int_equal(xro_gsi_find("v:10600", &files, reason), XRO_AUTH);
    assert_words(reason, "too long");
    setenv("XrdSecCREDS", CERTIFICATE KEY CERTIFICATE, 1);
    assert_int_equal(xro_gsi_find("v:10600", &files, reason), XRO_OK);
    assert_int_equal(files.source, XRO_GSI_VARIABLE);
    setenv("XrdSecGSICREATEPROXY", "0", 1);
    assert_int_equal(xro_gsi_find("v:10600", &files, reason), XRO_AUTH);
    assert_words(reason, "crashes the plug-in");
}

static void sss_files(void **state)
{
    char reason[XRO_AUTH_REASON_SIZE] = "", arguments[PATH_SIZE + 8], path[PATH_SIZE];

    (void)state;
    assert_int_equal(xro_sss_check("0.+13:/not/there", reason), XRO_AUTH);
    assert_words(reason, "no keytab: neither XrdSecSSSKT nor the server's /not/there");
    assert_int_equal(xro_sss_check("", reason), XRO_AUTH);
    snprintf(path, sizeof path, "%s", write_text("keytab", "0 k:" SECRET));
    snprintf(arguments, sizeof arguments, "0.+13:%s", path);
    assert_int_equal(xro_sss_check(arguments, reason), XRO_OK);
    assert_int_equal(xro_sss_check("0.+13:", reason), XRO_AUTH);
    assert_int_equal(mkdir(in_folder(".xrd"), 0700), 0);
    write_text(".xrd/sss.keytab", "");
    assert_int_equal(xro_sss_check("0.+13:", reason), XRO_OK);
    setenv("XrdSecSSSKT", path, 1);
    chmod(path, 0640);
    assert_int_equal(xro_sss_check("0.+13:", reason), XRO_AUTH);
    assert_words(reason, "is readable by others");
    assert_words(reason, path);
    snprintf(path, sizeof path, "%s", write_file("keytab.grp", "", 0, 0640));
    setenv("XrdSecSSSKT", path, 1);
    assert_int_equal(xro_sss_check("0.+13:", reason), XRO_OK);
    chmod(path, 0644);
    assert_int_equal(xro_sss_check("0.+13:", reason), XRO_AUTH);
    setenv("XrdSecSSSKT", folder, 1);
    assert_int_equal(xro_sss_check("0.+13:", reason), XRO_AUTH);
    assert_words(reason, "is no regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(gsi_files, clean),
        cmocka_unit_test_setup(gsi_oddities, clean),
        cmocka_unit_test_setup(sss_files, clean),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

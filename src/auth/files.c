/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "auth/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PEM_MOST = 1 << 20,         /* no proxy is that large */
    PAIR_VERSION = 10600        /* of a server's gsi: the first that takes a certificate without a proxy */
};

struct pem {                    /* what a file of PEM blocks holds */
    unsigned certificates, keys;
    bool encrypted;             /* a key that asks for a pass phrase */
};

static const char *first_set(const char *one, const char *other)
{
    const char *value = getenv(one);

    return value != NULL ? value : getenv(other);
}

static bool in_home(const char *name, char path[XRO_AUTH_PATH_SIZE])
{
    const char *home = getenv("HOME");
    const int length = snprintf(path, XRO_AUTH_PATH_SIZE, "%s%s", home != NULL ? home : "", name);

    return length > 0 && length < XRO_AUTH_PATH_SIZE;
}

static bool copy_path(const char *from, char path[XRO_AUTH_PATH_SIZE])
{
    return snprintf(path, XRO_AUTH_PATH_SIZE, "%s", from) < XRO_AUTH_PATH_SIZE;
}

/* --- PEM --- */

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        n++;
    return n;
}

static struct pem look_at(const char *text)
{
    return (struct pem){
        .certificates = count(text, "-----BEGIN CERTIFICATE-----"),
        .keys = count(text, "PRIVATE KEY-----") / 2,
        .encrypted = strstr(text, "ENCRYPTED") != NULL,
    };
}

/* The whole file, up to PEM_MOST; a NUL ends it. NULL, with errno, when it cannot be read. */
static char *read_text(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text = NULL;
    struct stat file;
    ssize_t n = -1;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size <= PEM_MOST)
        text = (char *)malloc((size_t)file.st_size + 1);
    else
        errno = EINVAL;
    if (text != NULL)
        n = read(fd, text, (size_t)file.st_size);
    close(fd);
    if (n >= 0) {
        text[n] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static bool read_pem(const char *path, struct pem *pem)
{
    char *text = read_text(path);

    if (text == NULL)
        return false;
    *pem = look_at(text);
    explicit_bzero(text, strlen(text));     /* there may be a key in it */
    free(text);
    return true;
}

/* --- gsi --- */

static enum xro_status check_proxy(const char *path, const struct pem *pem, char reason[XRO_AUTH_REASON_SIZE])
{
    if (pem->encrypted)
        return xro_auth_say(XRO_AUTH, reason, "the key in proxy %s asks for a pass phrase", path);
    if (pem->certificates < 2 || pem->keys < 1)
        return xro_auth_say(XRO_AUTH, reason, "%s is no proxy: %u certificates, %u keys", path, pem->certificates,
                            pem->keys);
    return XRO_OK;
}

/* The plug-in takes the pair only where it has been told to make no proxy of it, and a server may be too old for it. */
static bool pair_allowed(const char *arguments)
{
    const char *create = getenv("XrdSecGSICREATEPROXY"), *version = strstr(arguments, "v:");

    return (create == NULL || atoi(create) == 0) && version != NULL && atoi(version + 2) >= PAIR_VERSION;
}

static enum xro_status check_key(const char *path, char reason[XRO_AUTH_REASON_SIZE])
{
    struct pem key = { 0 };

    if (!read_pem(path, &key))
        return xro_auth_say(XRO_AUTH, reason, "no proxy, and key %s cannot be read: %s", path, strerror(errno));
    if (key.keys < 1)
        return xro_auth_say(XRO_AUTH, reason, "no proxy, and %s holds no key", path);
    if (key.encrypted)
        return xro_auth_say(XRO_AUTH, reason, "no proxy, and key %s asks for a pass phrase: make a proxy first", path);
    return XRO_OK;
}

static enum xro_status check_pair(const struct xro_gsi_files *files, const char *proxy, const char *arguments,
                                  char reason[XRO_AUTH_REASON_SIZE])
{
    struct pem certificate = { 0 };

    if (!read_pem(files->path, &certificate) || certificate.certificates < 1)
        return xro_auth_say(XRO_AUTH, reason, "no credentials: no proxy %s, no certificate %s", proxy, files->path);
    if (!pair_allowed(arguments))
        return xro_auth_say(XRO_AUTH, reason, "no proxy %s, and a certificate alone is not taken", proxy);
    return check_key(files->key, reason);
}

static enum xro_status check_variable(const char *credentials, char reason[XRO_AUTH_REASON_SIZE])
{
    const struct pem pem = look_at(credentials);
    const char *create = getenv("XrdSecGSICREATEPROXY");

    if (create != NULL && atoi(create) == 0)
        return xro_auth_say(XRO_AUTH, reason, "XrdSecCREDS together with XrdSecGSICREATEPROXY=0 crashes the plug-in");
    return check_proxy("XrdSecCREDS", &pem, reason);
}

static bool gsi_paths(struct xro_gsi_files *files, char proxy[XRO_AUTH_PATH_SIZE])
{
    const char *proxy_set = first_set("XrdSecGSIUSERPROXY", "X509_USER_PROXY");
    const char *path_set = first_set("XrdSecGSIUSERCERT", "X509_USER_CERT");
    const char *key_set = first_set("XrdSecGSIUSERKEY", "X509_USER_KEY");
    char in_tmp[64];

    snprintf(in_tmp, sizeof in_tmp, "/tmp/x509up_u%u", (unsigned)getuid());
    return copy_path(proxy_set != NULL ? proxy_set : in_tmp, proxy)
           && (path_set != NULL ? copy_path(path_set, files->path) : in_home("/.globus/usercert.pem", files->path))
           && (key_set != NULL ? copy_path(key_set, files->key) : in_home("/.globus/userkey.pem", files->key));
}

enum xro_status xro_gsi_find(const char *arguments, struct xro_gsi_files *files, char reason[XRO_AUTH_REASON_SIZE])
{
    const char *variable = getenv("XrdSecCREDS");
    char proxy[XRO_AUTH_PATH_SIZE];
    struct pem pem = { 0 };

    *files = (struct xro_gsi_files){ .source = XRO_GSI_NOTHING };
    if (variable != NULL) {
        files->source = XRO_GSI_VARIABLE;
        return check_variable(variable, reason);
    }
    if (!gsi_paths(files, proxy))
        return xro_auth_say(XRO_AUTH, reason, "the paths of proxy and certificate are too long");
    if (strchr(proxy, '<') != NULL || strchr(files->path, '<') != NULL || strchr(files->key, '<') != NULL)
        return xro_auth_say(XRO_AUTH, reason, "placeholders in the paths of proxy and certificate are not understood");
    if (!read_pem(proxy, &pem)) {
        if (errno != ENOENT)
            return xro_auth_say(XRO_AUTH, reason, "proxy %s cannot be read: %s", proxy, strerror(errno));
        files->source = XRO_GSI_PAIR;
        return check_pair(files, proxy, arguments, reason);
    }
    files->source = XRO_GSI_PROXY;
    memcpy(files->path, proxy, sizeof files->path);
    return check_proxy(proxy, &pem, reason);
}

/* --- sss --- */

/* The keytab that the plug-in takes; false when there is none. */
static bool find_keytab(const char *arguments, char path[XRO_AUTH_PATH_SIZE], struct stat *file)
{
    const char *set = first_set("XrdSecSSSKT", "XrdSecsssKT"), *colon = strchr(arguments, ':');

    if (set != NULL && *set != '\0' && copy_path(set, path) && stat(path, file) == 0)
        return true;
    if (colon != NULL && colon[1] == '/' && copy_path(colon + 1, path) && stat(path, file) == 0)
        return true;
    return in_home("/.xrd/sss.keytab", path) && stat(path, file) == 0;
}

/* Bits of the mode that a keytab must not have: those of the group are all right in a file called *.grp. */
static mode_t forbidden_bits(const char *path)
{
    const size_t length = strlen(path);
    const mode_t others = S_IRWXG | S_IRWXO;

    return length >= 5 && strcmp(path + length - 4, ".grp") == 0 ? others & ~(mode_t)S_IRGRP : others;
}

enum xro_status xro_sss_check(const char *arguments, char reason[XRO_AUTH_REASON_SIZE])
{
    char path[XRO_AUTH_PATH_SIZE];
    struct stat file;

    if (!find_keytab(arguments, path, &file))
        return xro_auth_say(XRO_AUTH, reason, "no keytab: neither XrdSecSSSKT nor the server's %.64s nor "
                            "~/.xrd/sss.keytab is there", strchr(arguments, ':') != NULL ? strchr(arguments, ':') + 1
                                                                                        : "offer");
    if (!S_ISREG(file.st_mode))
        return xro_auth_say(XRO_AUTH, reason, "keytab %s is no regular file", path);
    if ((file.st_mode & forbidden_bits(path)) != 0)
        return xro_auth_say(XRO_AUTH, reason, "keytab %s is readable by others: it should have mode 0600", path);
    if (access(path, R_OK) != 0)
        return xro_auth_say(XRO_AUTH, reason, "keytab %s cannot be read: %s", path, strerror(errno));
    return XRO_OK;
}

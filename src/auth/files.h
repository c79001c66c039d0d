/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * files.h - the files that XRootD's plug-ins gsi and sss are going to use, looked at first. The plug-ins crash the
 * process on some that they do not like, and ask for a pass phrase on the terminal for others; here that becomes a
 * reason in words, and the common case - no credentials at all - costs no library. Compiled into xrdopen and into the
 * module, so it uses neither's symbols.
 *
 * Where the plug-ins look (environment of XRootD's own tools):
 *     gsi  XrdSecGSIUSERPROXY or X509_USER_PROXY, else /tmp/x509up_u<uid>;
 *          XrdSecGSIUSERCERT or X509_USER_CERT, else ~/.globus/usercert.pem; the key likewise
 *     sss  XrdSecSSSKT or XrdSecsssKT, else the path that the server names, else ~/.xrd/sss.keytab */
#ifndef XRO_AUTH_FILES_H
#define XRO_AUTH_FILES_H

#include "auth/method.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { XRO_AUTH_PATH_SIZE = 1024 };

enum xro_gsi_source {
    XRO_GSI_NOTHING,
    XRO_GSI_PROXY,              /* path: a proxy, with its chain and key */
    XRO_GSI_PAIR,               /* path and key: a certificate and its key, no proxy */
    XRO_GSI_VARIABLE            /* XrdSecCREDS holds the proxy itself */
};

struct xro_gsi_files {
    enum xro_gsi_source source;
    char path[XRO_AUTH_PATH_SIZE];
    char key[XRO_AUTH_PATH_SIZE];
};

/* What gsi would use, given the ARGUMENTS of a server's offer ("v:10600,c:ssl,ca:..."). Not XRO_OK: it must not be
 * tried. */
enum xro_status xro_gsi_find(const char *arguments, struct xro_gsi_files *files, char reason[XRO_AUTH_REASON_SIZE]);

/* The same for sss; the offer is "0.+13:/path". */
enum xro_status xro_sss_check(const char *arguments, char reason[XRO_AUTH_REASON_SIZE]);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * url.h - root:// URLs as XRootD's own tools take them, file:// URLs, and plain paths.
 *
 *     root://[user[:password]@]host[:port]/path[?cgi]
 *
 * The path is what follows the first slash behind the host: root://host//data/f names "/data/f", and root://host/data/f
 * names the relative path "data/f", which servers refuse; that is what the official tools do, too. */
#ifndef XRO_BASE_URL_H
#define XRO_BASE_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    XRO_HOST_SIZE = 256,        /* a DNS name has at most 253 characters */
    XRO_USER_SIZE = 64,
    XRO_PATH_SIZE = 4096,       /* path and CGI together; servers take about 1 KiB of path */
    XRO_DEFAULT_PORT = 1094     /* of root:// (IANA: rootd) */
};

enum xro_scheme {
    XRO_SCHEME_FILE,            /* a path, or file:// */
    XRO_SCHEME_ROOT             /* root:// xroot:// roots:// xroots:// */
};

struct xro_url {
    enum xro_scheme scheme;
    bool tls;                   /* roots:// or xroots:// */
    bool literal;               /* host is an IP address, no name */
    char user[XRO_USER_SIZE];   /* empty: none given */
    char host[XRO_HOST_SIZE];   /* without the brackets of an IPv6 literal */
    uint16_t port;
    char path[XRO_PATH_SIZE];   /* path, with "?cgi" when there is one, as it is to be sent: xrdcl.* keys, which
                                   concern the client alone, are taken out, as XrdCl does */
};

/* Parse TEXT. NULL when it is good; else a constant sentence that says what is wrong with it. Unknown schemes are wrong; a
 * text without "://" is a path. */
const char *xro_url_parse(const char *text, struct xro_url *url);

/* "host:port", with brackets around an IPv6 literal, cut at SIZE. Returns TO. */
char *xro_url_authority(const char *host, uint16_t port, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct { const char *name; enum xro_scheme scheme; bool tls; } schemes[] = {
    { "root", XRO_SCHEME_ROOT, false },  { "xroot", XRO_SCHEME_ROOT, false },
    { "roots", XRO_SCHEME_ROOT, true },  { "xroots", XRO_SCHEME_ROOT, true },
    { "file", XRO_SCHEME_FILE, false },
};

/* Copy LENGTH bytes and a NUL; false when they do not fit. */
static bool copy_text(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool is_literal(const char *host)
{
    unsigned char address[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, host, address) == 1 || strchr(host, ':') != NULL;
}

/* An IPv6 literal may name its zone: fe80::1%eth0. */
static bool good_v6(const char *host)
{
    struct in6_addr address;
    char bare[XRO_HOST_SIZE];
    size_t length = strcspn(host, "%");

    return copy_text(bare, sizeof bare, host, length) && inet_pton(AF_INET6, bare, &address) == 1;
}

static bool good_host(const char *host)
{
    for (const char *p = host; *p != '\0'; p++)
        if (!isgraph((unsigned char)*p) || strchr("/?#@[]\\\"<>", *p) != NULL)
            return false;
    return host[0] != '\0';
}

static const char *parse_port(const char *text, size_t length, uint16_t *port)
{
    unsigned long value = 0;

    if (length == 0 || length > 5 || strspn(text, "0123456789") < length)
        return "the port is not a number";
    for (size_t i = 0; i < length; i++)
        value = value * 10 + (unsigned long)(text[i] - '0');
    if (value == 0 || value > 65535)
        return "the port is not between 1 and 65535";
    *port = (uint16_t)value;
    return NULL;
}

/* What stands between "://" and the next slash: [user[:password]@]host[:port] */
static const char *parse_authority(const char *text, size_t length, struct xro_url *url)
{
    const char *end = text + length, *at = NULL, *host_end, *colon;

    for (const char *p = text; p < end; p++)
        if (*p == '@')
            at = p;
    if (at != NULL) {
        const char *secret = memchr(text, ':', (size_t)(at - text));
        if (!copy_text(url->user, sizeof url->user, text, (size_t)((secret ? secret : at) - text)))
            return "the user name is too long";
        text = at + 1;
    }
    if (text < end && *text == '[') {
        text++;
        host_end = memchr(text, ']', (size_t)(end - text));
        if (host_end == NULL)
            return "an IPv6 address in brackets lacks its ']'";
        colon = host_end + 1;
        if (!copy_text(url->host, sizeof url->host, text, (size_t)(host_end - text)) || !good_v6(url->host))
            return "what stands in brackets is no IPv6 address";
        url->literal = true;
    } else {
        colon = memchr(text, ':', (size_t)(end - text));
        if (colon == NULL)
            colon = end;
        if (!copy_text(url->host, sizeof url->host, text, (size_t)(colon - text)))
            return "the host name is too long";
        if (!good_host(url->host))
            return url->host[0] == '\0' ? "it names no host" : "the host name has a character that no host name has";
        url->literal = is_literal(url->host);
    }
    if (colon == end)
        return NULL;
    if (*colon != ':')
        return "something stands between the address and the port";
    return parse_port(colon + 1, (size_t)(end - colon - 1), &url->port);
}

/* Append the CGI without the keys that are the client's own. */
static const char *copy_path(const char *text, struct xro_url *url)
{
    size_t used = strcspn(text, "?");
    char separator = '?';

    if (!copy_text(url->path, sizeof url->path, text, used))
        return "the path is too long";
    for (const char *key = text + used; *key != '\0';) {
        size_t length = strcspn(++key, "&");
        bool own = strncmp(key, "xrdcl.", 6) == 0;

        if (!own && length > 0) {
            if (length + 2 > sizeof url->path - used)
                return "the path is too long";
            url->path[used++] = separator;
            memcpy(url->path + used, key, length);
            used += length;
            url->path[used] = '\0';
            separator = '&';
        }
        key += length;
    }
    return NULL;
}

static const char *parse_root(const char *text, struct xro_url *url)
{
    size_t length = strcspn(text, "/");
    const char *wrong = parse_authority(text, length, url);

    if (wrong != NULL)
        return wrong;
    if (text[length] == '\0' || text[length + 1] == '\0' || text[length + 1] == '?')
        return "it names no file";
    return copy_path(text + length + 1, url);
}

static const char *parse_file(const char *text, struct xro_url *url)
{
    /* file:///path and file://localhost/path */
    if (strncmp(text, "localhost/", 10) == 0)
        text += 9;
    if (*text != '/')
        return "a file:// URL names an absolute path on this machine";
    return copy_text(url->path, sizeof url->path, text, strlen(text)) ? NULL : "the path is too long";
}

const char *xro_url_parse(const char *text, struct xro_url *url)
{
    const char *colon = strstr(text, "://");

    *url = (struct xro_url){ .scheme = XRO_SCHEME_FILE, .port = XRO_DEFAULT_PORT };
    if (text[0] == '\0')
        return "it is empty";
    if (colon == NULL)
        return copy_text(url->path, sizeof url->path, text, strlen(text)) ? NULL : "the path is too long";
    for (const char *p = text; *p != '\0'; p++)
        if (iscntrl((unsigned char)*p))
            return "it has a control character";
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i].name);
        if ((size_t)(colon - text) != length || strncasecmp(text, schemes[i].name, length) != 0)
            continue;
        url->scheme = schemes[i].scheme;
        url->tls = schemes[i].tls;
        return url->scheme == XRO_SCHEME_FILE ? parse_file(colon + 3, url) : parse_root(colon + 3, url);
    }
    return "unknown scheme (root, xroot, roots, xroots and file are known)";
}

char *xro_url_authority(const char *host, uint16_t port, char *to, size_t size)
{
    bool v6 = strchr(host, ':') != NULL;

    snprintf(to, size, "%s%s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", (unsigned)port);
    return to;
}

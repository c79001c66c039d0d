/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * lab.c - `xrdopen lab`: everything is in lab/lab.sh, except what a shell cannot do: find free ports, and list this
 * machine's addresses. Both are called by the script only. */
#include "base/units.h"
#include "cli/common.h"
#include "measure/lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PORTS_MOST = 64,
    PORT_LOWEST = 15000,
    PORT_TRIES = 200,
    WORDS_MOST = 8              /* more than any command takes */
};

static bool verbose;

static const struct xro_option *lab_options(void)
{
    static const struct xro_option options[] = {
        { "verbose", 'v', XRO_OPTION_FLAG, &verbose, NULL, NULL, "say on standard error what up does", NULL },
        { .name = NULL },
    };

    verbose = false;
    return options;
}

static int lab_main(int argc, char **argv);

const struct xro_command xro_command_lab = {
    .name = "lab",
    .arguments = "up MODE | down [ID|all] | status [ID] | list | urls [ID] | env [ID]",
    .summary = "Start real XRootD servers on loopback, and remove them without a trace.",
    .details = "up MODE        start servers and print their URLs\n"
               "                 plain    one data server\n"
               "                 cluster  a manager and two data servers, each with its cmsd\n"
               "                 tls      servers with TLS: if asked, and for login, session, all\n"
               "                 host, unix, sss, krb5, gsi, ztn\n"
               "                          one server that wants this authentication (ztn: over TLS)\n"
               "                 gsitls   gsi over TLS\n"
               "                 many     one server that offers krb5, gsi, sss, unix\n"
               "                 fallback one that offers ztn, krb5, unix to clients without a token\n"
               "                 signed   unix and gsi with signed requests\n"
               "                 securecluster\n"
               "                          a cluster whose servers all want unix authentication\n"
               "                 badtls   servers with certificates that must be refused\n"
               "                 all      a plain server, those of tls, each method with and without TLS\n"
               "down [ID|all]  end them and remove every trace\n"
               "status [ID]    servers, folder and URLs of one lab, or of all\n"
               "list           a line per lab: id, mode, state, creator, folder\n"
               "urls [ID]      name TAB url, for programs\n"
               "env [ID]       what clients need, as NAME=VALUE: env $(xrdopen lab env) xrdfs ...\n"
               "Without ID the only lab there is is meant. XRDOPEN_LAB_DIR says where folders go (TMPDIR, else /tmp).\n"
               "See xrdopen-lab(1).",
    .main = lab_main,
    .options = lab_options,
};

static int fail(int code, const char *what, const char *why)
{
    xro_say("lab", "%s: %s", what, why);
    return code;
}

/* A socket bound to PORT (0: any) on all addresses, as servers bind it; -1 and errno when it is in use. */
static int bind_port(uint16_t port)
{
    struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any };
    struct sockaddr_in any4 = { .sin_family = AF_INET, .sin_port = htons(port) };
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), off = 0, bound;

    if (fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) {
        bound = bind(fd, (const struct sockaddr *)&any6, sizeof any6);
        if (bound == 0 || errno == EADDRINUSE)
            goto out;
    }
    if (fd >= 0)
        close(fd);
    if ((fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)     /* no IPv6 here */
        return -1;
    bound = bind(fd, (const struct sockaddr *)&any4, sizeof any4);
out:
    if (bound != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;

    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        return 0;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

/* The lowest port that the kernel gives to connections on its own account. Below it, no client of a lab with thousands
 * of connections takes the port of a server that is being started again. */
static unsigned ephemeral_lowest(void)
{
    unsigned low = 32768;
    FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");

    if (file == NULL)
        return low;
    if (fscanf(file, "%u", &low) != 1)
        low = 32768;
    fclose(file);
    return low;
}

/* A socket on a port that was free: one drawn by chance, so that two labs that start at once hardly get the same; at
 * last whatever the kernel gives. */
static int take_port(void)
{
    unsigned room = ephemeral_lowest();

    room = room > PORT_LOWEST + 1000 ? room - PORT_LOWEST : 0;
    for (int i = 0; room != 0 && i < PORT_TRIES; i++) {
        unsigned draw = 0;
        if (getrandom(&draw, sizeof draw, 0) != sizeof draw)
            break;
        int fd = bind_port((uint16_t)(PORT_LOWEST + draw % room));
        if (fd >= 0)
            return fd;
        if (errno != EADDRINUSE && errno != EACCES)
            break;
    }
    return bind_port(0);
}

/* Print COUNT ports that are free on every address. All are held until the last is found, so that they differ. */
static int free_ports(const char *text)
{
    uint64_t count;
    int held[PORTS_MOST];

    if (xro_parse_count(text, &count) != XRO_OK || count == 0 || count > PORTS_MOST)
        return fail(XRO_EXIT_USAGE, "free-ports", "a count from 1 to 64 is wanted");
    for (size_t i = 0; i < count; i++)
        if ((held[i] = take_port()) < 0)
            return fail(XRO_EXIT_FAILED, "free-ports", strerror(errno));
    for (size_t i = 0; i < count; i++)
        printf("%u\n", (unsigned)port_of(held[i]));
    return xro_finish_output("lab", XRO_EXIT_GOOD);
}

/* Print this machine's addresses except 127.0.0.1 and ::1. */
static int addresses(void)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return fail(XRO_EXIT_FAILED, "addresses", strerror(errno));
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        const void *address = NULL;
        int family = one->ifa_addr == NULL ? AF_UNSPEC : one->ifa_addr->sa_family;

        if (family == AF_INET)
            address = &((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr;
        else if (family == AF_INET6)
            address = &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr;
        if (address != NULL && inet_ntop(family, address, text, sizeof text) != NULL
            && strcmp(text, "127.0.0.1") != 0 && strcmp(text, "::1") != 0)
            printf("%s\n", text);
    }
    freeifaddrs(all);
    return xro_finish_output("lab", XRO_EXIT_GOOD);
}

static int lab_main(int argc, char **argv)
{
    int count, code = xro_options_parse(&xro_command_lab, lab_options(), argc, argv, &count);
    char **words = argv, option[] = "-v";

    if (code >= 0)
        return code;
    if (count == 0)
        return fail(XRO_EXIT_USAGE, "which command?", "up, down, status, list, urls or env");
    if (strcmp(words[0], "free-ports") == 0)
        return count == 2 ? free_ports(words[1]) : fail(XRO_EXIT_USAGE, "free-ports", "a count from 1 to 64 is wanted");
    if (strcmp(words[0], "addresses") == 0)
        return addresses();
    char *all[WORDS_MOST + 1];
    if (count > WORDS_MOST)
        return fail(XRO_EXIT_USAGE, words[0], "too many words");
    memcpy(all, words, (size_t)count * sizeof *all);
    if (verbose)
        all[count++] = option;
    return fail(XRO_EXIT_FAILED, "/bin/sh", strerror(xro_lab_exec(count, all)));
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * hosts_view.c - a private mount namespace with other /etc/hosts and /etc/nsswitch.conf in it.
 *
 * The new files are made on a tmpfs that is mounted only for as long as it takes to bind them, and only in the private
 * namespace: what holds them afterwards is the bind, and they are gone with the last process of the namespace.
 *
 * A user namespace cannot be left again, and on some systems it can be had and is of no use (no mounts in it). So a
 * child tries everything first, and this process does it only when the child could. */
#include "engine/hosts_view.h"

#include "base/buf.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOSTS    "/etc/hosts"
#define NSSWITCH "/etc/nsswitch.conf"

enum { TEXT_MOST = 4 << 20 };   /* of a hosts file; lists of blocked names run to a few MiB */

struct address {                /* of either family; v4 in the first four bytes */
    int family;
    uint8_t bytes[sizeof(struct in6_addr)];
};

const char *xro_hosts_view_text(enum xro_hosts_view view)
{
    static const char *const texts[] = {
#define V(id, text) [XRO_HOSTS_VIEW_##id] = text,
        XRO_HOSTS_VIEWS(V)
#undef V
    };

    return (unsigned)view < XRO_HOSTS_VIEW_COUNT ? texts[view] : texts[XRO_HOSTS_VIEW_NONE];
}

/* --- the texts --- */

/* Append LENGTH characters, and a NUL behind them that does not count. */
static bool append(struct xro_buf *text, const char *characters, size_t length)
{
    if (xro_buf_reserve(text, length + 1) != XRO_OK)
        return false;
    xro_buf_append(text, characters, length);
    text->bytes[text->length] = '\0';
    return true;
}

/* All of the file at PATH, and a NUL behind it that does not count. */
static bool read_file(const char *path, struct xro_buf *text)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;

    if (fd < 0)
        return false;
    while (xro_buf_reserve(text, 4096) == XRO_OK && (got = read(fd, text->bytes + text->length, 4095)) > 0)
        text->length += (size_t)got;
    close(fd);
    if (got != 0)
        return false;
    text->bytes[text->length] = '\0';
    return true;
}

/* The next word of *AT on this line, ended by a blank, a comment or the line's end; its length, 0: no more. */
static size_t next_word(const char **at)
{
    *at += strspn(*at, " \t");
    return strcspn(*at, " \t\r\n#");
}

/* The line after the one that AT is in; NULL past the last. */
static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');

    return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

static struct address parse_address(const char *word, size_t length)
{
    char text[INET6_ADDRSTRLEN];
    struct address address = { .family = AF_UNSPEC };

    if (length >= sizeof text)
        return address;
    memcpy(text, word, length);
    text[length] = '\0';
    if (inet_pton(AF_INET, text, address.bytes) == 1)
        address.family = AF_INET;
    else if (inet_pton(AF_INET6, text, address.bytes) == 1)
        address.family = AF_INET6;
    return address;
}

static bool has_address(const char *hosts, const struct address *wanted)
{
    for (const char *at = hosts; at != NULL; at = next_line(at)) {
        const size_t length = next_word(&at);
        const struct address address = parse_address(at, length);

        if (address.family == wanted->family && memcmp(address.bytes, wanted->bytes, sizeof address.bytes) == 0)
            return true;
    }
    return false;
}

/* Does a line give an address to NAME? */
static bool has_name(const char *hosts, const char *name)
{
    for (const char *line = hosts; line != NULL; line = next_line(line)) {
        const char *at = line;
        size_t length = next_word(&at);

        while (length > 0) {
            at += length;
            length = next_word(&at);
            if (length == strlen(name) && strncasecmp(at, name, length) == 0)
                return true;
        }
    }
    return false;
}

static bool interface_address(const struct sockaddr *from, struct address *to)
{
    *to = (struct address){ .family = AF_UNSPEC };
    if (from != NULL && from->sa_family == AF_INET)
        memcpy(to->bytes, &((const struct sockaddr_in *)(const void *)from)->sin_addr, sizeof(struct in_addr));
    else if (from != NULL && from->sa_family == AF_INET6)
        memcpy(to->bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, sizeof(struct in6_addr));
    else
        return false;
    to->family = from->sa_family;
    return true;
}

/* ::ffff:a.b.c.d: XrdNetAddr makes v4 addresses such before it asks, and the file's v4 line does not answer that. */
static struct address mapped(const struct address *v4)
{
    struct address address = { .family = AF_INET6, .bytes = { [10] = 0xff, [11] = 0xff } };

    memcpy(address.bytes + 12, v4->bytes, 4);
    return address;
}

/* A line for ADDRESS unless there is one; its name is one that no resolver has (RFC 6761: .invalid). */
static bool add_line(struct xro_buf *hosts, const struct address *address, unsigned *number)
{
    char text[INET6_ADDRSTRLEN], line[INET6_ADDRSTRLEN + 64];
    int length;

    if (has_address((const char *)hosts->bytes, address))
        return true;
    if (inet_ntop(address->family, address->bytes, text, sizeof text) == NULL)
        return false;
    length = snprintf(line, sizeof line, "%s xrdopen-local-%u.invalid\n", text, ++*number);
    return append(hosts, line, (size_t)length);
}

static bool add_interface(struct xro_buf *hosts, const struct ifaddrs *interface, unsigned *number)
{
    struct address address;

    if (!interface_address(interface->ifa_addr, &address))
        return true;
    if (!add_line(hosts, &address, number))
        return false;
    if (address.family == AF_INET6)
        return true;
    address = mapped(&address);
    return add_line(hosts, &address, number);
}

/* The hosts file with all local addresses in it. */
static bool make_hosts(struct xro_buf *hosts)
{
    struct ifaddrs *list;
    unsigned number = 0;
    bool good;

    if (!read_file(HOSTS, hosts) || getifaddrs(&list) != 0)
        return false;
    good = append(hosts, "\n", 1);      /* the last line may have no end */
    for (const struct ifaddrs *one = list; good && one != NULL; one = one->ifa_next)
        good = add_interface(hosts, one, &number);
    freeifaddrs(list);
    return good;
}

/* The list behind "hosts:" in the file, NULL when there is no such line. */
static const char *hosts_sources(const char *nsswitch)
{
    for (const char *line = nsswitch; line != NULL; line = next_line(line)) {
        const char *at = line + strspn(line, " \t");

        if (strncmp(at, "hosts:", 6) == 0)
            return at + 6;
    }
    return NULL;
}

/* nsswitch.conf with the hosts file asked first; empty when it says so already. */
static bool make_nsswitch(struct xro_buf *nsswitch)
{
    struct xro_buf old = xro_buf(TEXT_MOST);
    const char *sources, *first;
    bool good = read_file(NSSWITCH, &old);

    if (good) {
        first = sources = hosts_sources((const char *)old.bytes);
        if (sources == NULL)
            good = append(nsswitch, "hosts: files dns\n", 17) && append(nsswitch, (const char *)old.bytes, old.length);
        else if (next_word(&first) != 5 || strncmp(first, "files", 5) != 0)
            good = append(nsswitch, (const char *)old.bytes, (size_t)(sources - (const char *)old.bytes)) &&
                   append(nsswitch, " files", 6) && append(nsswitch, sources, strlen(sources));
    }
    xro_buf_free(&old);
    return good;
}

/* --- the namespace --- */

static bool write_to(const char *path, int flags, const void *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
    ssize_t put;

    if (fd < 0)
        return false;
    put = write(fd, bytes, length);
    if (flags & O_CREAT)
        fchmod(fd, 0644);       /* whatever the umask */
    close(fd);
    return put == (ssize_t)length;
}

/* The same ids inside as outside. */
static bool map_ids(uid_t uid, gid_t gid)
{
    char map[64];
    int length;

    if (!write_to("/proc/self/setgroups", 0, "deny", 4))
        return false;
    length = snprintf(map, sizeof map, "%u %u 1\n", uid, uid);
    if (!write_to("/proc/self/uid_map", 0, map, (size_t)length))
        return false;
    length = snprintf(map, sizeof map, "%u %u 1\n", gid, gid);
    return write_to("/proc/self/gid_map", 0, map, (size_t)length);
}

static bool enter_namespace(bool user)
{
    const uid_t uid = geteuid();
    const gid_t gid = getegid();

    if (unshare(user ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) != 0 || (user && !map_ids(uid, gid)))
        return false;
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Lay TEXT over the file at TARGET, by way of the tmpfs at FOLDER. */
static bool cover(const char *folder, const char *name, const char *target, const struct xro_buf *text)
{
    char path[PATH_MAX];

    if (text->length == 0)
        return true;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return write_to(path, O_CREAT | O_EXCL, text->bytes, text->length) &&
           mount(path, target, NULL, MS_BIND, NULL) == 0;
}

/* FOLDER is covered only until the files are bound. */
static bool cover_all(const struct xro_buf *hosts, const struct xro_buf *nsswitch)
{
    static const char folder[] = "/tmp";
    bool good;

    if (mount("xrdopen", folder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755") != 0)
        return false;
    good = cover(folder, "hosts", HOSTS, hosts) && cover(folder, "nsswitch.conf", NSSWITCH, nsswitch);
    return umount2(folder, MNT_DETACH) == 0 && good;
}

static bool enter_view(bool user, const struct xro_buf *hosts, const struct xro_buf *nsswitch)
{
    return enter_namespace(user) && cover_all(hosts, nsswitch);
}

/* Can it be done? The answer comes through a pipe, since the caller may have SIGCHLD ignored. */
static bool try_view(bool user, const struct xro_buf *hosts, const struct xro_buf *nsswitch)
{
    int ends[2];
    char answer = 'n';
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0) {
        if (enter_view(user, hosts, nsswitch))
            answer = 'y';
        _exit(write(ends[1], &answer, 1) == 1 ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &answer, 1) != 1)
        answer = 'n';
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return answer == 'y';
}

static enum xro_hosts_view enter_some_view(const struct xro_buf *hosts, const struct xro_buf *nsswitch)
{
    for (unsigned user = geteuid() == 0 ? 0 : 1; user < 2; user++)
        if (try_view(user == 1, hosts, nsswitch) && enter_view(user == 1, hosts, nsswitch))
            return user == 1 ? XRO_HOSTS_VIEW_USER : XRO_HOSTS_VIEW_MOUNT;
    return XRO_HOSTS_VIEW_NONE;
}

static enum xro_hosts_view shorten_limits(void)
{
    if (getenv("RES_OPTIONS") != NULL || setenv("RES_OPTIONS", "timeout:1 attempts:1", 1) != 0)
        return XRO_HOSTS_VIEW_NONE;
    return XRO_HOSTS_VIEW_RES_OPTIONS;
}

enum xro_hosts_view xro_hosts_view_enter(void)
{
    struct xro_buf hosts = xro_buf(TEXT_MOST), nsswitch = xro_buf(TEXT_MOST);
    enum xro_hosts_view view = XRO_HOSTS_VIEW_NONE;
    char name[HOST_NAME_MAX + 1] = "";
    bool named = false;

    if (make_hosts(&hosts) && make_nsswitch(&nsswitch)) {
        gethostname(name, sizeof name - 1);
        named = has_name((const char *)hosts.bytes, name);
        view = enter_some_view(&hosts, &nsswitch);
    }
    if (view == XRO_HOSTS_VIEW_NONE)
        view = shorten_limits();
    else if (!named)
        shorten_limits();
    xro_buf_free(&hosts);
    xro_buf_free(&nsswitch);
    return view;
}

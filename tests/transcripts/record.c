/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * record.c - preloaded into xrdopen, writes down what its connections say (record.sh):
 *
 *     connect 1 127.0.0.1:1094        the first connection, to there
 *     1> 0000...                      one send(), in hex
 *     1< 0000...                      one recv()
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FDS = 1024 };

static int numbers[FDS];        /* of the connection at that descriptor, 0: none of ours */
static int connections;

static void *next_function(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void write_line(const char *line, size_t length)
{
    static int to = -1;
    const char *path = getenv("XRDOPEN_RECORD");

    if (to < 0 && path != NULL)
        to = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (to < 0 || write(to, line, length) != (ssize_t)length)
        abort();
}

static void note_bytes(int fd, char direction, const void *bytes, ssize_t n)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = (const unsigned char *)bytes;
    char *line;
    int used;

    if (n <= 0 || fd < 0 || fd >= FDS || numbers[fd] == 0)
        return;
    line = (char *)malloc((size_t)n * 2 + 32);
    if (line == NULL)
        abort();
    used = snprintf(line, 32, "%d%c ", numbers[fd], direction);
    for (ssize_t i = 0; i < n; i++) {
        line[used++] = digits[from[i] >> 4];
        line[used++] = digits[from[i] & 15];
    }
    line[used++] = '\n';
    write_line(line, (size_t)used);
    free(line);
}

static void note_connection(int fd, const struct sockaddr *address)
{
    struct sockaddr_in v4;
    char host[INET_ADDRSTRLEN], line[64];
    int length;

    if (fd < 0 || fd >= FDS)
        return;
    numbers[fd] = 0;
    if (address->sa_family != AF_INET)
        return;
    memcpy(&v4, address, sizeof v4);
    numbers[fd] = ++connections;
    length = snprintf(line, sizeof line, "connect %d %s:%u\n", numbers[fd],
                      inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host), (unsigned)ntohs(v4.sin_port));
    write_line(line, (size_t)length);
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int (*real)(int, const struct sockaddr *, socklen_t);

    *(void **)&real = next_function("connect");
    note_connection(fd, address);
    return real(fd, address, length);
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
    ssize_t (*real)(int, const void *, size_t, int), sent;

    *(void **)&real = next_function("send");
    sent = real(fd, bytes, n, flags);
    note_bytes(fd, '>', bytes, sent);
    return sent;
}

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
    ssize_t (*real)(int, void *, size_t, int), got;

    *(void **)&real = next_function("recv");
    got = real(fd, bytes, n, flags);
    note_bytes(fd, '<', bytes, got);
    return got;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "auth/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* A place to look at: the path of a file, and how to name the place to people. */
struct place {
    const char *path;
    const char *name;           /* "BEARER_TOKEN_FILE"; NULL: the path says it all */
    bool guessed;               /* nobody named the file: others could have put it there */
};

void xro_token_free(struct xro_token *token)
{
    if (token->memory != NULL)
        explicit_bzero(token->memory, token->size);
    free(token->memory);
    *token = (struct xro_token){ .memory = NULL };
}

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The memory's first LENGTH bytes without white space around them. */
static void strip(struct xro_token *token, size_t length)
{
    token->text = token->memory;
    while (length > 0 && blank(token->text[length - 1]))
        length--;
    while (length > 0 && blank(*token->text)) {
        token->text++;
        length--;
    }
    token->length = length;
}

/* Is it one word of printable characters? Anything else is a wrong file, which nobody wants to send to a server. */
static enum xro_status check(const struct xro_token *token, size_t most, const char *place,
                             char reason[XRO_AUTH_REASON_SIZE])
{
    if (token->length >= most)
        return xro_auth_say(XRO_AUTH, reason, "the token of %s has %zu characters, and the server takes fewer than %zu",
                            place, token->length, most);
    for (size_t i = 0; i < token->length; i++)
        if (token->text[i] <= ' ' || token->text[i] > '~')
            return xro_auth_say(XRO_AUTH, reason, "%s holds no token: character %zu cannot be part of one", place,
                                i + 1);
    return XRO_OK;
}

static enum xro_status from_text(const char *text, size_t most, struct xro_token *token,
                                 char reason[XRO_AUTH_REASON_SIZE])
{
    const size_t length = strlen(text);

    token->size = length + 1;
    token->memory = (char *)malloc(token->size);
    if (token->memory == NULL)
        return XRO_MEMORY;
    memcpy(token->memory, text, token->size);
    strip(token, length);
    return check(token, most, "BEARER_TOKEN", reason);
}

static enum xro_status refuse(const struct place *place, char reason[XRO_AUTH_REASON_SIZE], const char *why)
{
    return xro_auth_say(XRO_AUTH, reason, "%s%s%s %s", place->name != NULL ? place->name : "",
                        place->name != NULL ? "=" : "", place->path, why);
}

/* May what is in an open file be sent? Root may read whatever it was told to read, as with the official client. */
static enum xro_status check_file(const struct stat *file, const struct place *place, size_t most,
                                  char reason[XRO_AUTH_REASON_SIZE])
{
    const uid_t self = geteuid();

    if (!S_ISREG(file->st_mode))
        return refuse(place, reason, "is no regular file");
    if (file->st_uid != self && (place->guessed || self != 0))
        return refuse(place, reason, "belongs to another user");
    if ((file->st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return refuse(place, reason, "may be used by others: it should have mode 0600");
    if (file->st_size > (off_t)most + 1)    /* a newline may follow the token */
        return refuse(place, reason, "is larger than the server lets a token be");
    return XRO_OK;
}

static enum xro_status read_all(int fd, size_t size, const struct place *place, struct xro_token *token,
                                char reason[XRO_AUTH_REASON_SIZE])
{
    size_t have = 0;

    token->size = size + 1;
    token->memory = (char *)malloc(token->size);
    if (token->memory == NULL)
        return XRO_MEMORY;
    while (have < size) {
        const ssize_t n = read(fd, token->memory + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse(place, reason, strerror(errno));
        if (n == 0)
            break;
        have += (size_t)n;
    }
    strip(token, have);
    return XRO_OK;
}

/* XRO_OK with an empty token: pass the place over. */
static enum xro_status from_file(const struct place *place, size_t most, struct xro_token *token,
                                 char reason[XRO_AUTH_REASON_SIZE])
{
    struct stat file;
    enum xro_status status;
    const int fd = open(place->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);     /* it may be a pipe */

    if (fd < 0)
        return errno == ENOENT ? XRO_OK : refuse(place, reason, strerror(errno));
    if (fstat(fd, &file) != 0)
        status = refuse(place, reason, strerror(errno));
    else
        status = check_file(&file, place, most, reason);
    if (status == XRO_OK)
        status = read_all(fd, (size_t)file.st_size, place, token, reason);
    close(fd);
    return status != XRO_OK ? status : check(token, most, place->path, reason);
}

/* One place after the other, until one has a token or fails. */
static enum xro_status look(size_t most, struct xro_token *token, char reason[XRO_AUTH_REASON_SIZE])
{
    const char *text = getenv("BEARER_TOKEN"), *named = getenv("BEARER_TOKEN_FILE"), *run = getenv("XDG_RUNTIME_DIR");
    char in_run[PATH_SIZE] = "", in_tmp[64];
    const unsigned uid = (unsigned)geteuid();
    enum xro_status status = XRO_OK;

    if (run != NULL && *run != '\0' && snprintf(in_run, sizeof in_run, "%s/bt_u%u", run, uid) >= PATH_SIZE)
        in_run[0] = '\0';
    snprintf(in_tmp, sizeof in_tmp, "/tmp/bt_u%u", uid);
    const struct place places[] = {
        { named != NULL ? named : "", "BEARER_TOKEN_FILE", false }, { in_run, NULL, true }, { in_tmp, NULL, true },
    };
    if (text != NULL)
        status = from_text(text, most, token, reason);
    for (size_t i = 0; i < sizeof places / sizeof *places && status == XRO_OK && token->length == 0; i++) {
        xro_token_free(token);
        if (places[i].path[0] != '\0')
            status = from_file(&places[i], most, token, reason);
    }
    return status;
}

enum xro_status xro_token_find(size_t most, struct xro_token *token, char reason[XRO_AUTH_REASON_SIZE])
{
    enum xro_status status;

    *token = (struct xro_token){ .memory = NULL };
    status = look(most < XRO_TOKEN_MOST ? most : XRO_TOKEN_MOST, token, reason);
    if (status == XRO_OK && token->length == 0)
        status = xro_auth_say(XRO_AUTH, reason, "no token in BEARER_TOKEN, BEARER_TOKEN_FILE, XDG_RUNTIME_DIR/bt_u%u, "
                              "/tmp/bt_u%u", (unsigned)geteuid(), (unsigned)geteuid());
    if (status != XRO_OK)
        xro_token_free(token);
    return status;
}

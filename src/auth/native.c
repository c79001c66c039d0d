/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * native.c - host and unix: no secret, one message each. The bytes are those of XRootD's own plug-ins. */
#include "auth/native.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

/* What the plug-in has room for: a longer name counts as none. */
enum { NAME_SIZE = 256, CREDENTIALS_SIZE = 512, ENTRY_SIZE = 16384 };

static enum xro_status make_host(void *session, const struct xro_auth_offer *offer, const uint8_t *more, size_t length,
                                 const struct xro_auth_sink *sink, char reason[XRO_AUTH_REASON_SIZE])
{
    (void)session, (void)offer, (void)length;
    if (more != NULL)
        return xro_auth_say(XRO_PROTOCOL, reason, "the server asks for more, and host has but one message");
    return sink->append(sink->buf, "host", sizeof "host");
}

static size_t put_name(char *to, size_t size, const char *name)
{
    const size_t length = strlen(name);

    if (length >= size)
        return 0;
    memcpy(to, name, length + 1);
    return length;
}

static size_t user_name(char name[NAME_SIZE])
{
    char memory[ENTRY_SIZE];
    struct passwd entry, *found = NULL;
    size_t length = 0;

    if (getpwuid_r(geteuid(), &entry, memory, sizeof memory, &found) == 0 && found != NULL)
        length = put_name(name, NAME_SIZE, found->pw_name);
    return length != 0 ? length : put_name(name, NAME_SIZE, "*");
}

static size_t group_name(char *name, size_t size)
{
    char memory[ENTRY_SIZE];
    struct group entry, *found = NULL;

    if (getgrgid_r(getegid(), &entry, memory, sizeof memory, &found) != 0 || found == NULL)
        return 0;
    return put_name(name, size, found->gr_name);
}

/* "unix\0user group\0"; without a group "unix\0user\0" */
static enum xro_status make_unix(void *session, const struct xro_auth_offer *offer, const uint8_t *more, size_t length,
                                 const struct xro_auth_sink *sink, char reason[XRO_AUTH_REASON_SIZE])
{
    char bytes[CREDENTIALS_SIZE] = "unix";
    size_t used = sizeof "unix", group;

    (void)session, (void)offer, (void)length;
    if (more != NULL)
        return xro_auth_say(XRO_PROTOCOL, reason, "the server asks for more, and unix has but one message");
    used += user_name(bytes + used);
    group = group_name(bytes + used + 1, sizeof bytes - used - 1);
    if (group != 0) {
        bytes[used] = ' ';
        used += 1 + group;
    }
    return sink->append(sink->buf, bytes, used + 1);
}

const struct xro_auth_method xro_auth_host = { .abi = XRO_AUTH_ABI, .make = make_host };
const struct xro_auth_method xro_auth_unix = { .abi = XRO_AUTH_ABI, .make = make_unix };

const struct xro_auth_method *xro_auth_native(const char *method)
{
    static const struct {
        const char *name;
        const struct xro_auth_method *method;
    } natives[] = { { "host", &xro_auth_host }, { "unix", &xro_auth_unix }, { "ztn", &xro_auth_ztn } };

    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (strcmp(method, natives[i].name) == 0)
            return natives[i].method;
    return NULL;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * normal.c - what a server would answer: a read-only one with the script's files, which takes writes and forgets
 * them. The error texts and limits are those of xrootd 5.5.3 where clients look at them. */
#include "imposter/normal.h"
#include "proto/serve.h"

#include <stdio.h>
#include <string.h>

enum { STAT_VFS = 1, DIRLIST_DSTAT = 2, QUERY_CONFIG = 7 };

enum xro_status xro_normal_refuse(struct xro_normal *normal, int code, const char *text)
{
    uint8_t bytes[4];
    struct xro_out out = xro_out(bytes, sizeof bytes);
    enum xro_status status;

    xro_out_u32(&out, (uint32_t)code);
    normal->status = XRO_KXR_ERROR;
    normal->pages = false;
    normal->body.length = 0;
    status = xro_buf_append(&normal->body, bytes, sizeof bytes);
    return status == XRO_OK ? xro_buf_append(&normal->body, text, strlen(text) + 1) : status;
}

enum xro_status xro_normal_refuse_path(struct xro_normal *normal, int code)
{
    return xro_normal_refuse(normal, code,
                             code == XRO_KXR_NOTFOUND ? "No such file or directory" : "Permission denied");
}

struct xro_found xro_normal_find(const struct xro_turn *turn)
{
    const struct xro_script *script = turn->guest->imposter->script;

    return xro_tree_find(script, &script->servers[turn->guest->server], turn->path, turn->path_length);
}

/* --- connection's start ----------------------------------------------------------------------------------------- */

static bool is_manager(const struct xro_turn *turn)
{
    const struct xro_guest *guest = turn->guest;

    return guest->imposter->script->servers[guest->server].kind == XRO_SERVER_MANAGER;
}

static enum xro_status handshake(struct xro_turn *turn, struct xro_normal *normal)
{
    uint8_t bytes[XRO_HANDSHAKE_ANSWER_SIZE];
    struct xro_out out = xro_out(bytes, sizeof bytes);

    xro_put_handshake_answer(&out, (struct xro_handshake_answer){ .version = XRO_KXR_PROTOCOLVERSION,
                                                                  .type = is_manager(turn) ? 0 : 1 });
    return xro_buf_append(&normal->body, bytes + XRO_ANSWER_HEADER_SIZE, sizeof bytes - XRO_ANSWER_HEADER_SIZE);
}

uint32_t xro_server_flags(const struct xro_server *server)
{
    return server->kind == XRO_SERVER_MANAGER ? UINT32_C(0x00300002) : UINT32_C(0x00300001);
}

static enum xro_status protocol(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct xro_guest *guest = turn->guest;
    uint8_t bytes[8];
    struct xro_out out = xro_out(bytes, sizeof bytes);

    xro_out_u32(&out, XRO_KXR_PROTOCOLVERSION);
    xro_out_u32(&out, xro_server_flags(&guest->imposter->script->servers[guest->server]));
    return xro_buf_append(&normal->body, bytes, sizeof bytes);
}

void xro_guest_session(const struct xro_guest *guest, uint8_t session[XRO_SESSION_ID_SIZE])
{
    struct xro_out out = xro_out(session, XRO_SESSION_ID_SIZE);

    xro_out_u64(&out, guest->number);
    xro_out_u64(&out, guest->accepted);
}

static enum xro_status login(struct xro_turn *turn, struct xro_normal *normal)
{
    uint8_t session[XRO_SESSION_ID_SIZE];

    if (turn->guest->logged_in)
        return xro_normal_refuse(normal, XRO_KXR_INVALIDREQUEST, "Invalid request; user already logged in");
    xro_guest_session(turn->guest, session);
    return xro_buf_append(&normal->body, session, sizeof session);
}

static enum xro_status auth(struct xro_turn *turn, struct xro_normal *normal)
{
    return turn->guest->must_auth ? XRO_OK : xro_normal_refuse(normal, XRO_KXR_INVALIDREQUEST, "Invalid request code");
}

static enum xro_status endsess(struct xro_turn *turn, struct xro_normal *normal)
{
    uint8_t session[XRO_SESSION_ID_SIZE];

    xro_guest_session(turn->guest, session);
    normal->bare = normal->closes = memcmp(session, turn->request.body, sizeof session) == 0;
    return XRO_OK;
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static enum xro_status stat_path(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct xro_open_file *open = turn->request.length == 0 ? xro_guest_file(turn->guest, &turn->request) : NULL;
    struct xro_found found = { .file = open != NULL ? open->file : NULL };
    char text[XRO_STAT_TEXT_SIZE] = "1 1048576 0 0 0 0";

    if (turn->request.length == 0 && open == NULL)
        return xro_normal_refuse(normal, XRO_KXR_FILENOTOPEN, "stat does not refer to an open file");
    if (open == NULL)
        found = xro_normal_find(turn);
    if (found.error != 0)
        return xro_normal_refuse_path(normal, found.error);
    if ((xro_request_stat_options(&turn->request) & STAT_VFS) == 0)
        xro_tree_stat(&found, text);
    return xro_buf_append(&normal->body, text, strlen(text) + 1);
}

static enum xro_status statx_paths(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct xro_script *script = turn->guest->imposter->script;
    const char *at = (const char *)turn->payload.bytes, *end;
    enum xro_status status = XRO_OK;

    if (turn->payload.length == 0)
        return xro_normal_refuse(normal, XRO_KXR_ARGMISSING, "Required argument not present");
    end = at + turn->payload.length;
    while (status == XRO_OK && at < end) {
        const char *newline = (const char *)memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        struct xro_found found = xro_tree_find(script, &script->servers[turn->guest->server], at, (size_t)(stop - at));
        if (found.error != 0)
            return xro_normal_refuse_path(normal, found.error);
        uint8_t flags = (uint8_t)((found.directory ? XRO_KXR_ISDIR : 0) |
                                  (found.file != NULL && found.file->offline ? XRO_KXR_OFFLINE : 0));
        status = xro_buf_append(&normal->body, &flags, 1);
        at = newline != NULL ? newline + 1 : end;
    }
    return status;
}

static enum xro_status list_directory(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct xro_script *script = turn->guest->imposter->script;
    struct xro_found found = xro_normal_find(turn);

    if (found.error != 0)
        return xro_normal_refuse_path(normal, found.error);
    if (!found.directory)
        return xro_normal_refuse(normal, XRO_KXR_FSERROR, "Not a directory");
    return xro_tree_list(script, &script->servers[turn->guest->server], turn->path, turn->path_length,
                         (xro_request_dirlist_options(&turn->request) & DIRLIST_DSTAT) != 0, &normal->body);
}

static enum xro_status locate(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct xro_guest *guest = turn->guest;
    const struct xro_server *server = &guest->imposter->script->servers[guest->server];
    char host[300], text[320];
    struct xro_found found = { .error = 0 };

    if (turn->path_length == 0 || turn->path[0] != '*')
        found = xro_normal_find(turn);
    if (found.error != 0)
        return xro_normal_refuse_path(normal, found.error);
    xro_server_host(server, 0, host, sizeof host);
    int n = snprintf(text, sizeof text, "%cr%s:%u", server->kind == XRO_SERVER_MANAGER ? 'M' : 'S', host,
                     (unsigned)guest->imposter->ports[guest->server]);
    return xro_buf_append(&normal->body, text, (size_t)n + 1);
}

/* Each word that a configuration query asks for comes back as it is: "not set". */
static enum xro_status query(struct xro_turn *turn, struct xro_normal *normal)
{
    enum xro_status status;

    if (xro_request_query_type(&turn->request) != QUERY_CONFIG)
        return xro_normal_refuse(normal, XRO_KXR_UNSUPPORTED, "query is not supported by an imposter");
    status = xro_buf_append(&normal->body, turn->payload.bytes, turn->payload.length);
    for (size_t i = 0; status == XRO_OK && i < normal->body.length; i++)
        if (normal->body.bytes[i] == ' ')
            normal->body.bytes[i] = '\n';
    return status == XRO_OK ? xro_buf_append(&normal->body, "\n", 1) : status;
}

static enum xro_status nothing(struct xro_turn *turn, struct xro_normal *normal)
{
    (void)turn;
    (void)normal;
    return XRO_OK;
}

static enum xro_status no_answer(struct xro_turn *turn, struct xro_normal *normal)
{
    (void)turn;
    normal->bare = true;
    return XRO_OK;
}

static enum xro_status read_only(struct xro_turn *turn, struct xro_normal *normal)
{
    (void)turn;
    return xro_normal_refuse(normal, XRO_KXR_FSREADONLY, "An imposter's files are read-only");
}

/* --- the table -------------------------------------------------------------------------------------------------- */

static const struct served {
    uint16_t code;
    bool before_login;
    enum xro_status (*answer)(struct xro_turn *, struct xro_normal *);
} served[] = {
    { XRO_KXR_PROTOCOL, true,  protocol },        { XRO_KXR_LOGIN,   true,  login },
    { XRO_KXR_AUTH,     false, auth },            { XRO_KXR_ENDSESS, false, endsess },
    { XRO_KXR_PING,     false, nothing },         { XRO_KXR_SET,     false, nothing },
    { XRO_KXR_PREPARE,  false, nothing },         { XRO_KXR_SIGVER,  false, no_answer },
    { XRO_KXR_OPEN,     false, xro_normal_open },       { XRO_KXR_CLOSE,   false, xro_normal_close },
    { XRO_KXR_READ,     false, xro_normal_read },       { XRO_KXR_PGREAD,  false, xro_normal_read },
    { XRO_KXR_READV,    false, xro_normal_readv },     { XRO_KXR_STAT,    false, stat_path },
    { XRO_KXR_STATX,    false, statx_paths },     { XRO_KXR_DIRLIST, false, list_directory },
    { XRO_KXR_LOCATE,   false, locate },          { XRO_KXR_QUERY,   false, query },
    { XRO_KXR_WRITE,    false, xro_normal_write },      { XRO_KXR_PGWRITE, false, xro_normal_write },
    { XRO_KXR_SYNC,     false, xro_normal_write },      { XRO_KXR_TRUNCATE, false, read_only },
    { XRO_KXR_MKDIR,    false, read_only },       { XRO_KXR_RM,      false, read_only },
    { XRO_KXR_RMDIR,    false, read_only },       { XRO_KXR_MV,      false, read_only },
    { XRO_KXR_CHMOD,    false, read_only },
};

static const struct served *find_served(uint16_t code)
{
    for (size_t i = 0; i < sizeof served / sizeof *served; i++)
        if (served[i].code == code)
            return &served[i];
    return NULL;
}

/* What a server refuses whatever the request is about; true when NORMAL is filled. */
static bool out_of_turn(const struct xro_turn *turn, const struct served *entry, struct xro_normal *normal,
                        enum xro_status *status)
{
    const struct xro_guest *guest = turn->guest;

    if (turn->request.length > INT32_MAX)
        *status = xro_normal_refuse(normal, XRO_KXR_ARGINVALID, "Invalid request data length");
    else if (!guest->logged_in && (entry == NULL || !entry->before_login))
        *status = xro_normal_refuse(normal, XRO_KXR_INVALIDREQUEST, "Invalid request; user not logged in");
    else if (guest->must_auth && turn->request.code != XRO_KXR_AUTH && turn->request.code != XRO_KXR_PING &&
             !(entry != NULL && entry->before_login))
        *status = xro_normal_refuse(normal, XRO_KXR_INVALIDREQUEST, "Invalid request; user not authenticated");
    else
        return false;
    normal->closes = true;
    return true;
}

enum xro_status xro_normal_answer(struct xro_turn *turn, struct xro_normal *normal)
{
    const struct served *entry = find_served(turn->request.code);
    enum xro_status status;

    *normal = (struct xro_normal){ .status = XRO_KXR_OK, .body = xro_buf(2 * (size_t)XRO_SCRIPT_MESSAGE_MAX) };
    if (turn->event == XRO_EVENT_ACCEPT)
        return no_answer(turn, normal);
    if (turn->event == XRO_EVENT_HANDSHAKE)
        return handshake(turn, normal);
    if (out_of_turn(turn, entry, normal, &status))
        return status;
    if (entry == NULL)
        return xro_kxr_request_name(turn->request.code) != NULL
            ? xro_normal_refuse(normal, XRO_KXR_UNSUPPORTED, "request is not supported by an imposter")
            : xro_normal_refuse(normal, XRO_KXR_INVALIDREQUEST, "Invalid request code");
    return entry->answer(turn, normal);
}

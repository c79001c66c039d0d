/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * parse.c - a script's lines but for files and rules: variables, servers, addresses. */
#include "imposter/parser.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- set -------------------------------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)text[0]))
        return false;
    for (; *text != '\0'; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-')
            return false;
    return true;
}

static void apply_setting(struct xro_parser *parser, struct xro_variable *variable)
{
    for (size_t i = 0; i < parser->setting_count; i++)
        if (strcmp(parser->settings[i].name, variable->name) == 0) {
            variable->value.text = parser->settings[i].value;
            variable->value.length = strlen(parser->settings[i].value);
        }
}

static bool parse_set(struct xro_parser *parser)
{
    struct xro_variable *variable = &parser->variables[parser->variable_count];

    if (parser->variable_count == XRO_SCRIPT_SETS_MAX)
        return xro_parser_fail(parser, parser->token.line, 1, "more than %d variables", XRO_SCRIPT_SETS_MAX);
    if (parser->token.kind != XRO_TOKEN_WORD || !is_name(parser->token.text))
        return xro_parser_expected(parser, "a variable's name");
    variable->name = parser->token.text;
    if (!xro_parser_next(parser))
        return false;
    if (parser->token.kind != XRO_TOKEN_WORD && parser->token.kind != XRO_TOKEN_STRING)
        return xro_parser_expected(parser, "the variable's value");
    variable->value = parser->token;
    apply_setting(parser, variable);
    parser->variable_count++;
    return xro_parser_next(parser);
}

static bool check_settings(struct xro_parser *parser)
{
    for (size_t i = 0; i < parser->setting_count; i++) {
        bool known = false;
        for (size_t j = 0; j < parser->variable_count && !known; j++)
            known = strcmp(parser->variables[j].name, parser->settings[i].name) == 0;
        if (!known)
            return xro_parser_fail(parser, 0, 0, "the script has no variable '%.60s' to set", parser->settings[i].name);
    }
    return true;
}

/* --- server, listen, port, host --------------------------------------------------------------------------------- */

static bool add_address(struct xro_parser *parser, struct xro_server *server, const char *text,
                        enum xro_address_kind kind, const struct xro_token *at)
{
    struct xro_script_address *address = (struct xro_script_address *)xro_parser_take(parser, sizeof *address);

    if (address == NULL)
        return false;
    *address = (struct xro_script_address){ .kind = kind, .text = text, .line = at->line, .column = at->column };
    *parser->address_end = address;
    parser->address_end = &address->next;
    server->address_count++;
    return true;
}

static bool parse_address_kind(struct xro_parser *parser, enum xro_address_kind *kind)
{
    static const struct { const char *word; enum xro_address_kind kind; } kinds[] = {
        { "silent", XRO_ADDRESS_SILENT }, { "refuse", XRO_ADDRESS_REFUSE }, { "swallow", XRO_ADDRESS_SWALLOW },
    };

    *kind = XRO_ADDRESS_SERVE;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (xro_parser_accept(parser, kinds[i].word)) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

/* HOST:PORT, or [ADDRESS]:PORT, cut in two; without a colon it is a server of the script. */
static bool split_relay(struct xro_parser *parser, struct xro_server *server, const char *text,
                        const struct xro_token *at)
{
    const char *colon = strrchr(text, ':');

    server->relay_host = text;
    if (colon == NULL && is_name(text))
        return true;
    if (colon == NULL || colon == text || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return xro_parser_fail(parser, at->line, at->column,
                               "expected the real server's HOST:PORT, or a server's name");
    size_t bracket = text[0] == '[' && colon[-1] == ']' && colon - text > 2;
    server->relay_host = xro_arena_copy(parser->script->arena, text + bracket, (size_t)(colon - text) - 2 * bracket);
    server->relay_port = colon + 1;
    return server->relay_host != NULL || xro_parser_no_memory(parser);
}

static bool parse_relay(struct xro_parser *parser, struct xro_server *server)
{
    struct xro_token at = parser->token;
    const char *text = "";

    server->kind = XRO_SERVER_RELAY;
    if (!xro_parser_text(parser, "the real server's HOST:PORT, or a server's name", &text) ||
        !split_relay(parser, server, text, &at))
        return false;
    if (xro_parser_accept(parser, "delay") && !xro_parser_duration(parser, &server->relay_delay))
        return false;
    server->relay_back = server->relay_delay;
    if (xro_parser_accept(parser, "back") && !xro_parser_duration(parser, &server->relay_back))
        return false;
    return parser->status == XRO_OK;
}

static bool new_server(struct xro_parser *parser, struct xro_server **server)
{
    struct xro_script *script = parser->script;

    if (script->server_count == XRO_SCRIPT_SERVERS_MAX)
        return xro_parser_fail(parser, parser->token.line, 1, "more than %d servers", XRO_SCRIPT_SERVERS_MAX);
    if (parser->token.kind != XRO_TOKEN_WORD || !is_name(parser->token.text))
        return xro_parser_expected(parser, "a server's name");
    if (xro_script_server(script, parser->token.text) >= 0)
        return xro_parser_expected(parser, "a name that no other server has");
    *server = &script->servers[script->server_count++];
    **server = (struct xro_server){ .name = parser->token.text, .line = parser->token.line,
                                    .column = parser->token.column };
    return xro_parser_next(parser);
}

/* The default address is given when the server's lines have ended and none was named. */
static bool finish_server(struct xro_parser *parser, enum xro_address_kind kind)
{
    struct xro_server *server = parser->server;
    struct xro_token at = { .line = server != NULL ? server->line : 0, .column = 1 };

    if (server == NULL || server->address_count > 0)
        return true;
    return add_address(parser, server, "127.0.0.1", kind, &at);
}

static bool parse_server(struct xro_parser *parser)
{
    struct xro_server *server = NULL;
    enum xro_address_kind kind;
    struct xro_token at;

    if (!finish_server(parser, XRO_ADDRESS_SERVE) || !new_server(parser, &server))
        return false;
    at = parser->token;
    parser->server = server;
    parser->file_end = &server->files;
    parser->rule_end = &server->rules;
    parser->address_end = &server->addresses;
    if (parse_address_kind(parser, &kind))
        return add_address(parser, server, "127.0.0.1", kind, &at);
    if (xro_parser_accept(parser, "relay"))
        return parse_relay(parser, server);
    if (xro_parser_accept(parser, "manager"))
        server->kind = XRO_SERVER_MANAGER;
    else if (!xro_parser_accept(parser, "data") && parser->token.kind == XRO_TOKEN_WORD)
        return xro_parser_expected(parser, "data, manager, silent, refuse, swallow or relay");
    return parser->status == XRO_OK;
}

static bool is_address(const char *text)
{
    unsigned char bytes[16];

    return inet_pton(strchr(text, ':') != NULL ? AF_INET6 : AF_INET, text, bytes) == 1;
}

static bool parse_listen(struct xro_parser *parser)
{
    struct xro_token at = parser->token;
    const char *text = "";
    enum xro_address_kind kind;
    size_t length;

    if (parser->server->address_count == XRO_SCRIPT_ADDRESSES_MAX)
        return xro_parser_fail(parser, at.line, 1, "more than %d addresses of one server", XRO_SCRIPT_ADDRESSES_MAX);
    if (!xro_parser_text(parser, "an address", &text))
        return false;
    length = strlen(text);
    if (length > 2 && text[0] == '[' && text[length - 1] == ']')
        text = xro_arena_copy(parser->script->arena, text + 1, length - 2);
    if (text == NULL)
        return xro_parser_no_memory(parser);
    if (!is_address(text))
        return xro_parser_fail(parser, at.line, at.column,
                               "expected a numeric address such as 127.0.0.2 or [::1] (a port has its own line)");
    parse_address_kind(parser, &kind);
    return add_address(parser, parser->server, text, kind, &at);
}

static bool parse_port(struct xro_parser *parser)
{
    int64_t port = 0;

    if (!xro_parser_integer(parser, "a port from 1 to 65535", 1, 65535, &port))
        return false;
    parser->server->port = (uint16_t)port;
    return true;
}

static bool parse_host(struct xro_parser *parser)
{
    return xro_parser_text(parser, "a host name", &parser->server->host);
}

/* --- lines ------------------------------------------------------------------------------------------------------ */

static bool parse_file(struct xro_parser *parser) { return xro_parse_file(parser, XRO_FILE_FILE); }
static bool parse_dir(struct xro_parser *parser) { return xro_parse_file(parser, XRO_FILE_DIRECTORY); }
static bool parse_deny(struct xro_parser *parser) { return xro_parse_file(parser, XRO_FILE_DENIED); }

static bool parse_statement(struct xro_parser *parser)
{
    static const struct { const char *word; bool (*parse)(struct xro_parser *); bool of_server; } lines[] = {
        { "set", parse_set, false }, { "server", parse_server, false }, { "listen", parse_listen, true },
        { "port", parse_port, true }, { "host", parse_host, true }, { "file", parse_file, false },
        { "dir", parse_dir, false }, { "deny", parse_deny, false }, { "on", xro_parse_rule, false },
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!xro_parser_is(parser, lines[i].word))
            continue;
        if (lines[i].of_server && parser->server == NULL)
            return xro_parser_expected(parser, "a 'server' line before this one");
        return xro_parser_next(parser) && lines[i].parse(parser);
    }
    return xro_parser_expected(parser, "set, server, listen, port, host, file, dir, deny or on");
}

static bool parse_lines(struct xro_parser *parser)
{
    if (!xro_parser_next(parser))
        return false;
    while (parser->token.kind != XRO_TOKEN_END) {
        if (parser->token.kind != XRO_TOKEN_NEWLINE && !parse_statement(parser))
            return false;
        if (parser->token.kind != XRO_TOKEN_NEWLINE && parser->token.kind != XRO_TOKEN_END)
            return xro_parser_expected(parser, "the end of the line");
        if (parser->token.kind == XRO_TOKEN_NEWLINE && !xro_parser_next(parser))
            return false;
    }
    if (!finish_server(parser, XRO_ADDRESS_SERVE))
        return false;
    if (parser->script->server_count == 0)
        return xro_parser_expected(parser, "at least one 'server' line");
    return check_settings(parser);
}

static bool resolve_relays(struct xro_parser *parser)
{
    struct xro_script *script = parser->script;

    for (unsigned i = 0; i < script->server_count; i++) {
        struct xro_server *server = &script->servers[i];
        if (server->relay_port != NULL || server->relay_host == NULL)
            continue;
        int to = xro_script_server(script, server->relay_host);
        if (to < 0 || to == (int)i)
            return xro_parser_fail(parser, server->line, server->column, "no other server is called '%.60s'",
                                   server->relay_host);
        server->relay_server = (unsigned)to;
    }
    return true;
}

/* Redirects may name servers that come later in the script. */
static bool resolve_names(struct xro_parser *parser)
{
    for (const struct xro_fixup *fixup = parser->fixups; fixup != NULL; fixup = fixup->next) {
        int server = xro_script_server(parser->script, fixup->name);
        if (server < 0)
            return xro_parser_fail(parser, fixup->line, fixup->column, "no server is called '%.60s'", fixup->name);
        if (fixup->redirect->address >= parser->script->servers[server].address_count)
            return xro_parser_fail(parser, fixup->line, fixup->column, "server '%.60s' has only %u address(es)",
                                   fixup->name, parser->script->servers[server].address_count);
        fixup->redirect->server = server;
    }
    return true;
}

static struct xro_script *new_script(void)
{
    struct xro_arena *arena = xro_arena_new();
    struct xro_script *script = arena != NULL ? (struct xro_script *)xro_arena_take(arena, sizeof *script) : NULL;

    if (script == NULL) {
        xro_arena_free(arena);
        return NULL;
    }
    script->arena = arena;
    script->servers = (struct xro_server *)xro_arena_take(arena, XRO_SCRIPT_SERVERS_MAX * sizeof *script->servers);
    if (script->servers != NULL)
        return script;
    xro_arena_free(arena);
    return NULL;
}

enum xro_status xro_imposter_parse_with(const char *text, size_t length, const struct xro_script_setting *settings,
                                        size_t setting_count, struct xro_script **script,
                                        struct xro_script_error *error)
{
    struct xro_parser parser = { .settings = settings, .setting_count = setting_count, .error = error };

    *error = (struct xro_script_error){ .line = 0 };
    *script = NULL;
    parser.script = new_script();
    if (parser.script == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return XRO_MEMORY;
    }
    parser.lexer = (struct xro_lexer){ .at = text, .end = text + length, .line = 1, .column = 1,
                                       .arena = parser.script->arena };
    parser.file_end = &parser.script->files;
    parser.rule_end = &parser.script->rules;
    if (length > XRO_SCRIPT_BYTES_MAX)
        xro_parser_fail(&parser, 0, 0, "the script is longer than %d bytes", XRO_SCRIPT_BYTES_MAX);
    if (parser.status == XRO_OK && parse_lines(&parser) && resolve_names(&parser) && resolve_relays(&parser)) {
        *script = parser.script;
        return XRO_OK;
    }
    xro_script_free(parser.script);
    return parser.status;
}

enum xro_status xro_imposter_parse(const char *text, size_t length, struct xro_script **script,
                                   struct xro_script_error *error)
{
    return xro_imposter_parse_with(text, length, NULL, 0, script, error);
}

int xro_script_server(const struct xro_script *script, const char *name)
{
    for (unsigned i = 0; i < script->server_count; i++)
        if (strcmp(script->servers[i].name, name) == 0)
            return (int)i;
    return -1;
}

void xro_script_free(struct xro_script *script)
{
    if (script != NULL)
        xro_arena_free(script->arena);  /* the script itself lies in it */
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * rules.c - which rule an event falls under. Each rule counts the events that meet its other conditions, whether or
 * not a rule before it took them: "the 3rd open" is the third open. The first whose count fits wins. */
#include "imposter/loop.h"
#include "imposter/tree.h"
#include "proto/xroot.h"

#include <stdlib.h>
#include <string.h>

enum { PATHS_MAX = 1 << 20 };   /* beyond so many paths a rule "per path" counts each further one as its first */

static bool is_writing(const struct xro_request *request)
{
    enum { DELETE = 0x2, NEW = 0x8, UPDATE = 0x20, APPEND = 0x200, WRITE = 0x8000 };

    return request->code == XRO_KXR_OPEN &&
           (xro_request_open_options(request) & (DELETE | NEW | UPDATE | APPEND | WRITE)) != 0;
}

static bool meets(const struct xro_rule *rule, const struct xro_turn *turn, xro_ns now)
{
    const struct xro_guest *guest = turn->guest;
    xro_ns since = now - (rule->of_connection ? guest->accepted : guest->imposter->begin);

    if ((rule->events & turn->event) == 0 || since < rule->after || since >= rule->until)
        return false;
    if (rule->writing && !is_writing(&turn->request))
        return false;
    if (rule->path != NULL && (turn->path == NULL || !xro_tree_match(rule->path, turn->path, turn->path_length)))
        return false;
    return rule->cgi == NULL || xro_tree_match(rule->cgi, turn->cgi != NULL ? turn->cgi : "", turn->cgi_length);
}

/* FNV-1a over what makes a path's count its own; never 0. */
static uint64_t path_key(const struct xro_rule *rule, const struct xro_turn *turn)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)rule->index << 16 | turn->guest->server);

    key *= UINT64_C(0x100000001b3);
    for (size_t i = 0; turn->path != NULL && i < turn->path_length; i++)
        key = (key ^ (uint8_t)turn->path[i]) * UINT64_C(0x100000001b3);
    return key | 1;
}

static struct xro_path_count *path_slot(struct xro_path_count *paths, size_t room, uint64_t key)
{
    size_t at = (size_t)(key >> 1) & (room - 1);

    while (paths[at].key != 0 && paths[at].key != key)
        at = (at + 1) & (room - 1);
    return &paths[at];
}

static bool grow_paths(struct xro_imposter *imposter)
{
    size_t room = imposter->path_room ? imposter->path_room * 2 : 256;
    struct xro_path_count *paths;

    if (imposter->path_count * 2 < imposter->path_room)
        return true;
    paths = imposter->path_count < PATHS_MAX ? (struct xro_path_count *)calloc(room, sizeof *paths) : NULL;
    if (paths == NULL)
        return false;
    for (size_t i = 0; i < imposter->path_room; i++)
        if (imposter->paths[i].key != 0)
            *path_slot(paths, room, imposter->paths[i].key) = imposter->paths[i];
    free(imposter->paths);
    imposter->paths = paths;
    imposter->path_room = room;
    return true;
}

static uint64_t count_path(struct xro_imposter *imposter, const struct xro_rule *rule, const struct xro_turn *turn)
{
    uint64_t key = path_key(rule, turn);
    bool room = grow_paths(imposter);
    struct xro_path_count *slot = imposter->path_room > 0 ? path_slot(imposter->paths, imposter->path_room, key) : NULL;

    if (slot == NULL || (slot->key == 0 && !room))
        return 1;
    if (slot->key == 0) {
        slot->key = key;
        imposter->path_count++;
    }
    return ++slot->count;
}

static uint64_t count_connection(struct xro_guest *guest, const struct xro_rule *rule)
{
    if (guest->counts == NULL)
        guest->counts = (uint32_t *)calloc(guest->imposter->script->rule_count, sizeof *guest->counts);
    return guest->counts != NULL ? ++guest->counts[rule->index] : 1;
}

static uint64_t count(struct xro_turn *turn, const struct xro_rule *rule)
{
    struct xro_imposter *imposter = turn->guest->imposter;
    uint64_t *counts = imposter->counts + (size_t)rule->index * imposter->script->server_count;

    switch (rule->scope) {
    case XRO_SCOPE_CONNECTION:
        return count_connection(turn->guest, rule);
    case XRO_SCOPE_PATH:
        return count_path(imposter, rule, turn);
    case XRO_SCOPE_ALL:
        return ++counts[0];
    case XRO_SCOPE_SERVER:
        break;
    }
    return ++counts[turn->guest->server];
}

static bool fits(const struct xro_rule *rule, uint64_t n)
{
    return n >= rule->from && n <= rule->to && (rule->every == 0 || n % rule->every == rule->offset);
}

static const struct xro_rule *pick(const struct xro_rule *rules, struct xro_turn *turn, xro_ns now,
                                   const struct xro_rule *winner)
{
    for (const struct xro_rule *rule = rules; rule != NULL; rule = rule->next) {
        if (!meets(rule, turn, now))
            continue;
        uint64_t n = count(turn, rule);
        if (winner == NULL && fits(rule, n))
            winner = rule;
    }
    return winner;
}

const struct xro_rule *xro_rules_pick(struct xro_turn *turn, xro_ns now)
{
    const struct xro_script *script = turn->guest->imposter->script;

    return pick(script->rules, turn, now, pick(script->servers[turn->guest->server].rules, turn, now, NULL));
}

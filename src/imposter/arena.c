/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "imposter/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROOM = 8192 };

struct block {
    struct block *next;
    size_t used, room;
    alignas(max_align_t) unsigned char bytes[];
};

struct xro_arena {
    struct block *first;
};

struct xro_arena *xro_arena_new(void)
{
    return (struct xro_arena *)calloc(1, sizeof(struct xro_arena));
}

static struct block *add_block(struct xro_arena *arena, size_t room)
{
    struct block *block = (struct block *)calloc(1, sizeof *block + room);

    if (block == NULL)
        return NULL;
    block->room = room;
    block->next = arena->first;
    arena->first = block;
    return block;
}

void *xro_arena_take(struct xro_arena *arena, size_t size)
{
    struct block *block = arena->first;
    void *taken;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (block == NULL || size > block->room - block->used)
        block = add_block(arena, size > BLOCK_ROOM ? size : BLOCK_ROOM);
    if (block == NULL)
        return NULL;
    taken = block->bytes + block->used;
    block->used += size;
    return taken;
}

char *xro_arena_copy(struct xro_arena *arena, const void *bytes, size_t length)
{
    char *copy = (char *)xro_arena_take(arena, length + 1);

    if (copy != NULL && length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

void xro_arena_free(struct xro_arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->first != NULL) {
        struct block *next = arena->first->next;
        free(arena->first);
        arena->first = next;
    }
    free(arena);
}

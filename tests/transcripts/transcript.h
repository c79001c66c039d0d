/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * transcript.h - reads what record.sh wrote. Process ids in kXR_login become 0, so that any client's bytes compare. */
#ifndef XRO_TESTS_TRANSCRIPT_H
#define XRO_TESTS_TRANSCRIPT_H

#include "proto/request.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVENTS_MOST = 128, EVENT_BYTES_MOST = 1024, CONNECTIONS_MOST = 8 };

struct event {
    char kind;                  /* 'c': connect, '>': the client's bytes, '<': the server's */
    unsigned connection;        /* from 1 */
    char host[64];
    uint16_t port;
    uint8_t bytes[EVENT_BYTES_MOST];
    size_t length;
};

struct transcript {
    char user[32], path[256];
    bool pipeline;
    struct event events[EVENTS_MOST];
    size_t count;
};

static inline size_t from_hex(const char *text, uint8_t *bytes, size_t room)
{
    size_t n = 0;

    for (unsigned value; sscanf(text + 2 * n, "%2x", &value) == 1; n++) {
        assert_true(n < room);
        bytes[n] = (uint8_t)value;
    }
    return n;
}

/* In the client's BYTES, which begin with a handshake when FIRST. */
static inline void mask_pid(uint8_t *bytes, size_t length, bool first)
{
    size_t at = first ? XRO_HANDSHAKE_SIZE : 0;

    while (length - at >= XRO_REQUEST_HEADER_SIZE) {
        struct xro_in in = xro_in(bytes + at, length - at);
        struct xro_request request;
        xro_get_request(&in, &request);
        if (request.code == XRO_KXR_LOGIN)
            memset(bytes + at + 4, 0, 4);
        assert_true(request.length <= in.left);
        at += XRO_REQUEST_HEADER_SIZE + request.length;
    }
}

static inline void read_event(struct transcript *transcript, const char *line, bool first[CONNECTIONS_MOST])
{
    struct event *event = &transcript->events[transcript->count];
    unsigned port;
    int used = 0;

    assert_true(transcript->count < EVENTS_MOST);
    if (sscanf(line, "connect %u %63[^:]:%u", &event->connection, event->host, &port) == 3) {
        event->kind = 'c';
        event->port = (uint16_t)port;
    } else {
        assert_int_equal(sscanf(line, "%u%c %n", &event->connection, &event->kind, &used), 2);
        assert_true(event->kind == '>' || event->kind == '<');
        event->length = from_hex(line + used, event->bytes, sizeof event->bytes);
    }
    assert_in_range(event->connection, 1, CONNECTIONS_MOST - 1);
    if (event->kind == '>') {
        mask_pid(event->bytes, event->length, !first[event->connection]);
        first[event->connection] = true;
    }
    transcript->count++;
}

static inline void read_transcript(const char *name, struct transcript *transcript)
{
    char path[1024], line[4 * EVENT_BYTES_MOST];
    bool begun[CONNECTIONS_MOST] = { false };
    FILE *from;

    memset(transcript, 0, sizeof *transcript);
    snprintf(path, sizeof path, "%s/%s.txt", TRANSCRIPTS, name);
    from = fopen(path, "r");
    if (from == NULL)
        fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, from) != NULL) {
        if (line[0] == '#' || sscanf(line, "user %31s", transcript->user) == 1 || sscanf(line, "path %255s", transcript->path) == 1)
            continue;
        if (strncmp(line, "pipeline", 8) == 0)
            transcript->pipeline = true;
        else
            read_event(transcript, line, begun);
    }
    fclose(from);
    assert_true(transcript->count > 0 && transcript->events[0].kind == 'c');
}

#endif

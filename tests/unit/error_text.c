/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * error_text.c - the words for each kind of failure, and the key that such failures are counted under. */
#include "proto/xroot.h"
#include "record/error_text.h"

#include <errno.h>
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One op with two hops, and a wait and two tries on the second. */
static struct xro_hop hops[2] = {
    { .host = "manager.example.org", .port = 1094, .same_as = XRO_NO_HOP, .ending = XRO_ENDING_REDIRECTED },
    { .host = "127.0.0.1", .port = 1095, .same_as = XRO_NO_HOP, .wait_count = 3, .wait_asked_s = 1805 },
};
static struct xro_wait waits[2] = { { .asked_s = 1800, .hop = 1, .text = "tape" }, { .asked_s = 1, .hop = 0 } };
static struct xro_try tries[3] = { { .hop = 1, .outcome = XRO_OUTCOME_FAILED }, { .hop = 1, .outcome = XRO_OUTCOME_FAILED },
                                   { .hop = 1, .outcome = XRO_OUTCOME_UNTRIED } };
static struct xro_op op = {
    .kind = XRO_OP_OPEN, .done = true, .total = 30 * XRO_NS_PER_S, .hops = hops, .hop_count = 2, .hop_room = 2,
    .waits = waits, .wait_count = 2, .wait_room = 2, .tries = tries, .try_count = 3, .try_room = 3,
};
static struct xro_op local_op = { .kind = XRO_OP_OPEN, .done = true };

#define FACTS(...) (struct xro_error){ __VA_ARGS__ }

static void words_are_these(void **state)
{
    const struct { struct xro_error error; const struct xro_op *op; const char *words, *key; } rows[] = {
        { FACTS(.status = XRO_CONNECT, .phase = XRO_PHASE_CONNECT, .hop = 0, .system = ECONNREFUSED), &op,
          "connect: manager.example.org:1094 refused: Connection refused", "connect: Connection refused" },
        { FACTS(.status = XRO_CONNECT, .phase = XRO_PHASE_CONNECT, .hop = 1, .system = EHOSTUNREACH), &op,
          "connect: 127.0.0.1:1095 unreachable (2 addresses tried): No route to host", "connect: No route to host" },
        { FACTS(.status = XRO_RESOLVE, .phase = XRO_PHASE_RESOLVE, .hop = 0, .resolver = EAI_NONAME), &op,
          "resolve: manager.example.org: Name or service not known", "resolve: Name or service not known" },
        { FACTS(.status = XRO_RESOLVE, .phase = XRO_PHASE_RESOLVE, .hop = -1, .resolver = EAI_SYSTEM, .system = EMFILE), &op,
          "resolve: name look-up failed: Too many open files", "resolve: Too many open files" },
        { FACTS(.status = XRO_SERVER, .phase = XRO_PHASE_REQUEST, .hop = 1, .server = 3011, .text = "no such file"), &op,
          "request: 127.0.0.1:1095 answered with an error: 3011 NotFound: no such file", "request: server error 3011 NotFound" },
        { FACTS(.status = XRO_SERVER, .phase = XRO_PHASE_REQUEST, .hop = 1, .server = 4711), &op,
          "request: 127.0.0.1:1095 answered with an error: 4711", "request: server error 4711" },
        { FACTS(.status = XRO_TIMEOUT, .phase = XRO_PHASE_WAIT, .hop = 1, .limit = XRO_LIMIT_TOTAL), &op,
          "wait: 127.0.0.1:1095 ordered a pause that ends after the limit (--timeout) (asked for 1800 s, \"tape\")",
          "wait: time limit passed (--timeout)" },
        { FACTS(.status = XRO_TIMEOUT, .phase = XRO_PHASE_LOGIN, .hop = 0, .limit = XRO_LIMIT_CONNECT), &op,
          "login: time limit passed (--connect-timeout) 30.0s into the open: no answer from manager.example.org:1094",
          "login: time limit passed (--connect-timeout)" },
        { FACTS(.status = XRO_TIMEOUT, .phase = XRO_PHASE_RESOLVE, .hop = 0, .limit = XRO_LIMIT_TOTAL), &op,
          "resolve: time limit passed (--timeout) 30.0s into the open: no answer to the look-up of manager.example.org",
          "resolve: time limit passed (--timeout)" },
        { FACTS(.status = XRO_STALLED, .phase = XRO_PHASE_WAIT, .hop = 1), &op,
          "wait: no progress: 127.0.0.1:1095 keeps ordering waits (3 of them, 1805 s asked in all) (asked for 1800 s, \"tape\")",
          "wait: no progress: server keeps ordering waits" },
        { FACTS(.status = XRO_REDIRECTS, .phase = XRO_PHASE_REQUEST, .hop = 1), &op,
          "request: redirect limit reached at 127.0.0.1:1095 after 2 hops at 2 servers", "request: redirect limit reached" },
        { FACTS(.status = XRO_CLOSED, .phase = XRO_PHASE_HANDSHAKE, .hop = 1), &op,
          "handshake: 127.0.0.1:1095 closed the connection", "handshake: server closed the connection" },
        { FACTS(.status = XRO_PROTOCOL, .phase = XRO_PHASE_HANDSHAKE, .hop = 1, .detail = "it speaks HTTP"), &op,
          "handshake: 127.0.0.1:1095 broke the protocol: it speaks HTTP", "handshake: server broke the protocol" },
        { FACTS(.status = XRO_IO, .phase = XRO_PHASE_CALL, .hop = -1, .system = ENOENT), &local_op,
          "call: open failed: No such file or directory", "call: No such file or directory" },
        { FACTS(.status = XRO_IO, .phase = XRO_PHASE_REQUEST, .hop = 1, .system = EPIPE), &op,
          "request: 127.0.0.1:1095: input/output error: Broken pipe", "request: Broken pipe" },
        { FACTS(.status = XRO_SHORT, .hop = -1, .detail = "the file is empty"), &local_op,
          "open: fewer bytes than asked for: the file is empty", "open: fewer bytes than asked for" },
        { FACTS(.status = XRO_MISSING, .hop = -1, .text = "libXrdCl.so.3"), NULL,
          "load: something it needs is not installed: libXrdCl.so.3", "load: something it needs is not installed" },
        { FACTS(.status = XRO_DIED, .hop = -1, .text = "killed by signal 9"), NULL,
          "process: the sample's process died: killed by signal 9", "process: the sample's process died" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[XRO_MESSAGE_SIZE], key[XRO_MESSAGE_SIZE];
        assert_string_equal(xro_error_format(&rows[i].error, rows[i].op, words, sizeof words), rows[i].words);
        assert_string_equal(xro_error_key(&rows[i].error, rows[i].op, key, sizeof key), rows[i].key);
    }
}

/* Every status in every phase on every hop, in every room: something readable, never past the room. */
static void nothing_passes_the_room(void **state)
{
    char words[XRO_MESSAGE_SIZE + 1];

    (void)state;
    for (int status = 0; status >= -18; status--)
        for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
            for (int32_t hop = -1; hop < 4; hop++) {
                struct xro_error error = { .status = (enum xro_status)status, .phase = (enum xro_phase)phase, .hop = hop,
                                           .system = EIO, .server = 3005 };
                memset(error.text, 'x', sizeof error.text - 1);
                for (size_t size = 1; size <= XRO_MESSAGE_SIZE; size += size < 200 ? 1 : 97) {
                    memset(words, 1, sizeof words);
                    xro_error_format(&error, hop == 3 ? NULL : &op, words, size);
                    assert_non_null(memchr(words, '\0', size));
                    assert_int_equal(words[size], 1);
                    assert_true(size < 20 || strchr(words, ':') != NULL);
                    xro_error_reason(&error, words, size);
                    assert_non_null(memchr(words, '\0', size));
                }
            }
}

/* The names of the server's codes are written down twice, since record/ must not know the protocol. */
static void code_names_are_the_protocols(void **state)
{
    (void)state;
    for (int code = -1; code < 6000; code++) {
        struct xro_error error = { .status = XRO_SERVER, .hop = -1, .server = code };
        const char *name = xro_kxr_error_name(code);
        char reason[XRO_REASON_SIZE], expected[XRO_REASON_SIZE];
        snprintf(expected, sizeof expected, "server error %d%s%s", code, name ? " " : "", name ? name : "");
        assert_string_equal(xro_error_reason(&error, reason, sizeof reason), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_these),
        cmocka_unit_test(nothing_passes_the_room),
        cmocka_unit_test(code_names_are_the_protocols),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

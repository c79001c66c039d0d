/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * resolve.c - a look-up ends at its deadline, also when the resolver hangs, and gives back everything in the end.
 * getaddrinfo() is a double here (linked with --wrap). */
#include "wire/resolve.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);

static atomic_int pause_ms;             /* how long the double takes */
static atomic_int looked_up, ended;     /* calls of it begun, and ended */
static bool no_threads;
static atomic_int last_socktype, last_family;   /* asked for */

static void sleep_ms(int ms)
{
    const struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

    nanosleep(&ts, NULL);
}

/* "many" has 40 addresses, "none" has none, "error" fails, "none-but-good" succeeds with nothing; all else is written out in
 * digits. */
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found)
{
    struct addrinfo numeric = { .ai_family = hints->ai_family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    int result = EAI_NONAME;

    looked_up++;
    last_socktype = hints->ai_socktype;
    last_family = hints->ai_family;
    if (pause_ms > 0)
        sleep_ms(pause_ms);
    if (strcmp(host, "error") == 0)
        result = EAI_AGAIN;
    else if (strcmp(host, "none-but-good") == 0)
        result = 0;
    else if (strcmp(host, "many") != 0)
        result = __real_getaddrinfo(host, port, &numeric, found);
    else
        for (unsigned i = 40; i > 0; i--) {             /* each put before the others */
            char address[32];
            struct addrinfo *rest = *found;
            snprintf(address, sizeof address, "10.0.0.%u", i);
            result = __real_getaddrinfo(address, port, &numeric, found);
            (*found)->ai_next = rest;
        }
    ended++;
    return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, arg);
}

/* Until all threads are through: then the address sanitizer can judge what they left. */
static int settle(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000 && ended < looked_up; i++)
        sleep_ms(5);
    sleep_ms(20);
    pause_ms = 0;
    no_threads = false;
    return 0;
}

static xro_ns in_ms(unsigned ms)
{
    return xro_clock_now() + ms * XRO_NS_PER_MS;
}

static int look_up(const char *host, int family, unsigned ms, struct xro_addresses *addresses)
{
    struct xro_resolver *resolver = xro_resolve_begin(host, 1094, family);
    int result;

    assert_non_null(resolver);
    result = xro_resolve_wait(resolver, in_ms(ms), addresses);
    xro_resolve_leave(resolver);
    return result;
}

static void answers(void **state)
{
    struct xro_addresses addresses;
    char text[XRO_ADDRESS_SIZE];

    (void)state;
    assert_int_equal(look_up("127.0.0.1", AF_UNSPEC, 10000, &addresses), 0);
    assert_int_equal(addresses.count, 1);
    assert_int_equal(addresses.left_out, 0);
    assert_string_equal(xro_address_format(&addresses.items[0], text, sizeof text), "127.0.0.1:1094");
    assert_int_equal(last_socktype, SOCK_STREAM);
    assert_int_equal(last_family, AF_UNSPEC);
    assert_int_equal(look_up("::1", AF_INET6, 10000, &addresses), 0);
    assert_string_equal(xro_address_format(&addresses.items[0], text, sizeof text), "[::1]:1094");
    assert_int_equal(last_family, AF_INET6);
    assert_int_equal(look_up("error", AF_UNSPEC, 10000, &addresses), EAI_AGAIN);
    assert_int_equal(look_up("none", AF_UNSPEC, 10000, &addresses), EAI_NONAME);
    assert_int_equal(look_up("none-but-good", AF_UNSPEC, 10000, &addresses), EAI_NONAME);
}

static void more_than_there_is_room_for(void **state)
{
    struct xro_addresses addresses;
    char text[XRO_ADDRESS_SIZE];

    (void)state;
    assert_int_equal(look_up("many", AF_UNSPEC, 10000, &addresses), 0);
    assert_int_equal(addresses.count, XRO_ADDRESSES_MAX);
    assert_int_equal(addresses.left_out, 40 - XRO_ADDRESSES_MAX);
    assert_string_equal(xro_address_format(&addresses.items[0], text, sizeof text), "10.0.0.1:1094");
    assert_string_equal(xro_address_format(&addresses.items[31], text, sizeof text), "10.0.0.32:1094");
}

/* The deadline holds, though the resolver hangs for far longer. */
static void hangs(void **state)
{
    struct xro_addresses addresses;

    (void)state;
    pause_ms = 600;
    for (unsigned ms = 0; ms <= 60; ms += 20) {
        xro_ns begin = xro_clock_now(), spent;
        assert_int_equal(look_up("127.0.0.1", AF_UNSPEC, ms, &addresses), XRO_RESOLVE_TIMEOUT);
        spent = xro_clock_now() - begin;
        assert_true(spent >= ms * XRO_NS_PER_MS);
        assert_true(spent < ms * XRO_NS_PER_MS + 200 * XRO_NS_PER_MS);
    }
}

/* A look-up that was late may be asked again, and has not been begun anew. */
static void late(void **state)
{
    struct xro_addresses addresses;
    struct xro_resolver *resolver;
    int before = looked_up;

    (void)state;
    pause_ms = 100;
    resolver = xro_resolve_begin("127.0.0.1", 1094, AF_UNSPEC);
    assert_non_null(resolver);
    assert_int_equal(xro_resolve_wait(resolver, 0, &addresses), XRO_RESOLVE_TIMEOUT);
    assert_int_equal(xro_resolve_wait(resolver, in_ms(5), &addresses), XRO_RESOLVE_TIMEOUT);
    assert_int_equal(xro_resolve_wait(resolver, XRO_NEVER, &addresses), 0);
    assert_int_equal(xro_resolve_wait(resolver, 0, &addresses), 0);     /* done is done, whatever the time */
    xro_resolve_leave(resolver);
    assert_int_equal(looked_up, before + 1);
}

/* Left before, while and after its thread ends: whoever is last gives the memory back. */
static void left_at_any_time(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        struct xro_resolver *resolver = xro_resolve_begin(i % 3 ? "127.0.0.1" : "error", 1094, AF_UNSPEC);
        struct xro_addresses addresses;
        const struct timespec little = { .tv_nsec = (long)(i % 50) * 3000 };
        assert_non_null(resolver);
        nanosleep(&little, NULL);
        if (i % 4 == 0)
            xro_resolve_wait(resolver, in_ms(1000), &addresses);
        xro_resolve_leave(resolver);
    }
    xro_resolve_leave(NULL);
}

static void no_thread_to_be_had(void **state)
{
    (void)state;
    no_threads = true;
    assert_null(xro_resolve_begin("127.0.0.1", 1094, AF_UNSPEC));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(answers, settle), cmocka_unit_test_teardown(more_than_there_is_room_for, settle),
        cmocka_unit_test_teardown(hangs, settle),   cmocka_unit_test_teardown(late, settle),
        cmocka_unit_test_teardown(left_at_any_time, settle), cmocka_unit_test_teardown(no_thread_to_be_had, settle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * address.c - addresses written in digits, printed, and put in turns of their families. */
#include "wire/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void literals(void **state)
{
    static const struct { const char *host; uint16_t port; int family; const char *text; } cases[] = {
        { "127.0.0.1", 1094, AF_INET, "127.0.0.1:1094" },
        { "255.255.255.255", 65535, AF_INET, "255.255.255.255:65535" },
        { "0.0.0.0", 1, AF_INET, "0.0.0.0:1" },
        { "::1", 1094, AF_INET6, "[::1]:1094" },
        { "::", 1094, AF_INET6, "[::]:1094" },
        { "2001:DB8::7", 2, AF_INET6, "[2001:db8::7]:2" },
        { "fe80::1%7", 2, AF_INET6, "[fe80::1%7]:2" },
        /* IPv4 as xrootd writes it in some answers */
        { "::127.0.0.1", 3, AF_INET, "127.0.0.1:3" },
        { "::ffff:1.2.3.4", 3, AF_INET, "1.2.3.4:3" },
        { "::FFFF:0102:0304", 3, AF_INET, "1.2.3.4:3" },
        { "::ffff:0.0.0.0", 3, AF_INET, "0.0.0.0:3" },
        { "::0.0.0.2", 3, AF_INET6, "[::2]:3" },
        { "::1:ffff:1.2.3.4", 3, AF_INET6, "[::1:ffff:102:304]:3" },
        { "1::ffff:1.2.3.4", 3, AF_INET6, "[1::ffff:102:304]:3" },
    };
    struct xro_address address;
    char text[XRO_ADDRESS_SIZE];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        memset(&address, 0xa5, sizeof address);
        assert_true(xro_address_from_literal(cases[i].host, cases[i].port, &address));
        assert_int_equal(address.as.any.sa_family, cases[i].family);
        assert_int_equal(address.length, cases[i].family == AF_INET ? sizeof address.as.v4 : sizeof address.as.v6);
        assert_string_equal(xro_address_format(&address, text, sizeof text), cases[i].text);
    }
}

static void no_literals(void **state)
{
    static const char *const hosts[] = {
        "", "localhost", "host.example.org", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "0x7f.0.0.1", "2130706433",
        "[::1]", "::1::2", "1:2:3:4:5:6:7", ":::", "%7", "fe80::1:%", "12345::",
        "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd",
    };
    struct xro_address address;

    (void)state;
    for (size_t i = 0; i < LENGTH(hosts); i++)
        if (xro_address_from_literal(hosts[i], 1, &address))
            fail_msg("'%s' is taken as an address", hosts[i]);
}

static void zones(void **state)
{
    struct xro_address address;
    char name[IF_NAMESIZE], host[64], text[XRO_ADDRESS_SIZE];

    (void)state;
    if (if_indextoname(1, name) == NULL)
        skip();
    snprintf(host, sizeof host, "fe80::1%%%s", name);
    assert_true(xro_address_from_literal(host, 1, &address));
    assert_int_equal(address.as.v6.sin6_scope_id, 1);
    assert_string_equal(xro_address_format(&address, text, sizeof text), "[fe80::1%1]:1");
}

static void formats_within_its_room(void **state)
{
    struct xro_address address;
    char text[XRO_ADDRESS_SIZE];

    (void)state;
    /* the longest that there is fits */
    assert_true(xro_address_from_literal("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295", 65535, &address));
    assert_string_equal(xro_address_format(&address, text, sizeof text),
                        "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295]:65535");
    memset(text, '#', sizeof text);
    xro_address_format(&address, text, 6);
    assert_string_equal(text, "[ffff");
    assert_int_equal(text[6], '#');
}

/* "46644" becomes addresses of those families, numbered in their last byte by place. */
static void make(struct xro_addresses *addresses, const char *families)
{
    addresses->count = 0;
    for (; *families != '\0'; families++) {
        char host[32];
        snprintf(host, sizeof host, *families == '4' ? "10.0.0.%zu" : "2001:db8::%zx", addresses->count + 1);
        assert_true(xro_address_from_literal(host, 1, &addresses->items[addresses->count++]));
    }
}

static void interleaved(void **state)
{
    static const struct { const char *families; bool prefer_v4; const char *order; } cases[] = {
        { "", false, "" },          { "", true, "" },           { "4", false, "1" },        { "6", true, "1" },
        { "46", false, "12" },      { "64", false, "12" },      { "64", true, "21" },       { "46", true, "12" },
        { "6666", false, "1234" },  { "6666", true, "1234" },   { "4444", false, "1234" },
        { "66644", false, "14253" }, { "66644", true, "41523" }, { "44666", false, "13245" }, { "464646", false, "123456" },
        { "6444", false, "1234" },  { "6644", true, "3142" },
    };
    struct xro_addresses addresses;

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        make(&addresses, cases[i].families);
        addresses.left_out = 3;
        xro_addresses_interleave(&addresses, cases[i].prefer_v4);
        assert_int_equal(addresses.count, strlen(cases[i].families));
        assert_int_equal(addresses.left_out, 3);
        for (size_t j = 0; j < addresses.count; j++) {
            const struct xro_address *address = &addresses.items[j];
            unsigned last = address->as.any.sa_family == AF_INET ? ntohl(address->as.v4.sin_addr.s_addr) & 255
                : address->as.v6.sin6_addr.s6_addr[15];
            assert_int_equal(last, cases[i].order[j] - '0');
        }
    }
}

static void a_full_house(void **state)
{
    static const char families[] = "66666666666666666666666666666664";
    struct xro_addresses addresses;

    (void)state;
    make(&addresses, families);
    assert_int_equal(addresses.count, XRO_ADDRESSES_MAX);
    xro_addresses_interleave(&addresses, false);
    assert_int_equal(addresses.count, XRO_ADDRESSES_MAX);
    assert_int_equal(addresses.items[1].as.any.sa_family, AF_INET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals), cmocka_unit_test(no_literals), cmocka_unit_test(zones),
        cmocka_unit_test(formats_within_its_room), cmocka_unit_test(interleaved), cmocka_unit_test(a_full_house),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * plan.c - a run takes each sample of each row once, the rows in random turns, repeatable from the seed. */
#include "measure/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { ROWS_MOST = 12 };

static const struct { size_t rows; uint64_t count, block; } cases[] = {
    { 1, 1, 1 },    { 1, 1000, 25 }, { 5, 10000, 25 }, { 5, 200, 10 },  { 3, 19, 1 },    { 3, 20, 1 },    { 3, 39, 1 },
    { 3, 40, 2 },   { 3, 499, 24 },  { 3, 500, 25 },   { 7, 1013, 25 }, { 12, 26, 1 },   { 2, 510, 25 },
};

/* All blocks of a plan: each row once per round, its samples in order, none left out, none twice. */
static void everything_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t next[ROWS_MOST] = { 0 };
        bool seen[ROWS_MOST] = { false };
        struct xro_plan plan;
        struct xro_block block;
        uint32_t round = 0;
        size_t in_round = 0;
        assert_true(xro_plan_create(&plan, cases[i].rows, cases[i].count, 20050715));
        while (xro_plan_next(&plan, &block)) {
            if (in_round == cases[i].rows) {
                memset(seen, 0, sizeof seen);
                in_round = 0;
                round++;
            }
            assert_int_equal(block.round, round);
            assert_true(block.row < cases[i].rows);
            assert_false(seen[block.row]);
            seen[block.row] = true;
            in_round++;
            assert_true(block.first == next[block.row]);
            next[block.row] += block.count;
            assert_true(block.count == cases[i].block || (next[block.row] == cases[i].count && block.count < cases[i].block
                                                          && block.count > 0));
        }
        for (size_t row = 0; row < cases[i].rows; row++)
            assert_true(next[row] == cases[i].count);
        assert_false(xro_plan_next(&plan, &block));     /* and it stays so */
        xro_plan_close(&plan);
    }
}

static void order_of(uint64_t seed, uint32_t *rows, size_t count)
{
    struct xro_plan plan;
    struct xro_block block;

    assert_true(xro_plan_create(&plan, 5, 50000, seed));
    for (size_t i = 0; i < count; i++) {
        assert_true(xro_plan_next(&plan, &block));
        rows[i] = block.row;
    }
    xro_plan_close(&plan);
}

static void the_seed_decides(void **state)
{
    uint32_t a[500], b[500], c[500];

    (void)state;
    order_of(1, a, LENGTH(a));
    order_of(1, b, LENGTH(b));
    order_of(2, c, LENGTH(c));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

/* Each row is at each place of a round about as often, and follows each other row. */
static void no_row_is_favoured(void **state)
{
    enum { ROUNDS = 2000, EXPECTED = ROUNDS / 5, SPREAD = 90 };     /* 5 standard deviations */
    static uint32_t rows[5 * ROUNDS];
    unsigned place[5][5] = { 0 }, follows[5][5] = { 0 };

    (void)state;
    order_of(7, rows, LENGTH(rows));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        place[rows[i]][i % 5]++;
        if (i % 5 > 0)
            follows[rows[i]][rows[i - 1]]++;
    }
    for (unsigned row = 0; row < 5; row++)
        for (unsigned other = 0; other < 5; other++) {
            assert_in_range(place[row][other], EXPECTED - SPREAD, EXPECTED + SPREAD);
            if (row != other)   /* in 4 of 5 places there is one before, each of 4 others */
                assert_in_range(follows[row][other], EXPECTED - SPREAD, EXPECTED + SPREAD);
        }
}

static void nothing_to_do(void **state)
{
    struct xro_plan plan;
    struct xro_block block;

    (void)state;
    assert_true(xro_plan_create(&plan, 0, 100, 1));
    assert_false(xro_plan_next(&plan, &block));
    xro_plan_close(&plan);
    assert_true(xro_plan_create(&plan, 3, 0, 1));
    assert_false(xro_plan_next(&plan, &block));
    xro_plan_close(&plan);
    xro_plan_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_once), cmocka_unit_test(the_seed_decides), cmocka_unit_test(no_row_is_favoured),
        cmocka_unit_test(nothing_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

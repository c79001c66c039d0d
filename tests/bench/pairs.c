/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * pairs.c - two commands that print the line of `xrdopen URL`, run in turns in random order, each time as a fresh process.
 *
 *     pairs COUNT SEED COMMAND... -- COMMAND...
 *
 * prints a line for each: the medians of its process (from before the spawn to after its end), first open, second open
 * and read, in us. */
#include "base/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "stats/series.h"
#include "stats/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FIGURES = 4, LINE = 256 };       /* the process, and the three that it prints */

struct side {
    char **command;
    struct xro_series series[FIGURES];
};

/* Start the command; what it prints comes from the descriptor *FROM. */
static bool start(char **command, pid_t *pid, int *from)
{
    posix_spawn_file_actions_t actions;
    int ends[2], failure;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    failure = posix_spawn(pid, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = ends[0];
    if (failure != 0)
        close(ends[0]);
    return failure == 0;
}

static bool keep(struct side *side, xro_ns spent, const char *line)
{
    double us[FIGURES - 1];

    if (sscanf(line, "%lf %lf %lf", &us[0], &us[1], &us[2]) != FIGURES - 1
        || xro_series_add(&side->series[0], spent) != XRO_OK)
        return false;
    for (int i = 1; i < FIGURES; i++)
        if (xro_series_add(&side->series[i], (uint64_t)(us[i - 1] * 1000 + 0.5)) != XRO_OK)
            return false;
    return true;
}

static bool take(struct side *side)
{
    char line[LINE] = "";
    size_t have = 0;
    ssize_t n;
    int from, status;
    pid_t pid;
    xro_ns begin = xro_clock_now();

    if (!start(side->command, &pid, &from))
        return false;
    while ((n = read(from, line + have, sizeof line - 1 - have)) > 0)
        have += (size_t)n;
    if (waitpid(pid, &status, 0) != pid || status != 0)
        have = 0;
    xro_ns spent = xro_clock_now() - begin;
    close(from);
    return have > 0 && keep(side, spent, line);
}

static void print(const struct side *side)
{
    for (int i = 0; i < FIGURES; i++) {
        struct xro_series sorted = { 0 };
        if (xro_series_sorted(&side->series[i], &sorted) == XRO_OK)
            printf("%s%.3f", i > 0 ? " " : "", xro_median(sorted.values, sorted.count) / 1e3);
        xro_series_free(&sorted);
    }
    putchar('\n');
}

/* In each round both, in random order. */
static bool measure(struct side sides[2], uint64_t count, uint64_t seed)
{
    struct xro_random random = { .state = seed };

    for (uint64_t i = 0; i < count; i++) {
        size_t first = xro_random_below(&random, 2);
        for (size_t j = 0; j < 2; j++)
            if (!take(&sides[first ^ j])) {
                fprintf(stderr, "pairs: %s: it failed, or printed no figures\n", sides[first ^ j].command[0]);
                return false;
            }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct side sides[2] = { { .command = NULL } };
    uint64_t count, seed;
    bool good;

    for (int i = 4; i < argc - 1; i++)
        if (strcmp(argv[i], "--") == 0) {
            sides[0].command = argv + 3;
            sides[1].command = argv + i + 1;
            argv[i] = NULL;
            break;
        }
    if (sides[0].command == NULL || xro_parse_count(argv[1], &count) != XRO_OK || xro_parse_count(argv[2], &seed) != XRO_OK) {
        fprintf(stderr, "usage: pairs COUNT SEED COMMAND... -- COMMAND...\n");
        return 2;
    }
    good = measure(sides, count, seed);
    for (size_t i = 0; i < 2; i++) {
        if (good)
            print(&sides[i]);
        for (size_t j = 0; j < FIGURES; j++)
            xro_series_free(&sides[i].series[j]);
    }
    return good ? 0 : 1;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * selftest.c - `xrdopen selftest`: does this machine's xrdopen measure right? The imposter, in a process of its own, delays one
 * phase after the other by a known time; each sample with the delay is followed by one without. What the phase reports beyond the
 * undelayed one has to be what was put in, and no other phase may have grown. */
#include "base/units.h"
#include "cli/common.h"
#include "imposter/child.h"
#include "record/error_text.h"
#include "record/timeline.h"
#include "stats/series.h"
#include "stats/summary.h"
#include "wire/driver.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

/* The contract: a median within 50 us of what was injected, and no more than that elsewhere. */
#define TOLERANCE_NS 50000.0

static uint64_t count = 200;

static const struct xro_option *selftest_options(void)
{
    static const struct xro_option table[] = {
        { "count", 'n', XRO_OPTION_COUNT, &count, "N", NULL, "samples of each phase (fewer where one takes long)", NULL },
        { .name = NULL },
    };
    return table;
}

/* --- what is injected ---------------------------------------------------------------------------------------------- */

#define DELAY "3ms"
enum { DELAY_NS = 3000000, FEWEST = 5 };
#define IDLE_MOST XRO_NS_PER_S          /* as long as the longest delay */

/* On each server the same files; D delays, P is its twin without, R and Q redirect to them, and so on. "late" is a name
 * whose look-up takes DELAY, "dead" one whose first address swallows SYNs. */
static const char script[] =
    "file /f size 64k\n"
    "server P\n"
    "server HANDSHAKE\n    on handshake: delay " DELAY "\n"
    "server PROTOCOL\n    on protocol: delay " DELAY "\n"
    "server LOGIN\n    on login: delay " DELAY "\n"
    "server OPEN\n    on open: delay " DELAY "\n"
    "server HALF\n    on open: answer first half, delay " DELAY ", rest\n"
    "server READ\n    on read: piece half, delay " DELAY ", answer\n"
    "server CLOSE\n    on close: delay " DELAY "\n"
    "server PAUSE\n    on open count 2 per connection: wait 0\n"
    "server WAIT\n    on open count 2 per connection: wait 1\n"
    "server DEFER\n    on open: waitresp 5, delay " DELAY ", attn answer\n"
    "server REDIRECT manager\n    on open: redirect LOGIN\n"
    "server PLAIN manager\n    on open: redirect P\n"
    "server DEAD\n    listen ::1 swallow\n    listen 127.0.0.1\n";

struct trial {
    const char *what;
    const char *server, *twin;  /* with the delay, and without */
    enum xro_slot slot;         /* the op that is looked at */
    enum xro_phase phase;       /* where the delay has to be */
    int hop;                    /* and on which hop of the op */
    xro_ns injected;
    bool slow_name, dead_address, pipeline;
    bool idle;                  /* the machine is idle meanwhile, and slow to wake up: the twin idles as long before the op */
    unsigned share;             /* one of so many samples is taken, 5 at least: it takes long; 0: all */
};

static const struct trial trials[] = {
    { .what = "name look-up", .server = "P", .twin = "P", .phase = XRO_PHASE_RESOLVE, .injected = DELAY_NS, .slow_name = true },
    { .what = "a dead address first (RFC 8305)", .server = "DEAD", .twin = "P", .phase = XRO_PHASE_CONNECT,
      .injected = 250 * XRO_NS_PER_MS, .dead_address = true, .share = 40, .idle = true },
    { .what = "answer to the handshake", .server = "HANDSHAKE", .twin = "P", .phase = XRO_PHASE_HANDSHAKE, .injected = DELAY_NS },
    { .what = "answer to kXR_protocol", .server = "PROTOCOL", .twin = "P", .phase = XRO_PHASE_HANDSHAKE, .injected = DELAY_NS },
    { .what = "answer to kXR_login", .server = "LOGIN", .twin = "P", .phase = XRO_PHASE_LOGIN, .injected = DELAY_NS },
    { .what = "the same in one flight", .server = "LOGIN", .twin = "P", .phase = XRO_PHASE_LOGIN, .injected = DELAY_NS,
      .pipeline = true },
    { .what = "answer to kXR_open", .server = "OPEN", .twin = "P", .phase = XRO_PHASE_REQUEST, .injected = DELAY_NS },
    { .what = "second half of that answer", .server = "HALF", .twin = "P", .phase = XRO_PHASE_TRANSFER, .injected = DELAY_NS },
    { .what = "kXR_wait 0 (a pause of 10 ms)", .server = "PAUSE", .twin = "P", .slot = XRO_SLOT_SECOND_OPEN, .phase = XRO_PHASE_WAIT,
      .injected = 10 * XRO_NS_PER_MS, .idle = true },
    { .what = "kXR_wait 1", .server = "WAIT", .twin = "P", .slot = XRO_SLOT_SECOND_OPEN,
      .phase = XRO_PHASE_WAIT, .injected = XRO_NS_PER_S, .share = 40, .idle = true },
    { .what = "deferred answer (kXR_waitresp)", .server = "DEFER", .twin = "P", .phase = XRO_PHASE_DEFER, .injected = DELAY_NS },
    { .what = "login at the second hop", .server = "REDIRECT", .twin = "PLAIN", .phase = XRO_PHASE_LOGIN, .hop = 1,
      .injected = DELAY_NS },
    { .what = "answer to kXR_read, second part", .server = "READ", .twin = "P", .slot = XRO_SLOT_READ, .phase = XRO_PHASE_TRANSFER,
      .injected = DELAY_NS },
    { .what = "answer to kXR_close", .server = "CLOSE", .twin = "P", .slot = XRO_SLOT_FIRST_CLOSE, .phase = XRO_PHASE_REQUEST,
      .injected = DELAY_NS },
};

enum { TRIALS = sizeof trials / sizeof *trials };

/* A look-up that takes DELAY_NS: sleep to a little before, then look at the clock only. */
static int look_up_late(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found)
{
    const struct addrinfo literal = { .ai_family = hints->ai_family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    xro_ns until = xro_clock_now() + DELAY_NS;

    (void)host;
    xro_clock_sleep_until(until - 300 * XRO_NS_PER_US);
    while (xro_clock_now() < until)
        ;
    return getaddrinfo("127.0.0.1", port, &literal, found);
}

static int look_up_soon(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found)
{
    const struct addrinfo literal = { .ai_family = hints->ai_family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };

    (void)host;
    return getaddrinfo("127.0.0.1", port, &literal, found);
}

/* --- one sample ----------------------------------------------------------------------------------------------------- */

/* Open, close, open, read, close at SERVER; the op of TRIAL's slot stays in SAMPLE. False after a message. */
static bool take(const struct xro_imposter_child *child, const struct trial *trial, bool twin, struct xro_sample *sample)
{
    const char *server = twin ? trial->twin : trial->server;
    bool named = trial->slow_name || (trial->dead_address && !twin);
    const struct xro_client_config client = {
        .clock = xro_clock_monotonic, .host = named ? "a.name" : "127.0.0.1", .port = xro_imposter_port(child, server),
        .user = "selftest", .path = "/f", .pid = 1, .pipeline = trial->pipeline, .timeout = 20 * XRO_NS_PER_S,
    };
    const struct xro_driver_config config = {
        .hosts = trial->dead_address ? "a.name=::1,127.0.0.1" : NULL, .look_up = twin ? look_up_soon : look_up_late,
    };
    struct xro_driver *driver = xro_driver_create(&client, &config);
    static uint8_t data[4096];
    char message[XRO_MESSAGE_SIZE];

    xro_sample_reset(sample);
    for (unsigned slot = 0; driver != NULL && slot < XRO_SLOT_COUNT; slot++) {
        struct xro_op *op = &sample->ops[slot];
        if (twin && trial->idle && (enum xro_slot)slot == trial->slot)
            xro_clock_sleep_until(xro_clock_now() + (trial->injected < IDLE_MOST ? trial->injected : IDLE_MOST));
        if (xro_driver_perform(driver, xro_slot_op((enum xro_slot)slot), data, 0, sizeof data, op) == XRO_OK) {
            sample->op_count++;
            continue;
        }
        xro_say("selftest", "%s: %s", trial->what, xro_error_format(&op->error, op, message, sizeof message));
        break;
    }
    xro_driver_close(driver);
    return sample->op_count == XRO_SLOT_COUNT;
}

/* --- figures -------------------------------------------------------------------------------------------------------- */

/* The times of each phase of one hop, and of all the rest together as a further one. */
struct figures {
    struct xro_series phases[XRO_PHASE_COUNT];
    struct xro_series elsewhere;        /* on other hops */
};

static bool book(struct figures *figures, const struct trial *trial, const struct xro_sample *sample)
{
    const struct xro_op *op = &sample->ops[trial->slot];
    xro_ns elsewhere = op->total;
    bool good = true;

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++) {
        xro_ns spent = op->hops[trial->hop].phase[phase];
        elsewhere -= spent;
        good = good && xro_series_add(&figures->phases[phase], spent) == XRO_OK;
    }
    return good && xro_series_add(&figures->elsewhere, elsewhere) == XRO_OK;
}

static void free_figures(struct figures *figures)
{
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        xro_series_free(&figures->phases[phase]);
    xro_series_free(&figures->elsewhere);
}

static double median(const struct xro_series *sorted)
{
    return xro_median(sorted->values, sorted->count);
}

/* From the 10th to the 90th percentile. */
static double spread(const struct xro_series *sorted)
{
    size_t tenth = sorted->count / 10;

    return (double)(sorted->values[sorted->count - 1 - tenth] - sorted->values[tenth]);
}

static bool sort(struct xro_series *series)
{
    uint64_t *scratch = (uint64_t *)malloc(series->count * sizeof *scratch);

    if (scratch != NULL)
        xro_sort(series->values, scratch, series->count);
    free(scratch);
    return scratch != NULL;
}

static bool sort_figures(struct figures *figures)
{
    bool good = sort(&figures->elsewhere);

    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
        good = good && sort(&figures->phases[phase]);
    return good;
}

/* How much the phase that grew most, of those that should not, has grown; its name. */
static double find_leak(const struct figures *with, const struct figures *without, enum xro_phase injected, const char **name)
{
    double worst = median(&with->elsewhere) - median(&without->elsewhere);

    *name = "other hops";
    for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++) {
        double grown = median(&with->phases[phase]) - median(&without->phases[phase]);
        if ((enum xro_phase)phase != injected && grown > worst) {
            worst = grown;
            *name = xro_phase_name((enum xro_phase)phase);
        }
    }
    return worst;
}

/* Print the trial's line; true when it holds. */
static bool judge(const struct trial *trial, const struct figures *with, const struct figures *without)
{
    const struct xro_series *series = &with->phases[trial->phase];
    double measured = median(series), plain = median(&without->phases[trial->phase]);
    double bias = measured - plain - (double)trial->injected, leaked;
    const char *where;
    bool holds;

    leaked = find_leak(with, without, trial->phase, &where);
    holds = bias < TOLERANCE_NS && bias > -TOLERANCE_NS && leaked < TOLERANCE_NS;
    printf("%-4s %-10s%-34s%6zu %12.1f %12.1f %10.1f %8.1f %9.1f %8.1f  %s\n", holds ? "ok" : "MISS", xro_phase_name(trial->phase),
           trial->what, series->count, (double)trial->injected / 1e3, measured / 1e3, plain / 1e3, bias / 1e3, spread(series) / 1e3,
           leaked / 1e3, where);
    fflush(stdout);
    return holds;
}

static int run_trial(const struct xro_imposter_child *child, const struct trial *trial, struct xro_sample *sample)
{
    struct figures with = { 0 }, without = { 0 };
    uint64_t samples = trial->share ? count / trial->share : count;
    bool good = true;
    int code = XRO_EXIT_FAILED;

    if (samples < FEWEST)
        samples = FEWEST;
    for (uint64_t i = 0; good && i < samples; i++)
        good = take(child, trial, false, sample) && book(&with, trial, sample) && take(child, trial, true, sample)
            && book(&without, trial, sample);
    if (good && sort_figures(&with) && sort_figures(&without))
        code = judge(trial, &with, &without) ? XRO_EXIT_GOOD : XRO_EXIT_BROKEN;
    free_figures(&with);
    free_figures(&without);
    return code;
}

static int run_trials(const struct xro_imposter_child *child)
{
    struct xro_sample *sample = xro_sample_create();
    int worst = XRO_EXIT_GOOD;

    if (sample == NULL)
        return XRO_EXIT_FAILED;
    puts("     phase     delayed                           samples     injected     measured  undelayed     bias    spread   leaked  into\n"
         "                                                                 us           us         us       us        us       us");
    for (size_t i = 0; i < TRIALS && worst != XRO_EXIT_FAILED; i++) {
        int code = run_trial(child, &trials[i], sample);
        if (code != XRO_EXIT_GOOD)
            worst = code;
    }
    xro_sample_close(sample);
    return worst;
}

static int selftest_main(int argc, char **argv)
{
    struct xro_imposter_child child;
    int operands, code = xro_options_parse(&xro_command_selftest, selftest_options(), argc, argv, &operands);

    if (code >= 0)
        return code;
    if (operands > 0) {
        xro_say("selftest", "it takes no target: it brings its own servers");
        return XRO_EXIT_USAGE;
    }
    if (xro_imposter_spawn(script, &child) != XRO_OK) {
        xro_say("selftest", "its servers cannot be had: %s", child.error.text);
        return XRO_EXIT_FAILED;
    }
    code = run_trials(&child);
    xro_imposter_stop(&child);
    puts("\nmeasured: median of the phase. bias: measured - undelayed - injected. spread: from the 10th to the 90th percentile.\n"
         "leaked: the most by which the median of any other phase, or of the other hops, has grown.");
    if (code != XRO_EXIT_FAILED)
        printf("selftest: %s: a median within 50 us of what was injected, and no more than that in any other phase\n",
               code == XRO_EXIT_GOOD ? "holds" : "DOES NOT HOLD");
    return xro_finish_output("selftest", code == XRO_EXIT_BROKEN ? XRO_EXIT_FAILED : code);
}

const struct xro_command xro_command_selftest = {
    .name = "selftest", .arguments = "",
    .summary = "Does this xrdopen measure right here? Injects known delays and shows what is reported.",
    .main = selftest_main, .options = selftest_options,
};

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/agent.h"

#include "base/talk.h"
#include "base/units.h"
#include "engine/hosts_view.h"
#include "measure/cpu.h"
#include "measure/sequence.h"
#include "measure/spawn.h"
#include "record/json.h"
#include "record/results.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_SIZE = 1 << 20 };

struct agent_row {
    uint32_t id;                /* the row's number in the run */
    struct xro_job job;
    char *words;                /* owns what job points to, */
    char *hint;                 /* and this does settings.preload */
};

struct agent {
    FILE *in;
    int out;
    struct agent_row *rows;
    size_t row_count;
    struct xro_buf line;        /* of the present sample */
    struct xro_sample *sample;  /* for --fresh connection */
};

/* Send agent->line with a newline behind it; false when nobody reads any more. */
static bool answer(struct agent *agent)
{
    size_t done = 0;

    if (xro_buf_append(&agent->line, "\n", 1) != XRO_OK)
        return false;
    while (done < agent->line.length) {
        ssize_t n = write(agent->out, agent->line.bytes + done, agent->line.length - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static enum xro_status set_line(struct agent *agent, const char *text)
{
    agent->line.length = 0;
    return text != NULL ? xro_buf_append(&agent->line, text, strlen(text)) : XRO_MEMORY;
}

static bool say(struct agent *agent, const char *text)
{
    return set_line(agent, text) == XRO_OK && answer(agent);
}

/* The versions of the libraries behind the engines; loads them, so it comes after the hosts view. */
static void add_versions(struct xro_header *header)
{
    const struct xro_engine *engine;

    xro_header_add_version(header, "xrdopen", XRO_VERSION);
    for (size_t i = 0; (engine = xro_engine_at(i)) != NULL; i++)
        if (engine->version() != NULL)
            xro_header_add_version(header, engine->name, engine->version());
}

static bool greet(struct agent *agent)
{
    struct xro_header *header = xro_header_create();
    char *line = NULL;
    bool good = false;

    if (header != NULL && xro_header_fill_host(header) == XRO_OK) {
        xro_header_add_setting(header, "hosts_view", xro_hosts_view_text(xro_hosts_view_enter()));
        add_versions(header);
        header->harness_ns = xro_sequence_harness_ns();
        line = xro_header_to_line(header);
        good = say(agent, line);
    }
    free(line);
    xro_header_close(header);
    return good;
}

/* A sample in this process, with connections of its own. */
static enum xro_status take_here(struct agent *agent, const struct xro_job *job, const struct xro_sample_place *place)
{
    enum xro_status status;
    char *line;

    if (agent->sample == NULL && (agent->sample = xro_sample_create()) == NULL)
        return XRO_MEMORY;
    xro_sample_reset(agent->sample);
    agent->sample->row = place->row;
    agent->sample->number = place->number;
    agent->sample->block = place->block;
    xro_sequence_run(job, agent->sample);
    line = xro_sample_to_line(agent->sample);
    status = set_line(agent, line);
    free(line);
    return status;
}

static bool take(struct agent *agent, char **words)
{
    uint64_t row, first, count, block;

    if (xro_parse_count(words[1], &row) != XRO_OK || row >= agent->row_count
        || xro_parse_count(words[2], &first) != XRO_OK || xro_parse_count(words[3], &count) != XRO_OK
        || xro_parse_count(words[4], &block) != XRO_OK)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const struct xro_job *job = &agent->rows[row].job;
        struct xro_sample_place place = { .row = agent->rows[row].id, .block = (uint32_t)block, .number = first + i };
        enum xro_status status = job->fresh == XRO_FRESH_PROCESS ? xro_spawn_sample(job, &place, fileno(agent->in), &agent->line)
                                                                 : take_here(agent, job, &place);
        if (status != XRO_OK || !answer(agent))
            return false;
    }
    return say(agent, XRO_AGENT_DONE);
}

static bool add_row(struct agent *agent, char *id_and_job)
{
    struct agent_row *rows = (struct agent_row *)realloc(agent->rows, (agent->row_count + 1) * sizeof *rows), *row;
    char *words[XRO_JOB_WORDS], *first[2];
    uint64_t id;

    if (rows == NULL)
        return false;
    agent->rows = rows;
    row = &rows[agent->row_count];
    if (xro_split_words(id_and_job, first, 2) != 2 || xro_parse_count(first[0], &id) != XRO_OK || id > UINT32_MAX)
        return false;
    *row = (struct agent_row){ .id = (uint32_t)id, .words = strdup(first[1]) };
    if (row->words == NULL)
        return false;
    agent->row_count++;
    return xro_split_words(row->words, words, XRO_JOB_WORDS) == XRO_JOB_WORDS
        && xro_job_from_words(words, &row->job) == NULL;
}

static bool take_hint(struct agent *agent, const char *number, const char *libraries)
{
    struct agent_row *row;
    uint64_t index;

    if (xro_parse_count(number, &index) != XRO_OK || index >= agent->row_count)
        return false;
    row = &agent->rows[index];
    free(row->hint);
    row->hint = strdup(libraries);
    row->job.settings.preload = row->hint;
    return row->hint != NULL;
}

static bool obey(struct agent *agent, char *line)
{
    char *words[5];
    size_t count;

    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "row ", 4) == 0)
        return add_row(agent, line + 4);
    count = xro_split_words(line, words, 5);
    if (count == 3 && strcmp(words[0], "hint") == 0)
        return take_hint(agent, words[1], words[2]);
    return count == 5 && strcmp(words[0], "take") == 0 && take(agent, words);
}

static void close_agent(struct agent *agent)
{
    for (size_t i = 0; i < agent->row_count; i++) {
        free(agent->rows[i].words);
        free(agent->rows[i].hint);
    }
    free(agent->rows);
    xro_buf_free(&agent->line);
    xro_sample_close(agent->sample);
    if (agent->in != NULL)
        fclose(agent->in);
}

int xro_agent_serve(int in, int out, const char *pin)
{
    struct agent agent = { .in = fdopen(in, "r"), .out = out, .line = xro_buf(LINE_MAX_SIZE) };
    const char *wanted = NULL;
    char *line = NULL;
    size_t size = 0;
    bool good;

    signal(SIGPIPE, SIG_IGN);
    if (pin != NULL && (wanted = xro_cpu_pin(pin)) != NULL)
        fprintf(xro_talk(), "xrdopen: agent: --pin: '%s' will not do: it has to be %s\n", pin, wanted);
    good = wanted == NULL && agent.in != NULL && greet(&agent);
    while (good && getline(&line, &size, agent.in) > 0)
        good = obey(&agent, line);
    free(line);
    close_agent(&agent);
    return good ? 0 : 1;
}

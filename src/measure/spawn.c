/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/spawn.h"

#include "base/own.h"
#include "record/json.h"
#include "wire/poll.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A process that is still there so long after its own limit is killed: a library's exit handlers hang. */
#define GRACE (3 * XRO_NS_PER_S)

/* Start the process; its standard output is the returned descriptor, -1 when it could not be made. */
static int start(const struct xro_job *job, const struct xro_sample_place *place, pid_t *pid)
{
    char words[XRO_JOB_LINE_SIZE], row[16], number[24], block[16], spawned[24];
    char *argv[XRO_SPAWN_WORDS + 3] = { (char *)"xrdopen", (char *)"sample" };
    posix_spawn_file_actions_t actions;
    int ends[2], failure;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    xro_split_words(xro_job_to_line(job, words, sizeof words), argv + 2, XRO_JOB_WORDS);
    snprintf(row, sizeof row, "%" PRIu32, place->row);
    snprintf(number, sizeof number, "%" PRIu64, place->number);
    snprintf(block, sizeof block, "%" PRIu32, place->block);
    argv[XRO_JOB_WORDS + 2] = row;
    argv[XRO_JOB_WORDS + 3] = number;
    argv[XRO_JOB_WORDS + 4] = block;
    argv[XRO_JOB_WORDS + 5] = spawned;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    snprintf(spawned, sizeof spawned, "%" PRIu64, xro_clock_now());
    failure = posix_spawn(pid, xro_own_path(), &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failure == 0)
        return ends[0];
    close(ends[0]);
    errno = failure;
    return -1;
}

/* Read until the process is done. XRO_TIMEOUT: UNTIL came first; XRO_CLOSED: IN was closed at its other end. */
static enum xro_status read_all(int fd, int in, xro_ns until, struct xro_buf *line)
{
    for (;;) {
        struct pollfd poll[] = { { .fd = fd, .events = POLLIN }, { .fd = in } };
        uint8_t bytes[8192];
        ssize_t n;
        int ready = xro_poll_until(poll, 2, until);

        if (ready <= 0 && (ready == 0 || errno != EINTR))
            return XRO_TIMEOUT;
        if (ready < 0)
            continue;
        if (poll[0].revents == 0)
            return XRO_CLOSED;
        n = read(fd, bytes, sizeof bytes);
        if (n == 0)
            return XRO_OK;
        if (n > 0 && xro_buf_append(line, bytes, (size_t)n) != XRO_OK)
            return XRO_OK;      /* longer than any record: the caller sees that it is none */
    }
}

/* A record that says how the process ended. */
static enum xro_status record_death(const struct xro_sample_place *place, bool hung, int wait_status, struct xro_buf *line)
{
    struct xro_sample *sample = xro_sample_create();
    enum xro_status status = XRO_MEMORY;
    char *text;

    if (sample == NULL)
        return XRO_MEMORY;
    sample->row = place->row;
    sample->number = place->number;
    sample->block = place->block;
    sample->wall = xro_clock_wall();
    sample->error.status = hung ? XRO_TIMEOUT : XRO_DIED;
    sample->error.limit = hung ? XRO_LIMIT_TOTAL : XRO_LIMIT_NONE;
    if (hung)
        snprintf(sample->error.text, sizeof sample->error.text, "it did not end and was killed");
    else if (WIFSIGNALED(wait_status))
        snprintf(sample->error.text, sizeof sample->error.text, "killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(sample->error.text, sizeof sample->error.text, "it ended with code %d and no record",
                 WEXITSTATUS(wait_status));
    text = xro_sample_to_line(sample);
    line->length = 0;
    if (text != NULL)
        status = xro_buf_append(line, text, strlen(text));
    free(text);
    xro_sample_close(sample);
    return status;
}

enum xro_status xro_spawn_sample(const struct xro_job *job, const struct xro_sample_place *place, int in, struct xro_buf *line)
{
    xro_ns until = xro_ns_add(xro_clock_now(), xro_ns_add(job->settings.timeout, GRACE));
    int fd, wait_status = 0;
    enum xro_status status;
    pid_t pid;

    line->length = 0;
    fd = start(job, place, &pid);
    if (fd < 0)
        return XRO_IO;
    status = read_all(fd, in, until, line);
    close(fd);
    if (status != XRO_OK)
        kill(pid, SIGKILL);
    while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
        ;
    if (status == XRO_CLOSED)
        return status;
    /* A record that is there whole counts, even when the library's exit handlers hung or crashed behind it. */
    if (line->length > 0 && line->bytes[line->length - 1] == '\n') {
        line->length--;
        return XRO_OK;
    }
    return record_death(place, status == XRO_TIMEOUT, wait_status, line);
}

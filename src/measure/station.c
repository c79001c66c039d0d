/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/station.h"

#include "base/buf.h"
#include "base/escape.h"
#include "measure/agent.h"
#include "base/own.h"
#include "wire/poll.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct xro_station {
    pid_t pid;
    int to, from;               /* pipes to the agent and from it */
    struct xro_header *header;
    struct xro_buf in;          /* what came; the line given out last lies in front */
    size_t given;               /* length of that, newline included */
};

/* --- starting ----------------------------------------------------------------------------------------------------- */

/* The child: becomes the agent. It has a process group of its own, so that a Ctrl-C of the terminal reaches the run alone,
 * which then ends it in good order. */
static _Noreturn void become_agent(const char *via, const char *pin, int in, int out)
{
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (via == NULL)
        _exit(xro_agent_serve(in, out, pin));
    if (in != STDIN_FILENO)
        dup2(in, STDIN_FILENO);
    if (out != STDOUT_FILENO)
        dup2(out, STDOUT_FILENO);
    char command[XRO_JOB_LINE_SIZE * 2];
    const char *path = getenv("XRDOPEN_VIA_PATH");
    snprintf(command, sizeof command, "exec %s %s agent%s%s", via, path ? path : xro_own_path(), pin ? " --pin " : "",
             pin ? pin : "");
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool start(struct xro_station *station, const char *via, const char *pin)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    fflush(NULL);               /* what is in stdio's buffers must not be printed twice */
    station->pid = fork();
    if (station->pid == 0) {
        close(to[1]);
        close(from[0]);
        become_agent(via, pin, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    station->to = to[1];
    station->from = from[0];
    return station->pid > 0;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool tell(struct xro_station *station, const char *text)
{
    size_t length = strlen(text);

    while (length > 0) {
        ssize_t n = write(station->to, text, length);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return true;
}

/* How the agent ended, when it did. */
static void explain_end(struct xro_station *station, char *why, size_t size)
{
    int status = 0;

    for (int i = 0; i < 50 && waitpid(station->pid, &status, WNOHANG) == 0; i++)
        xro_clock_sleep_until(xro_clock_now() + 10 * XRO_NS_PER_MS);
    if (waitpid(station->pid, &status, WNOHANG) < 0 && errno == ECHILD)
        station->pid = -1;
    if (WIFSIGNALED(status))
        snprintf(why, size, "it was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) == 127)
        snprintf(why, size, "it could not be run (exit code 127: not found)");
    else
        snprintf(why, size, "it ended too early, with exit code %d", WEXITSTATUS(status));
}

/* Read more; XRO_OK when something came. */
static enum xro_status read_more(struct xro_station *station, xro_ns until, const volatile sig_atomic_t *stop, char *why, size_t size)
{
    struct pollfd poll = { .fd = station->from, .events = POLLIN };
    ssize_t n;
    int ready;

    if (stop != NULL && *stop)
        return XRO_INTERRUPTED;
    ready = xro_poll_until(&poll, 1, until);
    if (ready == 0) {
        snprintf(why, size, "it says nothing any more");
        return XRO_TIMEOUT;
    }
    if (ready < 0)
        return XRO_OK;          /* a signal: the caller comes again */
    if (xro_buf_reserve(&station->in, 16384) != XRO_OK) {
        snprintf(why, size, "it sent a line that is too long");
        return XRO_INVALID;
    }
    n = read(station->from, station->in.bytes + station->in.length, 16384);
    if (n > 0)
        station->in.length += (size_t)n;
    if (n == 0) {
        explain_end(station, why, size);
        return XRO_DIED;
    }
    return XRO_OK;
}

/* The next whole line, without its newline. */
static enum xro_status next_line(struct xro_station *station, xro_ns until, const volatile sig_atomic_t *stop, const char **line,
                                 size_t *length, char *why, size_t size)
{
    const uint8_t *newline;

    if (station->given > 0) {
        memmove(station->in.bytes, station->in.bytes + station->given, station->in.length - station->given);
        station->in.length -= station->given;
        station->given = 0;
    }
    for (size_t seen = 0;;) {
        newline = station->in.length > seen ? memchr(station->in.bytes + seen, '\n', station->in.length - seen) : NULL;
        if (newline != NULL)
            break;
        seen = station->in.length;
        enum xro_status status = read_more(station, until, stop, why, size);
        if (status != XRO_OK)
            return status;
    }
    *line = (const char *)station->in.bytes;
    *length = (size_t)(newline - station->in.bytes);
    station->given = *length + 1;
    station->in.bytes[*length] = '\0';
    return XRO_OK;
}

/* --- the interface ------------------------------------------------------------------------------------------------ */

static void complain_of_rubbish(const char *line, size_t length, char *why, size_t size)
{
    char shown[64];

    snprintf(why, size, "it answers with something else: '%s'%s", xro_escape(line, length, shown, sizeof shown),
             length > sizeof shown ? "..." : "");
}

struct xro_station *xro_station_create(const char *via, const char *pin, xro_ns limit, const volatile sig_atomic_t *stop,
                                       char *why, size_t why_size)
{
    struct xro_station *station = (struct xro_station *)calloc(1, sizeof *station);
    const char *line;
    size_t length;

    if (station == NULL) {
        snprintf(why, why_size, "%s", xro_status_text(XRO_MEMORY));
        return NULL;
    }
    station->to = station->from = -1;
    station->in = xro_buf(2 << 20);
    if (!start(station, via, pin)) {
        snprintf(why, why_size, "it could not be started: %s", strerror(errno));
    } else if (next_line(station, xro_ns_add(xro_clock_now(), limit), stop, &line, &length, why, why_size) == XRO_OK) {
        if (xro_header_from_line(line, length, &station->header) == XRO_OK)
            return station;
        complain_of_rubbish(line, length, why, why_size);
    }
    xro_station_close(station);
    return NULL;
}

/* The agent and all it started, which are in its process group. Who does not go when asked is killed. */
static void end_agent(pid_t pid)
{
    int signals[] = { SIGTERM, SIGKILL };

    for (size_t i = 0; i < 2; i++) {
        kill(-pid, signals[i]);
        kill(pid, signals[i]);
        for (int tries = 0; tries < 100; tries++) {
            if (waitpid(pid, NULL, WNOHANG) != 0)
                return;
            xro_clock_sleep_until(xro_clock_now() + 10 * XRO_NS_PER_MS);
        }
    }
}

void xro_station_close(struct xro_station *station)
{
    if (station == NULL)
        return;
    if (station->to >= 0)
        close(station->to);
    if (station->from >= 0)
        close(station->from);
    if (station->pid > 0)
        end_agent(station->pid);
    xro_header_close(station->header);
    xro_buf_free(&station->in);
    free(station);
}

const struct xro_header *xro_station_header(const struct xro_station *station)
{
    return station->header;
}

enum xro_status xro_station_add_row(struct xro_station *station, uint32_t id, const struct xro_job *job)
{
    char words[XRO_JOB_LINE_SIZE], line[XRO_JOB_LINE_SIZE + 24];

    snprintf(line, sizeof line, "row %" PRIu32 " %s\n", id, xro_job_to_line(job, words, sizeof words));
    return tell(station, line) ? XRO_OK : XRO_DIED;
}

enum xro_status xro_station_hint(struct xro_station *station, uint32_t row, const char *libraries)
{
    char line[256];

    snprintf(line, sizeof line, "hint %" PRIu32 " %s\n", row, libraries);
    return tell(station, line) ? XRO_OK : XRO_DIED;
}

enum xro_status xro_station_take(struct xro_station *station, uint32_t row, uint64_t first, uint64_t count, uint32_t block)
{
    char line[128];

    snprintf(line, sizeof line, "take %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", row, first, count, block);
    return tell(station, line) ? XRO_OK : XRO_DIED;
}

enum xro_status xro_station_next(struct xro_station *station, xro_ns limit, const volatile sig_atomic_t *stop, const char **line,
                                 size_t *length, char *why, size_t why_size)
{
    enum xro_status status = next_line(station, xro_ns_add(xro_clock_now(), limit), stop, line, length, why, why_size);

    if (status != XRO_OK)
        return status;
    if (*length == strlen(XRO_AGENT_DONE) && memcmp(*line, XRO_AGENT_DONE, *length) == 0)
        return XRO_CLOSED;
    if (*length > 0 && **line == '{')
        return XRO_OK;
    complain_of_rubbish(*line, *length, why, why_size);
    return XRO_INVALID;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * child.c - the imposter is forked, not executed: it needs no file. It says where it listens through one pipe, and
 * watches another one, whose writing end only its parent holds: at its end the parent is gone. */
#include "imposter/child.h"

#include "imposter/imposter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_TEXT_MAX = 1 << 20 };

/* --- the child's side ------------------------------------------------------------------------------------------- */

/* What the parent has open is not ours: a connection of its own, kept here, would never be seen closed. */
static void close_others(int keep1, int keep2)
{
    DIR *all = opendir("/dev/fd");
    const struct dirent *entry;

    while (all != NULL && (entry = readdir(all)) != NULL) {
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO && fd != keep1 && fd != keep2 && fd != dirfd(all))
            close(fd);
    }
    if (all != NULL)
        closedir(all);
}

static void tell(int fd, const char *text)
{
    for (size_t at = 0, length = strlen(text); at < length;) {
        ssize_t n = write(fd, text + at, length - at);
        if (n < 0 && errno != EINTR)
            return;
        at += n > 0 ? (size_t)n : 0;
    }
}

static void tell_error(int fd, enum xro_status status, const struct xro_script_error *error)
{
    char text[320];

    snprintf(text, sizeof text, "!%d %u %u %s\n", (int)status, error->line, error->column, error->text);
    tell(fd, text);
}

static void tell_places(int fd, const struct xro_imposter *imposter)
{
    struct xro_place place;
    char text[160];

    for (size_t i = 0; xro_imposter_place(imposter, i, &place); i++) {
        snprintf(text, sizeof text, "%.63s %.47s %u\n", place.name, place.host, (unsigned)place.port);
        tell(fd, text);
    }
    tell(fd, ".\n");
}

static int be_imposter(const char *text, int places, int life)
{
    struct xro_imposter_options options = { .spin = true, .stop = { -1, life } };
    struct xro_script_error error;
    struct xro_script *script;
    struct xro_imposter *imposter;
    enum xro_status status;

    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    close_others(places, life);
    status = xro_imposter_parse(text, strlen(text), &script, &error);
    if (status == XRO_OK)
        status = xro_imposter_open(script, &options, &imposter, &error);
    if (status != XRO_OK) {
        tell_error(places, status, &error);
        return 1;
    }
    tell_places(places, imposter);
    close(places);
    xro_imposter_run(imposter);
    xro_imposter_close(imposter);
    xro_script_free(script);
    return 0;
}

/* --- the parent's side ------------------------------------------------------------------------------------------ */

static char *read_all(int fd)
{
    char *text = (char *)malloc(CHILD_TEXT_MAX);
    size_t used = 0;
    ssize_t n = 1;

    while (text != NULL && n != 0 && used < CHILD_TEXT_MAX - 1) {
        n = read(fd, text + used, CHILD_TEXT_MAX - 1 - used);
        if (n < 0 && errno != EINTR)
            break;
        used += n > 0 ? (size_t)n : 0;
    }
    if (text != NULL)
        text[used] = '\0';
    return text;
}

static enum xro_status fail(struct xro_imposter_child *child, enum xro_status status, const char *what)
{
    snprintf(child->error.text, sizeof child->error.text, "%s: %s", what, strerror(errno));
    return status;
}

static enum xro_status take_error(struct xro_imposter_child *child, const char *text)
{
    const char *words = text;
    int status = XRO_DIED;

    for (int blanks = 0; blanks < 3 && words != NULL; blanks++) {       /* "!STATUS LINE COLUMN WORDS" */
        words = strchr(words, ' ');
        words = words != NULL ? words + 1 : NULL;
    }
    if (words != NULL && sscanf(text, "!%d %u %u", &status, &child->error.line, &child->error.column) == 3)
        snprintf(child->error.text, sizeof child->error.text, "%.*s", (int)strcspn(words, "\n"), words);
    else
        snprintf(child->error.text, sizeof child->error.text, "the imposter's process died at its start");
    return (enum xro_status)status;
}

static enum xro_status take_places(struct xro_imposter_child *child, const char *text)
{
    size_t lines = 0;
    const char *line = text, *end;

    if (text[0] == '!')
        return take_error(child, text);
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    child->places = (struct xro_child_place *)calloc(lines + 1, sizeof *child->places);
    if (child->places == NULL)
        return fail(child, XRO_MEMORY, "places");
    for (; (end = strchr(line, '\n')) != NULL && line[0] != '.'; line = end + 1) {
        struct xro_child_place *place = &child->places[child->place_count];
        unsigned port;
        if (sscanf(line, "%63s %47s %u", place->name, place->host, &port) != 3)
            return take_error(child, line);
        place->port = (uint16_t)port;
        child->place_count++;
    }
    return line[0] == '.' ? XRO_OK : take_error(child, "");     /* cut short: it died */
}

static enum xro_status start(const char *script, struct xro_imposter_child *child, const int places[2],
                             const int life[2])
{
    char *text;
    enum xro_status status;

    fflush(NULL);               /* or the child would have what is buffered, too */
    child->pid = fork();
    if (child->pid < 0) {
        child->pid = 0;
        close(places[1]);
        return fail(child, XRO_MEMORY, "fork");
    }
    if (child->pid == 0) {
        close(life[1]);
        _exit(be_imposter(script, places[1], life[0]));
    }
    close(places[1]);
    text = read_all(places[0]);
    if (text == NULL)
        return fail(child, XRO_MEMORY, "places");
    status = take_places(child, text);
    free(text);
    return status;
}

enum xro_status xro_imposter_spawn(const char *script, struct xro_imposter_child *child)
{
    int places[2], life[2];
    enum xro_status status;

    *child = (struct xro_imposter_child){ .life = -1 };
    if (pipe2(places, O_CLOEXEC) != 0)
        return fail(child, XRO_IO, "pipe");
    if (pipe2(life, O_CLOEXEC) != 0) {
        close(places[0]);
        close(places[1]);
        return fail(child, XRO_IO, "pipe");
    }
    child->life = life[1];
    status = start(script, child, places, life);
    close(places[0]);
    close(life[0]);
    if (status != XRO_OK)
        xro_imposter_stop(child);
    return status;
}

static const struct xro_child_place *find(const struct xro_imposter_child *child, const char *name)
{
    for (size_t i = 0; i < child->place_count; i++)
        if (strcmp(child->places[i].name, name) == 0)
            return &child->places[i];
    return NULL;
}

bool xro_imposter_address(const struct xro_imposter_child *child, const char *name, const char **host, uint16_t *port)
{
    const struct xro_child_place *place = find(child, name);

    if (place == NULL)
        return false;
    *host = place->host;
    *port = place->port;
    return true;
}

uint16_t xro_imposter_port(const struct xro_imposter_child *child, const char *name)
{
    const struct xro_child_place *place = find(child, name);

    return place != NULL ? place->port : 0;
}

void xro_imposter_stop(struct xro_imposter_child *child)
{
    if (child->life >= 0)
        close(child->life);
    child->life = -1;
    if (child->pid > 0) {
        kill(child->pid, SIGTERM);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    child->pid = 0;
    free(child->places);
    child->places = NULL;
    child->place_count = 0;
}

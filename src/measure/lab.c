/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "measure/lab.h"

#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
extern const char xro_lab_script[];     /* the parts in lab/, made into C by cmake/embed.cmake */

enum { ARGUMENTS_MOST = 16, LINE_SIZE = 1024 };

/* The script runs us again for free ports, addresses and probes. */
static int set_own_path(void)
{
    const char *path = xro_own_path();

    if (path == NULL)
        return ENOENT;
    return setenv("XRDOPEN", path, 1) == 0 ? 0 : errno;
}

/* sh -c SCRIPT xrdopen-lab ARGUMENTS... The casts are for execv and posix_spawn, which change nothing. */
static int fill_command(char *command[ARGUMENTS_MOST + 5], int count, char *const *arguments)
{
    static const char shell[] = "sh", option[] = "-c", name[] = "xrdopen-lab";
    int used = 0;

    if (count > ARGUMENTS_MOST)
        return E2BIG;
    command[used++] = (char *)(uintptr_t)shell;
    command[used++] = (char *)(uintptr_t)option;
    command[used++] = (char *)(uintptr_t)xro_lab_script;
    command[used++] = (char *)(uintptr_t)name;
    for (int i = 0; i < count; i++)
        command[used++] = arguments[i];
    command[used] = NULL;
    return 0;
}

int xro_lab_exec(int count, char *const *arguments)
{
    char *command[ARGUMENTS_MOST + 5];
    int error = fill_command(command, count, arguments);

    if (error == 0)
        error = set_own_path();
    if (error != 0)
        return error;
    signal(SIGPIPE, SIG_DFL);           /* ours is ignored, and the shell could not change that */
    execv("/bin/sh", command);
    return errno;
}

/* A child must be open to the signals that end it, whatever this process does about them. */
static int spawn(char *const *command, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, ending;
    int error;

    sigemptyset(&none);
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigaddset(&ending, SIGPIPE);
    if ((error = posix_spawn_file_actions_init(&actions)) != 0)
        return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0)
        goto no_attributes;
    if ((error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)) == 0
        && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (error = posix_spawnattr_setsigdefault(&attributes, &ending)) == 0
        && (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)) == 0)
        error = posix_spawn(pid, "/bin/sh", &actions, &attributes, command, environ);
    posix_spawnattr_destroy(&attributes);
no_attributes:
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ? 130 : 1;
}

/* The next line of FILE without its end; a signal that was caught does not end the reading. */
static bool next_line(FILE *file, char line[LINE_SIZE])
{
    while (fgets(line, LINE_SIZE, file) == NULL) {
        if (!ferror(file) || errno != EINTR)
            return false;
        clearerr(file);
    }
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* Run the script with the words up to a NULL, and call TAKE for each line that it writes. */
static int run(char *const *words, void (*take)(void *arg, char *line), void *arg)
{
    char *command[ARGUMENTS_MOST + 5], line[LINE_SIZE];
    int count = 0, ends[2], error;
    FILE *file;
    pid_t pid;

    while (words[count] != NULL)
        count++;
    if (fill_command(command, count, words) != 0 || set_own_path() != 0)
        return 1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 1;
    error = spawn(command, ends[1], &pid);
    close(ends[1]);
    if (error != 0 || (file = fdopen(ends[0], "r")) == NULL) {
        close(ends[0]);
        return error != 0 ? 1 : wait_for(pid);
    }
    while (next_line(file, line))
        if (take != NULL)
            take(arg, line);
    fclose(file);
    return wait_for(pid);
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

/* "id TAB ID" or "NAME TAB URL". */
static void take_url(void *arg, char *line)
{
    struct xro_lab *lab = arg;
    char *tab = strchr(line, '\t');

    if (tab == NULL)
        return;
    *tab = '\0';
    if (strcmp(line, "id") == 0) {
        copy(lab->id, sizeof lab->id, tab + 1);
        return;
    }
    if (lab->count == XRO_LAB_URLS)
        return;
    copy(lab->urls[lab->count].name, sizeof lab->urls->name, line);
    copy(lab->urls[lab->count].url, sizeof lab->urls->url, tab + 1);
    lab->count++;
}

int xro_lab_start(const char *mode, struct xro_lab *lab)
{
    char up[] = "up", tabs[] = "--tabs", word[XRO_LAB_NAME_SIZE];

    *lab = (struct xro_lab){ 0 };
    copy(word, sizeof word, mode);
    return run((char *[]){ up, tabs, word, NULL }, take_url, lab);
}

struct wanted {
    const char *mode;
    char id[XRO_LAB_ID_SIZE];
};

/* A line of `list`: id, mode, state, ... */
static void take_lab(void *arg, char *line)
{
    struct wanted *wanted = arg;
    char id[XRO_LAB_ID_SIZE], mode[XRO_LAB_NAME_SIZE], state[XRO_LAB_NAME_SIZE];

    if (sscanf(line, "%15s %31s %31s", id, mode, state) == 3
        && strcmp(mode, wanted->mode) == 0 && strcmp(state, "up") == 0)
        copy(wanted->id, sizeof wanted->id, id);
}

int xro_lab_find(const char *mode, struct xro_lab *lab)
{
    char list[] = "list", urls[] = "urls";
    struct wanted wanted = { .mode = mode };

    *lab = (struct xro_lab){ 0 };
    int code = run((char *[]){ list, NULL }, take_lab, &wanted);
    if (code != 0)
        return code;
    if (wanted.id[0] == '\0')
        return 1;
    copy(lab->id, sizeof lab->id, wanted.id);
    return run((char *[]){ urls, wanted.id, NULL }, take_url, lab);
}

int xro_lab_stop(const char *id)
{
    char down[] = "down", word[XRO_LAB_ID_SIZE];

    copy(word, sizeof word, id);
    return run((char *[]){ down, word, NULL }, NULL, NULL);
}

/* NAME=VALUE; the values that a lab has are paths and small numbers, quoted by nothing. */
static void take_variable(void *arg, char *line)
{
    char *equals = strchr(line, '=');

    (void)arg;
    if (equals == NULL)
        return;
    *equals = '\0';
    setenv(line, equals + 1, 1);
}

int xro_lab_enter(const char *id)
{
    char env[] = "env", word[XRO_LAB_ID_SIZE];
    char *words[] = { env, word, NULL };

    copy(word, sizeof word, id);
    return run(words, take_variable, NULL);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/run.h"

#include "base/talk.h"
#include "base/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STATION_LIMIT (60 * XRO_NS_PER_S)       /* for ssh to ask its questions, and slow batch systems to begin */

/* --- stations ----------------------------------------------------------------------------------------------------- */

int xro_run_open_stations(struct xro_run *run)
{
    const struct xro_run_options *options = run->options;
    char why[512];

    run->vias[0] = NULL;
    for (size_t i = 0; i < options->via.count; i++)
        run->vias[i + 1] = options->via.items[i];
    run->station_count = options->via.count + 1;
    for (size_t i = 0; i < run->station_count; i++) {
        run->stations[i] = xro_station_create(run->vias[i], options->pin, STATION_LIMIT, &xro_run_stop, why, sizeof why);
        if (run->stations[i] != NULL)
            continue;
        if (xro_run_stop) {
            xro_say("run", "interrupted before the first sample");
            return XRO_EXIT_INTERRUPTED;
        }
        run->trouble = true;
        if (run->vias[i] == NULL) {
            xro_say("run", "the process that takes the samples cannot be had: %s", why);
            return XRO_EXIT_FAILED;
        }
        xro_say("run", "--via '%s': no samples from there: %s", run->vias[i], why);
    }
    return XRO_EXIT_GOOD;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const char *engine_title(const struct xro_engine *engine)
{
    static const struct { const char *name, *title; } titles[] = {
        { "xrdcl", "XrdCl" }, { "xrdposix", "XrdPosix" }, { "wire", "wire" }, { "null", "null" },
    };

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(titles[i].name, engine->name) == 0)
            return titles[i].title;
    return engine->name;
}

/* The label of 2005: "Linux client -> Linux xrootd (wire)", with the server's address where its system is not known. */
static char *make_label(const struct xro_run_row *row, const char *client, bool with_path)
{
    char text[XRO_PATH_SIZE + 128], server[XRO_HOST_SIZE + 16];
    const struct xro_url *url = &row->job.settings.url;

    if (url->scheme == XRO_SCHEME_FILE)
        snprintf(text, sizeof text, "%s local filesystem%s%s%s", client, with_path ? " (" : "", with_path ? url->path : "",
                 with_path ? ")" : "");
    else if (row->kind[0] != '\0')
        snprintf(text, sizeof text, "%s client -> %s %s (%s)", client, row->server, row->kind, engine_title(row->job.engine));
    else
        snprintf(text, sizeof text, "%s client -> %s (%s)", client,
                 xro_url_authority(url->host, url->port, server, sizeof server), engine_title(row->job.engine));
    return strdup(text);
}

/* What a row is made of, before its engine and its client are known. */
struct target {
    const char *text, *label;   /* label NULL: made from the rest */
    const char *kind, *server;
    bool with_path;             /* several local paths are measured: the label names which */
};

/* The user's label or one of ours; behind --via on this same machine (a name space, say) the command tells rows apart, where
 * otherwise the host does. */
static char *label_row(const struct xro_run *run, const struct xro_run_row *row, const struct target *target)
{
    const struct xro_header *here = xro_station_header(run->stations[0]),
                            *client = xro_station_header(run->stations[row->station]);
    char *label = target->label ? strdup(target->label) : make_label(row, client->sysname, target->with_path), *longer;
    size_t size;

    if (label == NULL || row->station == 0 || strcmp(here->host, client->host) != 0)
        return label;
    size = strlen(label) + strlen(run->vias[row->station]) + 16;
    longer = (char *)malloc(size);
    if (longer != NULL)
        snprintf(longer, size, "%s (via %s)", label, run->vias[row->station]);
    free(label);
    return longer;
}

static int add_row(struct xro_run *run, const struct target *target, const char *engine, size_t station)
{
    struct xro_run_row *rows = (struct xro_run_row *)realloc(run->rows, (run->row_count + 1) * sizeof *rows), *row;
    int code;

    if (rows == NULL)
        return XRO_EXIT_FAILED;
    run->rows = rows;
    row = &rows[run->row_count];
    *row = (struct xro_run_row){ .kind = target->kind, .server = target->server, .station = station };
    row->target = strdup(target->text);
    if (row->target == NULL)
        return XRO_EXIT_FAILED;
    run->row_count++;
    code = xro_job_make("run", &run->options->client, engine, row->target, &row->job);
    if (code != XRO_EXIT_GOOD)
        return code;
    row->job.fresh = (enum xro_fresh)run->options->fresh;
    if (row->job.settings.url.scheme == XRO_SCHEME_FILE)
        row->kind = "local";
    row->label = label_row(run, row, target);
    return row->label ? XRO_EXIT_GOOD : XRO_EXIT_FAILED;
}

/* Does the machine of STATION have the library behind ENGINE? */
static bool has_engine(const struct xro_station *station, const char *engine)
{
    const struct xro_header *header = xro_station_header(station);

    if (strcmp(engine, "xrdcl") != 0 && strcmp(engine, "xrdposix") != 0)
        return true;
    for (size_t i = 0; i < header->versions.count; i++)
        if (strcmp(header->versions.items[i].name, engine) == 0)
            return true;
    return false;
}

/* A row for the target on each machine, with one engine. */
static int add_rows(struct xro_run *run, const struct target *target, const char *engine)
{
    for (size_t i = 0; i < run->station_count; i++) {
        int code;
        if (run->stations[i] == NULL)
            continue;           /* it has been said that nothing comes from there */
        if (engine != NULL && !has_engine(run->stations[i], engine)) {
            xro_say("run", "%s%s%s: the engine %s is not there, and its rows are left out: it is built when "
                    "libxrootd-client-dev is installed", target->text, run->vias[i] ? ": --via " : "",
                    run->vias[i] ? run->vias[i] : "", engine);
            run->missing = true;
            continue;
        }
        code = add_row(run, target, engine, i);
        if (code != XRO_EXIT_GOOD)
            return code;
    }
    return XRO_EXIT_GOOD;
}

/* --engine takes several names: "wire,xrdcl". */
static int add_target(struct xro_run *run, const struct target *target)
{
    const char *engines = run->options->client.engine;
    struct xro_url url;
    char name[32];

    if (engines == NULL)
        return add_rows(run, target, NULL);
    if (xro_url_parse(target->text, &url) == NULL && url.scheme == XRO_SCHEME_FILE)
        return add_rows(run, target, strcmp(engines, xro_engine_null.name) == 0 ? engines : xro_engine_local.name);
    while (*engines != '\0') {
        size_t length = strcspn(engines, ",");
        int code;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), engines);
        code = add_rows(run, target, name);
        if (code != XRO_EXIT_GOOD)
            return code;
        engines += length + (engines[length] == ',');
    }
    return XRO_EXIT_GOOD;
}

/* --- targets ------------------------------------------------------------------------------------------------------ */

/* "LABEL=URL": what stands before the first '=' is a label when it looks like neither URL nor path. */
static int add_text(struct xro_run *run, char *text, const char *label, bool with_path)
{
    struct target target = { .text = text, .label = label, .kind = "", .server = "", .with_path = with_path };
    char *equals = strchr(text, '=');

    if (equals != NULL && equals != text && memchr(text, '/', (size_t)(equals - text)) == NULL) {
        *equals = '\0';
        target.label = text;
        target.text = equals + 1;
    }
    return add_target(run, &target);
}

static int add_file(struct xro_run *run, const char *path, bool with_path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    int code = XRO_EXIT_GOOD;

    if (file == NULL) {
        xro_say("run", "--targets %s: cannot read: %s", path, strerror(errno));
        return XRO_EXIT_USAGE;
    }
    while (code == XRO_EXIT_GOOD && getline(&line, &size, file) > 0) {
        char *text = line + strspn(line, " \t"), *end = text + strcspn(text, "\r\n");
        while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        *end = '\0';
        if (*text != '\0' && *text != '#')
            code = add_text(run, text, NULL, with_path);
    }
    if (code == XRO_EXIT_GOOD && ferror(file)) {
        xro_say("run", "--targets %s: cannot read: %s", path, strerror(errno));
        code = XRO_EXIT_USAGE;
    }
    free(line);
    fclose(file);
    return code;
}

static const char *lab_url(const struct xro_lab *lab, const char *name)
{
    for (size_t i = 0; i < lab->count; i++)
        if (strcmp(lab->urls[i].name, name) == 0)
            return lab->urls[i].url;
    return NULL;
}

int xro_run_open_lab(struct xro_run *run, bool needed)
{
    const char *mode = run->options->lab ? run->options->lab : "cluster";
    int code;

    if (!needed && run->options->lab == NULL)
        return XRO_EXIT_GOOD;
    if (xro_lab_find(mode, &run->lab) != 0) {
        fprintf(xro_talk(), "xrdopen: run: starting real servers on loopback (xrdopen lab up %s)\n", mode);
        code = xro_lab_start(mode, &run->lab);
        if (code != 0)
            return code;        /* the lab has said why */
        run->lab_started = true;
    }
    return xro_lab_enter(run->lab.id);
}

/* --engine names it, or names none; and it can do what --fresh asks: XrdCl keeps its connections for the process. */
static bool wants_engine(const struct xro_run *run, const char *engine)
{
    if (run->options->fresh == XRO_FRESH_CONNECTION && strcmp(engine, "xrdcl") == 0)
        return false;
    return run->options->client.engine == NULL || strstr(run->options->client.engine, engine) != NULL;
}

static const char *const lab_engines[] = { "xrdcl", "wire" };
enum { LAB_ENGINES = sizeof lab_engines / sizeof *lab_engines };

/* The five rows of the README: local file system, data server and redirector, each by both clients. */
static int add_cluster(struct xro_run *run)
{
    const char *sysname = xro_station_header(run->stations[0])->sysname;
    const char *data = lab_url(&run->lab, "data1"), *manager = lab_url(&run->lab, "manager");
    struct target local = { .text = xro_own_path(), .kind = "local", .server = "" };
    int code;

    if (data == NULL || manager == NULL) {
        xro_say("run", "the lab has no data server or no manager");
        return XRO_EXIT_FAILED;
    }
    code = add_rows(run, &local, "local");
    for (int server = 0; server < 2; server++)
        for (int i = 0; i < LAB_ENGINES && code == XRO_EXIT_GOOD; i++) {
            struct target target = { .text = server ? manager : data, .kind = server ? "cmsd" : "xrootd", .server = sysname };
            if (wants_engine(run, lab_engines[i]))
                code = add_rows(run, &target, lab_engines[i]);
        }
    return code;
}

/* The matrix: every server of the lab by both clients, each row named after its server. */
static int add_matrix(struct xro_run *run)
{
    int code = XRO_EXIT_GOOD;

    for (size_t server = 0; server < run->lab.count; server++)
        for (int i = 0; i < LAB_ENGINES && code == XRO_EXIT_GOOD; i++) {
            char label[XRO_LAB_NAME_SIZE + 16];
            struct target target = { .text = run->lab.urls[server].url, .label = label, .kind = "xrootd",
                                     .server = xro_station_header(run->stations[0])->sysname };
            snprintf(label, sizeof label, "%s (%s)", run->lab.urls[server].name,
                     engine_title(xro_engine_find(lab_engines[i])));
            if (wants_engine(run, lab_engines[i]))
                code = add_rows(run, &target, lab_engines[i]);
        }
    return code;
}

int xro_run_make_rows(struct xro_run *run, char **targets, int count)
{
    int code = XRO_EXIT_GOOD, local = 0;

    if (run->options->lab != NULL)
        return add_matrix(run);
    if (count == 0 && run->options->targets == NULL)
        return add_cluster(run);
    for (int i = 0; i < count; i++)
        local += strstr(targets[i], "://") == NULL;
    for (int i = 0; i < count && code == XRO_EXIT_GOOD; i++)
        code = add_text(run, targets[i], count == 1 ? run->options->label : NULL, local > 1);
    if (code == XRO_EXIT_GOOD && run->options->targets != NULL)
        code = add_file(run, run->options->targets, true);
    if (code == XRO_EXIT_GOOD && run->row_count == 0) {
        xro_say("run", "there is nothing to measure");
        return run->missing ? XRO_EXIT_MISSING : XRO_EXIT_USAGE;
    }
    return code;
}

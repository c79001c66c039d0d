/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * results.c - the header of a results file. */
#include "record/results.h"

#include "record/json_field.h"

#include <sys/utsname.h>
#include <unistd.h>

/* --- strings and pairs ------------------------------------------------------------------------------------------- */

enum xro_status xro_header_set(char **field, const char *text)
{
    char *copy = strdup(text != NULL ? text : "");

    if (copy == NULL)
        return XRO_MEMORY;
    free(*field);
    *field = copy;
    return XRO_OK;
}

static enum xro_status set_pair(struct xro_pairs *pairs, const char *name, const char *value)
{
    struct xro_pair *items, pair = { .name = NULL };

    for (size_t i = 0; i < pairs->count; i++)
        if (strcmp(pairs->items[i].name, name) == 0)
            return xro_header_set(&pairs->items[i].value, value);
    if (xro_header_set(&pair.name, name) != XRO_OK || xro_header_set(&pair.value, value) != XRO_OK)
        goto no_memory;
    items = (struct xro_pair *)realloc(pairs->items, (pairs->count + 1) * sizeof *items);
    if (items == NULL)
        goto no_memory;
    items[pairs->count++] = pair;
    pairs->items = items;
    return XRO_OK;
no_memory:
    free(pair.name);
    free(pair.value);
    return XRO_MEMORY;
}

static void free_pairs(struct xro_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        free(pairs->items[i].name);
        free(pairs->items[i].value);
    }
    free(pairs->items);
}

/* --- the header -------------------------------------------------------------------------------------------------- */

/* The strings of a row and of a header, with their keys: what makes, frees, writes and reads them goes over these. */
struct field {
    const char *key;
    size_t offset;
};

static const struct field row_fields[] = {
    { "label", offsetof(struct xro_row, label) },
    { "client", offsetof(struct xro_row, client) },
    { "client_host", offsetof(struct xro_row, client_host) },
    { "server", offsetof(struct xro_row, server) },
    { "engine", offsetof(struct xro_row, engine) },
    { "target", offsetof(struct xro_row, target) },
    { "kind", offsetof(struct xro_row, kind) },
    { "via", offsetof(struct xro_row, via) },
    { NULL, 0 },
};

static const struct field header_fields[] = {
    { "command", offsetof(struct xro_header, command) },
    { "host", offsetof(struct xro_header, host) },
    { "sysname", offsetof(struct xro_header, sysname) },
    { "kernel", offsetof(struct xro_header, kernel) },
    { "cpu_model", offsetof(struct xro_header, cpu_model) },
    { NULL, 0 },
};

static char **field_of(const void *object, const struct field *field)
{
    return (char **)((uintptr_t)object + field->offset);
}

static bool copy_fields(void *to, const void *from, const struct field *fields)
{
    bool good = true;

    for (; fields->key != NULL; fields++)
        good &= xro_header_set(field_of(to, fields), from != NULL ? *field_of(from, fields) : "") == XRO_OK;
    return good;
}

static void free_fields(void *object, const struct field *fields)
{
    for (; fields->key != NULL; fields++)
        free(*field_of(object, fields));
}

struct xro_header *xro_header_create(void)
{
    struct xro_header *header = (struct xro_header *)calloc(1, sizeof *header);

    if (header == NULL)
        return NULL;
    header->version = XRO_RESULTS_VERSION;
    header->load_average = -1;
    if (copy_fields(header, NULL, header_fields))
        return header;
    xro_header_close(header);
    return NULL;
}

void xro_header_close(struct xro_header *header)
{
    if (header == NULL)
        return;
    for (size_t i = 0; i < header->row_count; i++)
        free_fields(&header->rows[i], row_fields);
    free(header->rows);
    free_pairs(&header->versions);
    free_pairs(&header->settings);
    free_fields(header, header_fields);
    free(header);
}

enum xro_status xro_header_add_row(struct xro_header *header, const struct xro_row *row)
{
    struct xro_row *rows, copy = { .label = NULL };

    if (header->row_count == XRO_HEADER_ROWS_MAX)
        return XRO_INVALID;
    if (!copy_fields(&copy, row, row_fields))
        goto no_memory;
    rows = (struct xro_row *)realloc(header->rows, (header->row_count + 1) * sizeof *rows);
    if (rows == NULL)
        goto no_memory;
    rows[header->row_count++] = copy;
    header->rows = rows;
    return XRO_OK;
no_memory:
    free_fields(&copy, row_fields);
    return XRO_MEMORY;
}

enum xro_status xro_header_add_setting(struct xro_header *header, const char *name, const char *value)
{
    return set_pair(&header->settings, name, value);
}

enum xro_status xro_header_add_version(struct xro_header *header, const char *name, const char *value)
{
    return set_pair(&header->versions, name, value);
}

const char *xro_header_setting(const struct xro_header *header, const char *name)
{
    for (size_t i = 0; i < header->settings.count; i++)
        if (strcmp(header->settings.items[i].name, name) == 0)
            return header->settings.items[i].value;
    return NULL;
}

/* The value of the first "model name : ..." of /proc/cpuinfo, where there is such a file. */
static enum xro_status fill_cpu_model(struct xro_header *header)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    enum xro_status status = XRO_OK;

    if (file == NULL)
        return XRO_OK;
    while (fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value[strcspn(value, "\n")] = '\0';
        status = xro_header_set(&header->cpu_model, value + 1 + strspn(value + 1, " "));
        break;
    }
    fclose(file);
    return status;
}

enum xro_status xro_header_fill_host(struct xro_header *header)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct utsname names;

    if (uname(&names) == 0 && (xro_header_set(&header->host, names.nodename) != XRO_OK
        || xro_header_set(&header->sysname, names.sysname) != XRO_OK
        || xro_header_set(&header->kernel, names.release) != XRO_OK))
        return XRO_MEMORY;
    header->cpu_count = processors > 0 ? (uint32_t)processors : 0;
    if (getloadavg(&header->load_average, 1) != 1)
        header->load_average = -1;
    header->wall = xro_clock_wall();
    header->clock_step = xro_clock_step();
    header->clock_cost_ps = xro_clock_cost_ps();
    return fill_cpu_model(header);
}

/* --- the header's JSON ------------------------------------------------------------------------------------------- */

static void put_fields(struct xro_json_out *out, const void *object, const struct field *fields)
{
    for (; fields->key != NULL; fields++) {
        const char *text = *field_of(object, fields);
        xro_json_put(out, fields->key, xro_json_text(text != NULL ? text : ""));
    }
}

static bool get_fields(struct xro_json_in *in, void *object, const struct field *fields)
{
    bool good = true;

    for (; fields->key != NULL; fields++)
        good &= xro_header_set(field_of(object, fields), xro_json_get_text(in, fields->key)) == XRO_OK;
    return good;
}

/* Pairs are an array of [name, value], since names that are no UTF-8 would not make keys, and order is kept. */
static json_t *write_pairs(const struct xro_pairs *pairs)
{
    json_t *array = json_array();

    for (size_t i = 0; i < pairs->count; i++) {
        json_t *pair = json_array();
        bool whole = json_array_append_new(pair, xro_json_text(pairs->items[i].name)) == 0
            && json_array_append_new(pair, xro_json_text(pairs->items[i].value)) == 0;
        if (json_array_append_new(array, pair) == 0 && whole)
            continue;
        json_decref(array);
        return NULL;
    }
    return array;
}

static void read_pairs(struct xro_json_in *in, const char *key, struct xro_pairs *pairs)
{
    const json_t *array = xro_json_get_array(in, key);

    for (size_t i = 0; i < json_array_size(array) && !in->bad; i++) {
        const json_t *pair = json_array_get(array, i);
        const char *name = json_string_value(json_array_get(pair, 0));
        const char *value = json_string_value(json_array_get(pair, 1));
        in->bad = name == NULL || value == NULL || i >= XRO_HEADER_ROWS_MAX || set_pair(pairs, name, value) != XRO_OK;
    }
}

static json_t *write_rows(const struct xro_header *header)
{
    json_t *array = json_array();

    for (size_t i = 0; i < header->row_count; i++) {
        struct xro_json_out row = xro_json_begin();
        put_fields(&row, &header->rows[i], row_fields);
        if (json_array_append_new(array, xro_json_end(&row)) == 0)
            continue;
        json_decref(array);
        return NULL;
    }
    return array;
}

static void read_rows(struct xro_json_in *in, struct xro_header *header)
{
    const json_t *array = xro_json_get_array(in, "rows");

    for (size_t i = 0; i < json_array_size(array) && !in->bad; i++) {
        struct xro_json_in one = { .object = json_array_get(array, i) };
        struct xro_row row = { .label = NULL };
        in->bad = !json_is_object(one.object) || !get_fields(&one, &row, row_fields) || one.bad
            || xro_header_add_row(header, &row) != XRO_OK;
        free_fields(&row, row_fields);
    }
}

static json_t *write_header(const struct xro_header *header)
{
    struct xro_json_out out = xro_json_begin();

    xro_json_put(&out, "type", json_string("header"));
    xro_json_put(&out, "schema", json_string(XRO_RESULTS_SCHEMA));
    xro_json_put(&out, "version", json_integer(header->version));
    put_fields(&out, header, header_fields);
    xro_json_put(&out, "cpu_count", json_integer(header->cpu_count));
    if (header->load_average >= 0)
        xro_json_put(&out, "load_average", json_real(header->load_average));
    xro_json_put(&out, "wall_ns", xro_json_u64(header->wall));
    xro_json_put(&out, "clock_step_ns", xro_json_u64(header->clock_step));
    xro_json_put(&out, "clock_cost_ps", xro_json_u64(header->clock_cost_ps));
    xro_json_put(&out, "harness_ns", json_real(header->harness_ns));
    xro_json_put(&out, "seed", xro_json_u64(header->seed));
    xro_json_put(&out, "planned", xro_json_u64(header->planned));
    xro_json_put(&out, "versions", write_pairs(&header->versions));
    xro_json_put(&out, "settings", write_pairs(&header->settings));
    xro_json_put(&out, "rows", write_rows(header));
    return xro_json_end(&out);
}

static double get_number(struct xro_json_in *in, const char *key, double usual)
{
    const json_t *value = json_object_get(in->object, key);

    if (value == NULL)
        return usual;
    if (!json_is_number(value))
        in->bad = true;
    return json_number_value(value);
}

static void read_header(struct xro_json_in *in, struct xro_header *header)
{
    if (!get_fields(in, header, header_fields))
        in->bad = true;
    header->cpu_count = (uint32_t)xro_json_get_u64(in, "cpu_count", 0, UINT32_MAX);
    header->load_average = get_number(in, "load_average", -1);
    header->wall = xro_json_get_u64(in, "wall_ns", 0, UINT64_MAX);
    header->clock_step = xro_json_get_u64(in, "clock_step_ns", 0, UINT64_MAX);
    header->clock_cost_ps = xro_json_get_u64(in, "clock_cost_ps", 0, UINT64_MAX);
    header->harness_ns = get_number(in, "harness_ns", 0);
    header->seed = xro_json_get_u64(in, "seed", 0, UINT64_MAX);
    header->planned = xro_json_get_u64(in, "planned", 0, UINT64_MAX);
    read_pairs(in, "versions", &header->versions);
    read_pairs(in, "settings", &header->settings);
    read_rows(in, header);
}

char *xro_header_to_line(const struct xro_header *header)
{
    json_t *object = write_header(header);
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;

    json_decref(object);
    return line;
}

/* Whether OBJECT is a header of ours, and of a version that we know. */
static enum xro_status check_schema(struct xro_json_in *in)
{
    uint64_t version;

    if (!json_is_object(in->object) || strcmp(xro_json_get_text(in, "type"), "header") != 0
        || strcmp(xro_json_get_text(in, "schema"), XRO_RESULTS_SCHEMA) != 0)
        return XRO_INVALID;
    version = xro_json_get_u64(in, "version", 0, UINT64_MAX);
    if (in->bad || version == 0)
        return XRO_INVALID;
    return version <= XRO_RESULTS_VERSION ? XRO_OK : XRO_UNSUPPORTED;
}

enum xro_status xro_header_from_line(const char *line, size_t length, struct xro_header **header)
{
    json_t *object = json_loadb(line, length, 0, NULL);
    struct xro_json_in in = { .object = object };
    enum xro_status status = check_schema(&in);

    *header = NULL;
    if (status == XRO_OK) {
        *header = xro_header_create();
        if (*header != NULL)
            read_header(&in, *header);
        status = *header == NULL ? XRO_MEMORY : in.bad ? XRO_INVALID : XRO_OK;
    }
    if (status != XRO_OK) {
        xro_header_close(*header);
        *header = NULL;
    }
    json_decref(object);
    return status;
}

struct xro_header *xro_header_copy(const struct xro_header *header)
{
    char *line = xro_header_to_line(header);
    struct xro_header *copy = NULL;

    if (line != NULL)
        xro_header_from_line(line, strlen(line), &copy);
    free(line);
    return copy;
}

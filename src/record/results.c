/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * results.c - the header of a results file, and its lines out and in. */
#include "record/results.h"

#include "record/json.h"
#include "record/json_field.h"
#include "record/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
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
    { "label", offsetof(struct xro_row, label) },   { "client", offsetof(struct xro_row, client) },
    { "client_host", offsetof(struct xro_row, client_host) }, { "server", offsetof(struct xro_row, server) },
    { "engine", offsetof(struct xro_row, engine) }, { "target", offsetof(struct xro_row, target) },
    { "kind", offsetof(struct xro_row, kind) },     { "via", offsetof(struct xro_row, via) },
    { NULL, 0 },
};

static const struct field header_fields[] = {
    { "command", offsetof(struct xro_header, command) }, { "host", offsetof(struct xro_header, host) },
    { "sysname", offsetof(struct xro_header, sysname) }, { "kernel", offsetof(struct xro_header, kernel) },
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
        const char *name = json_string_value(json_array_get(pair, 0)), *value = json_string_value(json_array_get(pair, 1));
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

/* --- writing ----------------------------------------------------------------------------------------------------- */

struct xro_writer {
    int fd;
    off_t whole;                /* bytes up to the end of the last whole line */
    uint64_t line_count;        /* lines written whole */
    int failure;                /* errno of the line that failed, 0: none did */
    bool told;
    char *path;
    char *line;                 /* a line and its newline, so that one write takes both */
    size_t room;
};

__attribute__((format(printf, 3, 4)))
static void tell(char *why, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
}

enum xro_status xro_writer_open(const char *path, struct xro_writer **writer, char *why, size_t why_size)
{
    struct xro_writer *made = (struct xro_writer *)calloc(1, sizeof *made);
    char *copy = strdup(path);

    *writer = NULL;
    if (made == NULL || copy == NULL) {
        tell(why, why_size, "%s: cannot write: out of memory", path);
        goto fail;
    }
    made->path = copy;
    made->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (made->fd < 0) {
        tell(why, why_size, "%s: cannot write: %s", path, strerror(errno));
        goto fail;
    }
    *writer = made;
    return XRO_OK;
fail:
    free(copy);
    free(made);
    return XRO_IO;
}

/* 0, or the errno of the first write that failed. */
static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

/* LINE and a newline in the writer's own room. */
static bool frame(struct xro_writer *writer, const char *line, size_t length)
{
    if (length + 1 > writer->room) {
        char *room = (char *)realloc(writer->line, length + 1);
        if (room == NULL)
            return false;
        writer->line = room;
        writer->room = length + 1;
    }
    memcpy(writer->line, line, length);
    writer->line[length] = '\n';
    return true;
}

enum xro_status xro_writer_line(struct xro_writer *writer, const char *line)
{
    size_t length = strlen(line);

    if (writer->failure != 0)
        return XRO_IO;
    writer->failure = frame(writer, line, length) ? write_all(writer->fd, writer->line, length + 1) : ENOMEM;
    if (writer->failure != 0) {
        /* Half a line would read as a file cut off; where it cannot be taken back (a pipe), that is what it is. */
        if (ftruncate(writer->fd, writer->whole) == 0)
            lseek(writer->fd, writer->whole, SEEK_SET);
        return XRO_IO;
    }
    writer->whole += (off_t)length + 1;
    writer->line_count++;
    return XRO_OK;
}

enum xro_status xro_writer_header(struct xro_writer *writer, const struct xro_header *header)
{
    char *line = xro_header_to_line(header);
    enum xro_status status = line != NULL ? xro_writer_line(writer, line) : XRO_MEMORY;

    free(line);
    return status;
}

enum xro_status xro_writer_end(struct xro_writer *writer, const char *reason, const struct xro_counts *counts)
{
    struct xro_json_out out = xro_json_begin();
    json_t *object;
    char *line;
    enum xro_status status;

    xro_json_put(&out, "type", json_string("end"));
    xro_json_put(&out, "reason", xro_json_text(reason));
    xro_json_put(&out, "planned", xro_json_u64(counts->planned));
    xro_json_put(&out, "taken", xro_json_u64(counts->taken));
    xro_json_put(&out, "failed", xro_json_u64(counts->failed));
    xro_json_put(&out, "wall_ns", xro_json_u64(xro_clock_wall()));
    object = xro_json_end(&out);
    line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    status = line != NULL ? xro_writer_line(writer, line) : XRO_MEMORY;
    free(line);
    json_decref(object);
    return status;
}

bool xro_writer_complaint(struct xro_writer *writer, char *why, size_t why_size)
{
    if (writer->failure == 0 || writer->told)
        return false;
    writer->told = true;
    tell(why, why_size, "%s: line %" PRIu64 ": cannot write: %s; the %" PRIu64 " lines before it are kept",
            writer->path, writer->line_count + 1, strerror(writer->failure), writer->line_count);
    return true;
}

enum xro_status xro_writer_close(struct xro_writer *writer)
{
    enum xro_status status;

    if (writer == NULL)
        return XRO_OK;
    status = close(writer->fd) == 0 && writer->failure == 0 ? XRO_OK : XRO_IO;  /* NFS tells of a full disk here */
    free(writer->path);
    free(writer->line);
    free(writer);
    return status;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

struct xro_reader {
    int fd;
    struct xro_header *header;
    struct xro_reader_facts facts;
    size_t begin, end;          /* the bytes in `room` not yet taken */
    bool at_end;                /* of the file */
    char room[XRO_RESULTS_LINE_MAX + 1];
};

/* Read more bytes behind those in hand, moving them to the front first. 1: some came, 0: end of the file, -1: errno. */
static int fill(struct xro_reader *reader)
{
    ssize_t n;

    memmove(reader->room, reader->room + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    do
        n = read(reader->fd, reader->room + reader->end, sizeof reader->room - reader->end);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        reader->end += (size_t)n;
    reader->at_end |= n == 0;
    return n < 0 ? -1 : n > 0;
}

struct line {
    const char *bytes;
    size_t length;
    bool whole;                 /* it had its newline */
    bool too_long;              /* and only its end is here */
};

/* The next line. 1: there is one, 0: none left, -1: errno. */
static int next_line(struct xro_reader *reader, struct line *line)
{
    size_t searched = 0;

    *line = (struct line){ .bytes = NULL };
    for (;;) {
        char *begin = reader->room + reader->begin;
        size_t left = reader->end - reader->begin;
        char *newline = (char *)memchr(begin + searched, '\n', left - searched);

        if (newline != NULL || (reader->at_end && left > 0)) {
            line->bytes = begin;
            line->length = newline != NULL ? (size_t)(newline - begin) : left;
            line->whole = newline != NULL;
            reader->begin += line->length + line->whole;
            reader->facts.line_count++;
            return 1;
        }
        if (reader->at_end)
            return 0;
        searched = left;
        if (left == sizeof reader->room) {
            line->too_long = true;
            searched = reader->begin = reader->end = 0;
        }
        if (fill(reader) < 0)
            return -1;
    }
}

static bool is_balanced(const struct xro_sample *sample)
{
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++)
        if (sample->ops[slot].done && xro_op_sum(&sample->ops[slot]) != sample->ops[slot].total)
            return false;
    return true;
}

static void count_bad(struct xro_reader *reader, const struct line *line)
{
    if (!line->whole) {
        reader->facts.cut = true;
        return;
    }
    if (reader->facts.bad_count++ == 0)
        reader->facts.first_bad_line = reader->facts.line_count;
}

static void take_end(struct xro_reader *reader, struct xro_json_in *in)
{
    struct xro_reader_facts *facts = &reader->facts;
    const char *reason = xro_json_get_text(in, "reason");

    facts->ended = true;
    xro_escape(reason, strlen(reason), facts->reason, sizeof facts->reason);
    facts->counts.planned = xro_json_get_u64(in, "planned", 0, UINT64_MAX);
    facts->counts.taken = xro_json_get_u64(in, "taken", 0, UINT64_MAX);
    facts->counts.failed = xro_json_get_u64(in, "failed", 0, UINT64_MAX);
}

/* A JSON object that is no sample. XRO_INVALID when it is a header: what follows belongs to other rows. */
static enum xro_status take_other(struct xro_reader *reader, const struct line *line)
{
    json_t *object = json_loadb(line->bytes, line->length, 0, NULL);
    struct xro_json_in in = { .object = object };
    const char *type = xro_json_get_text(&in, "type");
    enum xro_status status = XRO_OK;

    if (strcmp(type, "end") == 0)
        take_end(reader, &in);
    else if (strcmp(type, "header") == 0)
        status = XRO_INVALID;
    else
        reader->facts.unknown_count++;
    json_decref(object);
    return status;
}

/* True when the line held a sample of the header's rows. */
static bool take_sample(struct xro_reader *reader, const struct xro_sample *sample)
{
    if (sample->row >= reader->header->row_count)
        return false;
    reader->facts.sample_count++;
    if (!is_balanced(sample) && reader->facts.unbalanced_count++ == 0)
        reader->facts.first_unbalanced_line = reader->facts.line_count;
    return true;
}

enum xro_status xro_reader_next(struct xro_reader *reader, struct xro_sample *sample)
{
    struct line line;
    int got;

    while ((got = next_line(reader, &line)) > 0) {
        enum xro_status status = line.too_long ? XRO_INVALID : xro_sample_from_line(line.bytes, line.length, sample);

        if (status == XRO_OK && take_sample(reader, sample))
            return XRO_OK;
        if (status == XRO_UNSUPPORTED && take_other(reader, &line) != XRO_OK)
            return XRO_INVALID;
        if (status != XRO_UNSUPPORTED)
            count_bad(reader, &line);
    }
    return got < 0 ? XRO_IO : XRO_CLOSED;
}

static enum xro_status open_file(const char *path, struct xro_reader *reader, char *why, size_t why_size)
{
    struct stat st;

    reader->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (reader->fd < 0) {
        tell(why, why_size, "%s: cannot read: %s", path, strerror(errno));
        return XRO_IO;
    }
    if (fstat(reader->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        tell(why, why_size, "%s: cannot read: %s", path, strerror(EISDIR));
        return XRO_IO;
    }
    return XRO_OK;
}

static enum xro_status read_first_line(const char *path, struct xro_reader *reader, char *why, size_t why_size)
{
    struct line line;
    int got = next_line(reader, &line);
    enum xro_status status = got < 0 ? XRO_IO : XRO_INVALID;

    if (got < 0) {
        tell(why, why_size, "%s: cannot read: %s", path, strerror(errno));
        return status;
    }
    if (got > 0 && !line.too_long)
        status = xro_header_from_line(line.bytes, line.length, &reader->header);
    if (status == XRO_UNSUPPORTED)
        tell(why, why_size, "%s: not understood: its version is higher than %d, the one known here; a newer xrdopen "
                "reads it", path, XRO_RESULTS_VERSION);
    else if (status == XRO_MEMORY)
        tell(why, why_size, "%s: cannot read: out of memory", path);
    else if (status != XRO_OK)
        tell(why, why_size, got == 0 ? "%s: not a results file: it is empty"
                : "%s: not a results file: its first line is no header", path);
    return status;
}

enum xro_status xro_reader_open(const char *path, struct xro_reader **reader, char *why, size_t why_size)
{
    struct xro_reader *made = (struct xro_reader *)malloc(sizeof *made);
    enum xro_status status;

    *reader = NULL;
    if (made == NULL) {
        tell(why, why_size, "%s: cannot read: out of memory", path);
        return XRO_MEMORY;
    }
    memset(made, 0, offsetof(struct xro_reader, room));
    status = open_file(path, made, why, why_size);
    if (status == XRO_OK)
        status = read_first_line(path, made, why, why_size);
    if (status != XRO_OK) {
        xro_reader_close(made);
        return status;
    }
    *reader = made;
    return XRO_OK;
}

const struct xro_header *xro_reader_header(const struct xro_reader *reader)
{
    return reader->header;
}

const struct xro_reader_facts *xro_reader_facts(const struct xro_reader *reader)
{
    return &reader->facts;
}

void xro_reader_close(struct xro_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    xro_header_close(reader->header);
    free(reader);
}

/* --- what the reader met, in words ------------------------------------------------------------------------------- */

static bool warn_cut(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "cut off in the middle of line %" PRIu64 ": the %" PRIu64 " samples before it were read",
            facts->line_count, facts->sample_count);
    return facts->cut;
}

static bool warn_no_end(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "no end line: the run did not come to its end; %" PRIu64 " samples were read",
            facts->sample_count);
    return !facts->ended && !facts->cut;
}

static bool warn_reason(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "%s: the run ended before its plan, after %" PRIu64 " of %" PRIu64 " samples", facts->reason,
            facts->counts.taken, facts->counts.planned);
    return facts->ended && strcmp(facts->reason, "complete") != 0;
}

static bool warn_count(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "its end line says %" PRIu64 " samples, %" PRIu64 " were read", facts->counts.taken,
            facts->sample_count);
    return facts->ended && facts->counts.taken != facts->sample_count;
}

static bool warn_bad(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "%" PRIu64 " lines not understood and left out, the first of them line %" PRIu64,
            facts->bad_count, facts->first_bad_line);
    return facts->bad_count > 0;
}

static bool warn_unknown(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "%" PRIu64 " lines of a type not known here were left out; a newer xrdopen may know it",
            facts->unknown_count);
    return facts->unknown_count > 0;
}

static bool warn_unbalanced(const struct xro_reader_facts *facts, char *text, size_t size)
{
    tell(text, size, "%" PRIu64 " samples whose phases do not add up to their total, the first of them in line %"
            PRIu64 "; they are in the figures", facts->unbalanced_count, facts->first_unbalanced_line);
    return facts->unbalanced_count > 0;
}

bool xro_reader_warning(const struct xro_reader *reader, unsigned index, char *text, size_t size)
{
    static bool (*const warnings[])(const struct xro_reader_facts *, char *, size_t) = {
        warn_cut, warn_no_end, warn_reason, warn_count, warn_bad, warn_unknown, warn_unbalanced,
    };

    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (warnings[i](&reader->facts, text, size) && index-- == 0)
            return true;
    return false;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * results_file.c - the lines of a results file, out and in. */
#include "record/results.h"

#include "record/json.h"
#include "record/json_field.h"
#include "record/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether the phases add up to the total. None may pass it alone: a sum that runs over 64 bits would come out right. */
static bool op_is_balanced(const struct xro_op *op)
{
    for (uint16_t i = 0; i < op->hop_count; i++)
        for (unsigned phase = 0; phase < XRO_PHASE_COUNT; phase++)
            if (op->hops[i].phase[phase] > op->total)
                return false;
    return xro_op_sum(op) == op->total;
}

static bool is_balanced(const struct xro_sample *sample)
{
    for (unsigned slot = 0; slot < XRO_SLOT_COUNT; slot++)
        if (sample->ops[slot].done && !op_is_balanced(&sample->ops[slot]))
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

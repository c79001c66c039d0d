/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * bytes.c - reads one file through several engines and compares every byte with the file itself. Speaks TAP:
 *
 *     bytes COPY URL ENGINE...      COPY is the file as it lies on this machine
 *
 * The copy must hold no zero byte, or a read that brings nothing could not be told from one that brings zeros. */
#include "base/url.h"
#include "engine/engine.h"
#include "record/error_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 16 << 20 };

static unsigned tests, failures;
static uint8_t *copy;
static uint64_t copy_size;

static void report(bool good, const char *engine, const char *what)
{
    printf("%sok %u - %s: %s\n", good ? "" : "not ", ++tests, engine, what);
    failures += !good;
}

static bool load(const char *path)
{
    FILE *file = fopen(path, "re");

    copy = (uint8_t *)malloc(FILE_MAX);
    if (file == NULL || copy == NULL)
        return false;
    copy_size = fread(copy, 1, FILE_MAX, file);
    fclose(file);
    return copy_size > 0 && copy_size < FILE_MAX && memchr(copy, 0, copy_size) == NULL;
}

static void say_error(const struct xro_op *op)
{
    char text[XRO_MESSAGE_SIZE];

    if (op->error.status != XRO_OK)
        printf("# %s\n", xro_error_format(&op->error, op, text, sizeof text));
}

/* Read SIZE bytes at OFFSET; what comes must be what the copy has there, cut at its end, and nothing may be touched
 * behind it. */
static void read_piece(struct xro_session *session, struct xro_sample *sample, uint64_t offset, uint32_t size)
{
    struct xro_op *op = &sample->ops[XRO_SLOT_READ];
    uint64_t left = offset < copy_size ? copy_size - offset : 0, expected = size < left ? size : left, after;
    uint8_t *data = (uint8_t *)calloc(1, (size_t)size + 64);
    char what[96];

    snprintf(what, sizeof what, "%" PRIu32 " bytes at %" PRIu64 ": %" PRIu64 " that are right", size, offset, expected);
    xro_sample_reset(sample);
    if (data == NULL || session->engine->perform(session, XRO_OP_READ, data, offset, size, op) != XRO_OK) {
        report(false, session->engine->name, what);
        say_error(op);
    } else {
        for (after = expected; after < (uint64_t)size + 64 && data[after] == 0; after++)
            ;
        report(op->bytes == expected && (expected == 0 || memcmp(data, copy + offset, expected) == 0)
                   && after == (uint64_t)size + 64, session->engine->name, what);
        if (op->bytes != expected)
            printf("# it says that %" PRIu64 " bytes came\n", op->bytes);
    }
    free(data);
}

static void read_pieces(struct xro_session *session, struct xro_sample *sample)
{
    const struct { uint64_t offset, size; } pieces[] = {
        { 0, 1 }, { 0, 16 }, { 15, 2 }, { copy_size - 1, 1 }, { copy_size / 2 + 1, 4096 }, { copy_size / 3, 100001 },
        { 0, copy_size }, { copy_size - 6, 100 }, { copy_size, 1 }, { copy_size - 1, 1 }, { 0, 1 },
    };

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        read_piece(session, sample, pieces[i].offset, (uint32_t)pieces[i].size);
}

/* One op without data; false when it failed. */
static bool perform(struct xro_session *session, struct xro_sample *sample, enum xro_op_kind kind)
{
    struct xro_op *op = &sample->ops[XRO_SLOT_FIRST_OPEN];
    bool good;

    xro_sample_reset(sample);
    good = session->engine->perform(session, kind, NULL, 0, 0, op) == XRO_OK;
    report(good, session->engine->name, xro_op_name(kind));
    if (!good)
        say_error(op);
    return good;
}

static bool use_engine(const char *name, const char *target)
{
    const struct xro_engine *engine = xro_engine_find(name);
    struct xro_settings settings = { .target = target, .timeout = 20 * XRO_NS_PER_S };
    struct xro_sample *sample = xro_sample_create();
    struct xro_session *session = NULL;
    struct xro_error error = { .status = XRO_OK };

    if (engine == NULL || sample == NULL || xro_url_parse(target, &settings.url) != NULL)
        return false;
    if (engine->start(engine, &settings, &session, &error) != XRO_OK) {
        report(false, name, "start");
    } else {
        if (perform(session, sample, XRO_OP_OPEN)) {
            read_pieces(session, sample);
            perform(session, sample, XRO_OP_CLOSE);
        }
        engine->stop(session);
    }
    xro_sample_close(sample);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 4 || !load(argv[1])) {
        fprintf(stderr, "usage: bytes COPY URL ENGINE...  (COPY: a file without zero bytes)\n");
        return 2;
    }
    for (int i = 3; i < argc; i++)
        if (!use_engine(argv[i], strcmp(argv[i], "local") == 0 ? argv[1] : argv[2])) {
            fprintf(stderr, "bytes: %s: no such engine, or not a target\n", argv[i]);
            return 2;
        }
    free(copy);
    printf("1..%u\n", tests);
    return failures != 0;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * local.c - the local file system: what the operating system itself costs. */
#include "engine/engine.h"
#include "record/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct local_session {
    struct xro_session base;
    const char *path;
    int fd;                     /* the open file, -1: none */
};

static enum xro_status local_start(const struct xro_engine *engine, const struct xro_settings *settings,
                                   struct xro_session **session, struct xro_error *error)
{
    struct local_session *local = (struct local_session *)malloc(sizeof *local);

    if (local == NULL)
        return error->status = XRO_MEMORY;
    *local = (struct local_session){ .base.engine = engine, .path = settings->url.path, .fd = -1 };
    *session = &local->base;
    return XRO_OK;
}

/* The system call of the op; -1 and errno when it failed. */
static long long call(struct local_session *local, enum xro_op_kind kind, void *data, uint64_t offset, uint32_t size)
{
    struct stat st;

    switch (kind) {
    case XRO_OP_OPEN:
        return local->fd = open(local->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);    /* a FIFO must not hang it */
    case XRO_OP_READ:
        return pread(local->fd, data, size, (off_t)offset);
    case XRO_OP_CLOSE:
        return close(local->fd);
    case XRO_OP_STAT:
        return stat(local->path, &st);
    default:
        errno = ENOTSUP;
        return -1;
    }
}

/* POSIX lets a directory be opened; for XRootD it is no file, and neither is it here. */
static bool is_directory(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static enum xro_status local_perform(struct xro_session *session, enum xro_op_kind kind, void *data, uint64_t offset,
                                     uint32_t size, struct xro_op *op)
{
    struct local_session *local = (struct local_session *)session;
    long long result;
    int failure = 0;

    xro_timeline_begin(op, kind, xro_clock_now());
    xro_timeline_hop(op, "", 0, op->begin);
    xro_timeline_enter(op, XRO_PHASE_CALL, op->begin);
    result = call(local, kind, data, offset, size);
    xro_timeline_end(op, xro_clock_now());
    if (result < 0)
        failure = errno;
    else if (kind == XRO_OP_OPEN && is_directory(local->fd))
        failure = EISDIR;
    else if (kind == XRO_OP_READ)
        op->bytes = (uint64_t)result;
    if (kind == XRO_OP_CLOSE)
        local->fd = -1;
    op->hops[0].ending = failure ? XRO_ENDING_REFUSED : XRO_ENDING_ANSWERED;
    if (failure != 0)
        op->error = (struct xro_error){ .status = XRO_IO, .phase = XRO_PHASE_CALL, .hop = 0, .system = failure };
    return op->error.status;
}

static void local_stop(struct xro_session *session)
{
    struct local_session *local = (struct local_session *)session;

    if (local != NULL && local->fd >= 0)
        close(local->fd);
    free(local);
}

static const char *local_version(void)
{
    return NULL;
}

const struct xro_engine xro_engine_local = {
    .name = "local",
    .summary = "the local file system: open, close, pread",
    .ops = 1u << XRO_OP_OPEN | 1u << XRO_OP_CLOSE | 1u << XRO_OP_READ | 1u << XRO_OP_STAT,
    .start = local_start, .perform = local_perform, .stop = local_stop, .version = local_version,
};

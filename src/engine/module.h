/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * module.h - what xrdopen-xrdcl.so offers: one table, the only symbol it exports. The module is the part that links
 * XRootD's libraries, so that xrdopen itself need not; it uses no symbol of the executable, and no exception leaves it.
 *
 * Its calls are the libraries' own synchronous ones, as a program linked against them would make them: they may take
 * as long as the library likes. Who calls them must be able to do without the answer (xrdcl.c does, with a thread). */
#ifndef XRO_ENGINE_MODULE_H
#define XRO_ENGINE_MODULE_H

#include "base/clock.h"
#include "base/status.h"
#include "record/sample.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XRO_MODULE_FILE   "xrdopen-xrdcl.so"
#define XRO_MODULE_SYMBOL "xro_module_xrdcl"

enum {
    XRO_MODULE_ABI = 1,         /* changes whenever anything in this file does */
    XRO_MODULE_TEXT_SIZE = 1024
};

enum xro_module_face {
    XRO_MODULE_XRDCL,           /* XrdCl::File and, for stat, XrdCl::FileSystem */
    XRO_MODULE_XRDPOSIX         /* XrdPosixXrootd */
};

struct xro_module_answer {
    xro_ns end;                 /* read from the clock when the library came back, before anything else */
    enum xro_status status;
    int32_t server;             /* kXR_ error code, or 0 */
    int32_t system;             /* errno, or 0 */
    bool expired;               /* with XRO_TIMEOUT: the limit that the library had been given passed */
    uint64_t bytes;             /* of a read */
    int64_t size;               /* of the file, from a stat; else -1 */
    char text[XRO_MODULE_TEXT_SIZE];    /* the server's or the library's own words, raw, cut; "" when none */
};

struct xro_module_session;      /* one URL, and the file when it is open */

struct xro_module {
    uint32_t abi;               /* XRO_MODULE_ABI; nothing else may be read when it differs */

    /* Version of the client library that is loaded, "5.5.3". */
    const char *(*version)(void);

    /* A session for URL, handed to the library as it is; NOW is the clock that the answers' ends are read from.
     * NULL when memory is short. */
    struct xro_module_session *(*create)(enum xro_module_face face, const char *url, xro_ns (*now)(void));

    /* What has to be there before the call of an op can begin: called before the clock is read. */
    enum xro_status (*prepare)(struct xro_module_session *session, enum xro_op_kind kind);

    /* One call of the library; LIMIT_S is its own time limit, 0 its default. */
    void (*perform)(struct xro_module_session *session, enum xro_op_kind kind, void *data, uint64_t offset,
                    uint32_t size, uint16_t limit_s, struct xro_module_answer *answer);

    /* Forget the session; a file that is still open is closed, which may take a server's time. */
    void (*destroy)(struct xro_module_session *session);

    /* Set one of the library's parameters ("RequestTimeout"). What the environment says (XRD_REQUESTTIMEOUT) wins. */
    void (*set_number)(const char *name, int value);
    void (*set_text)(const char *name, const char *value);
};

#ifdef __cplusplus
}
#endif
#endif

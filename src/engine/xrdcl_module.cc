// SPDX-License-Identifier: LGPL-3.0-or-later
//
// xrdcl_module.cc - XrdCl::File and XrdPosixXrootd behind a C table (module.h). Built as xrdopen-xrdcl.so, the only
// part of xrdopen that links XRootD's libraries.
//
// Between the caller's stamp and `end` there is nothing but the library's call: the file object is made in prepare, and
// a failure is put into words after `end`.
#include "engine/module.h"

#include <XProtocol/XProtocol.hh>
#include <XrdCl/XrdClDefaultEnv.hh>
#include <XrdCl/XrdClFile.hh>
#include <XrdCl/XrdClFileSystem.hh>
#include <XrdPosix/XrdPosixXrootd.hh>
#include <XrdVersion.hh>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <new>
#include <string>

// The version that the loaded library says it has ("client v5.5.3"); the header's is only the one built against.
extern "C" __attribute__((weak)) XrdVersionInfo XrdCl_;

struct xro_module_session {
    xro_module_session(const char *target, xro_ns (*clock)(void)) : url(target), now(clock) {}
    xro_module_session(const xro_module_session &) = delete;
    xro_module_session &operator=(const xro_module_session &) = delete;
    virtual ~xro_module_session() = default;

    virtual void prepare(xro_op_kind) {}
    virtual void open(uint16_t limit_s, xro_module_answer &answer) = 0;
    virtual void close(uint16_t limit_s, xro_module_answer &answer) = 0;
    virtual void read(void *data, uint64_t offset, uint32_t size, uint16_t limit_s, xro_module_answer &answer) = 0;
    virtual void stat(uint16_t limit_s, xro_module_answer &answer) = 0;

    const std::string url;
    xro_ns (*const now)(void);
};

namespace
{
void say(xro_module_answer &answer, const char *text)
{
    std::snprintf(answer.text, sizeof answer.text, "%s", text);
}

// --- XrdCl ---

xro_status status_of_code(uint16_t code)
{
    switch (code) {
    case XrdCl::errErrorResponse:       return XRO_SERVER;
    case XrdCl::errSocketTimeout:
    case XrdCl::errOperationExpired:    return XRO_TIMEOUT;
    case XrdCl::errInvalidAddr:         return XRO_RESOLVE;
    case XrdCl::errConnectionError:
    case XrdCl::errSocketError:         return XRO_CONNECT;
    case XrdCl::errSocketDisconnected:
    case XrdCl::errStreamDisconnect:
    case XrdCl::errInvalidSession:      return XRO_CLOSED;
    case XrdCl::errTlsError:            return XRO_TLS;
    case XrdCl::errInvalidMessage:
    case XrdCl::errHandShakeFailed:
    case XrdCl::errInvalidRedirectURL:
    case XrdCl::errInvalidResponse:
    case XrdCl::errCorruptedHeader:     return XRO_PROTOCOL;
    case XrdCl::errLoginFailed:
    case XrdCl::errAuthFailed:          return XRO_AUTH;
    case XrdCl::errRedirectLimit:       return XRO_REDIRECTS;
    case XrdCl::errInvalidOp:
    case XrdCl::errInvalidArgs:         return XRO_INVALID;
    case XrdCl::errNotSupported:
    case XrdCl::errNotImplemented:      return XRO_UNSUPPORTED;
    default:                            return XRO_IO;
    }
}

void describe(const XrdCl::XRootDStatus &status, xro_module_answer &answer)
{
    if (status.IsOK())
        return;
    answer.status = status_of_code(status.code);
    answer.expired = status.code == XrdCl::errOperationExpired;
    if (answer.status == XRO_SERVER) {
        answer.server = static_cast<int32_t>(status.errNo);
        say(answer, status.GetErrorMessage().c_str());
    } else {
        // XrdCl puts an errno here, or a kXR_ code (both are called errNo): only the first is one for `system`
        if (status.errNo < kXR_ArgInvalid)
            answer.system = static_cast<int32_t>(status.errNo);
        say(answer, status.ToString().c_str());
    }
}

struct cl_session final : xro_module_session {
    using xro_module_session::xro_module_session;

    // A program makes a File for each file that it opens. None is made before: destroying one, opened or not, starts
    // the library's threads, and that belongs to the first open.
    void prepare(xro_op_kind kind) override
    {
        if (kind == XRO_OP_OPEN || file == nullptr)
            file = std::make_unique<XrdCl::File>();
    }

    void open(uint16_t limit_s, xro_module_answer &answer) override
    {
        const XrdCl::XRootDStatus status = file->Open(url, XrdCl::OpenFlags::Read, XrdCl::Access::None, limit_s);
        answer.end = now();
        describe(status, answer);
    }

    void close(uint16_t limit_s, xro_module_answer &answer) override
    {
        const XrdCl::XRootDStatus status = file->Close(limit_s);
        answer.end = now();
        describe(status, answer);
    }

    void read(void *data, uint64_t offset, uint32_t size, uint16_t limit_s, xro_module_answer &answer) override
    {
        uint32_t got = 0;
        const XrdCl::XRootDStatus status = file->Read(offset, size, data, got, limit_s);
        answer.end = now();
        answer.bytes = got;
        describe(status, answer);
    }

    void stat(uint16_t limit_s, xro_module_answer &answer) override
    {
        const XrdCl::URL parsed(url);
        XrdCl::FileSystem system(parsed);
        XrdCl::StatInfo *info = nullptr;
        const XrdCl::XRootDStatus status = system.Stat(parsed.GetPathWithParams(), info, limit_s);
        answer.end = now();
        const std::unique_ptr<XrdCl::StatInfo> owner(info);
        if (status.IsOK() && info != nullptr)
            answer.size = static_cast<int64_t>(info->GetSize());
        describe(status, answer);
    }

    std::unique_ptr<XrdCl::File> file;
};

// --- XrdPosix ---

// XrdPosix gives an errno only. Those that it makes of one kXR_ code, and of nothing else, are the server's.
int server_code(int failure)
{
    static const int codes[] = {
        kXR_ArgTooLong, kXR_FileLocked, kXR_FSError, kXR_InvalidRequest, kXR_IOError, kXR_NoMemory, kXR_NoSpace,
        kXR_NotAuthorized, kXR_NotFound, kXR_ServerError, kXR_NotFile, kXR_isDirectory, kXR_Cancelled, kXR_ItExists,
        kXR_overQuota, kXR_DecryptErr, kXR_Overloaded, kXR_fsReadOnly, kXR_TLSRequired, kXR_Conflict,
        kXR_TooManyErrs,
    };

    for (const int code : codes)
        if (XProtocol::toErrno(code) == failure)
            return code;
    return 0;
}

// The rest, by the table in XrdPosixMap.cc: what XrdPosix makes of XrdCl's own failures.
xro_status status_of_errno(int failure)
{
    switch (failure) {
    case ESTALE:
    case ETIMEDOUT:    return XRO_TIMEOUT;
    case ECONNREFUSED:
    case EHOSTUNREACH:          // a name that does not resolve, too: XrdPosix does not tell them apart
    case ENETUNREACH:  return XRO_CONNECT;
    case ENOTCONN:
    case EPIPE:
    case ECONNRESET:   return XRO_CLOSED;
    case ENETRESET:    return XRO_TLS;
    case EPROTO:
    case EBADMSG:
    case ESPIPE:       return XRO_PROTOCOL;
    case ECONNABORTED:
    case EAUTH:        return XRO_AUTH;
    case ELOOP:        return XRO_REDIRECTS;
    case EBADF:
    case EINVAL:
    case EOPNOTSUPP:   return XRO_INVALID;      // ENOTSUP has the same number here
    case ENOSYS:       return XRO_UNSUPPORTED;
    default:           return XRO_IO;
    }
}

// The server's own text: XrdPosixXrootd::QueryError came after 5.5.
template <class Face>
auto last_text(std::string &text, int fd) -> decltype(Face::QueryError(text, fd, true), void())
{
    Face::QueryError(text, fd, true);
}

template <class Face> void last_text(std::string &, long) {}

void describe_errno(int failure, int fd, xro_module_answer &answer)
{
    std::string text;

    answer.system = failure;
    answer.server = server_code(failure);
    answer.status = answer.server != 0 ? XRO_SERVER : status_of_errno(failure);
    answer.expired = failure == ESTALE;
    last_text<XrdPosixXrootd>(text, fd);
    say(answer, text.c_str());
}

// There may be one XrdPosixXrootd at a time in a process; the sessions share it. (No std::shared_ptr: its type
// information would be exported beside the table.)
class posix_library {
  public:
    posix_library()
    {
        const std::lock_guard<std::mutex> hold(lock);

        if (users == 0)
            library = new XrdPosixXrootd();
        users++;
    }
    ~posix_library()
    {
        const std::lock_guard<std::mutex> hold(lock);

        if (--users == 0)
            delete library;
    }
    posix_library(const posix_library &) = delete;
    posix_library &operator=(const posix_library &) = delete;

  private:
    static inline std::mutex lock;
    static inline unsigned users;
    static inline XrdPosixXrootd *library;
};

struct posix_session final : xro_module_session {
    using xro_module_session::xro_module_session;

    ~posix_session() override
    {
        if (fd >= 0)
            XrdPosixXrootd::Close(fd);
    }

    void ended(long long result, xro_module_answer &answer)
    {
        const int failure = errno;
        answer.end = now();
        if (result < 0)
            describe_errno(failure, fd, answer);
    }

    void open(uint16_t, xro_module_answer &answer) override
    {
        fd = XrdPosixXrootd::Open(url.c_str(), O_RDONLY);
        ended(fd, answer);
    }

    void close(uint16_t, xro_module_answer &answer) override
    {
        const int result = XrdPosixXrootd::Close(fd);
        ended(result, answer);
        fd = -1;
    }

    void read(void *data, uint64_t offset, uint32_t size, uint16_t, xro_module_answer &answer) override
    {
        const ssize_t result = XrdPosixXrootd::Pread(fd, data, size, static_cast<off_t>(offset));
        ended(result, answer);
        if (result > 0)
            answer.bytes = static_cast<uint64_t>(result);
    }

    void stat(uint16_t, xro_module_answer &answer) override
    {
        struct stat info = {};
        const int result = XrdPosixXrootd::Stat(url.c_str(), &info);
        ended(result, answer);
        if (result == 0)
            answer.size = info.st_size;
    }

    const posix_library library;
    int fd = -1;
};

// --- the table ---

// Run CALL; whatever is thrown becomes a status, and its text when there is one.
template <class Call> xro_status guarded(char *text, Call call) noexcept
{
    try {
        call();
        return XRO_OK;
    } catch (const std::bad_alloc &) {
        return XRO_MEMORY;
    } catch (const std::exception &thrown) {
        if (text != nullptr)
            std::snprintf(text, XRO_MODULE_TEXT_SIZE, "exception: %s", thrown.what());
        return XRO_IO;
    } catch (...) {
        return XRO_IO;
    }
}

const char *version() noexcept
{
    const char *found = &XrdCl_ != nullptr ? std::strstr(XrdCl_.vStr, " v") : nullptr;

    return found != nullptr ? found + 2 : &XrdVERSION[1];
}

xro_module_session *create(xro_module_face face, const char *url, xro_ns (*now)(void)) noexcept
{
    xro_module_session *session = nullptr;

    guarded(nullptr, [&] {
        if (face == XRO_MODULE_XRDCL)
            session = new cl_session(url, now);
        else
            session = new posix_session(url, now);
    });
    return session;
}

xro_status prepare(xro_module_session *session, xro_op_kind kind) noexcept
{
    return guarded(nullptr, [&] { session->prepare(kind); });
}

void dispatch(xro_module_session &session, xro_op_kind kind, void *data, uint64_t offset, uint32_t size,
              uint16_t limit_s, xro_module_answer &answer)
{
    switch (kind) {
    case XRO_OP_OPEN:
        return session.open(limit_s, answer);
    case XRO_OP_CLOSE:
        return session.close(limit_s, answer);
    case XRO_OP_READ:
        return session.read(data, offset, size, limit_s, answer);
    case XRO_OP_STAT:
        return session.stat(limit_s, answer);
    default:
        answer.end = session.now();
        answer.status = XRO_UNSUPPORTED;
    }
}

void perform(xro_module_session *session, xro_op_kind kind, void *data, uint64_t offset, uint32_t size,
             uint16_t limit_s, xro_module_answer *answer) noexcept
{
    answer->end = 0;
    answer->status = XRO_OK;
    answer->server = answer->system = 0;
    answer->expired = false;
    answer->bytes = 0;
    answer->size = -1;
    answer->text[0] = '\0';
    const xro_status thrown = guarded(answer->text, [&] {
        dispatch(*session, kind, data, offset, size, limit_s, *answer);
    });
    if (thrown != XRO_OK)
        answer->status = thrown;
    if (answer->end == 0)
        answer->end = session->now();
}

void destroy(xro_module_session *session) noexcept
{
    guarded(nullptr, [&] { delete session; });
}

void set_number(const char *name, int value) noexcept
{
    guarded(nullptr, [&] { XrdCl::DefaultEnv::GetEnv()->PutInt(name, value); });
}

void set_text(const char *name, const char *value) noexcept
{
    guarded(nullptr, [&] { XrdCl::DefaultEnv::GetEnv()->PutString(name, value); });
}
}

extern "C" __attribute__((visibility("default"))) const struct xro_module xro_module_xrdcl = {
    XRO_MODULE_ABI, version, create, prepare, perform, destroy, set_number, set_text,
};

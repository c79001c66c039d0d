// SPDX-License-Identifier: LGPL-3.0-or-later
//
// xrdsec.cc - gsi, sss and whatever else XRootD has a plug-in for, behind a C table (method.h). Built as
// xrdopen-xrdsec.so, which links XRootD's utilities and OpenSSL, so that xrdopen itself need not.
//
// The plug-ins were made for a program of their own: they write to standard error, ask for pass phrases on the terminal,
// leave errors in OpenSSL's queue, and crash on files that they do not expect. So each call runs with standard input
// closed to them and standard error turned into memory (Quiet), OpenSSL has no way to ask (prepare), and certificates are
// parsed here first (check_gsi). One lock is over it all: the turned descriptors are the process's.
#include "auth/files.h"
#include "auth/method.h"

#include <XrdNet/XrdNetAddr.hh>
#include <XrdOuc/XrdOucEnv.hh>
#include <XrdOuc/XrdOucErrInfo.hh>
#include <XrdSec/XrdSecInterface.hh>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/ui.h>
#include <openssl/x509.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>

// Exported by libXrdUtils; its header is in no package.
XrdSecGetProt_t XrdSecLoadSecFactory(char *error, int size, const char *library = nullptr);

namespace
{
std::mutex lock;
XrdSecGetProt_t get_protocol;

// --- what plug-ins say, and what they may ask ---

// While one lives, nothing can be read from standard input, and what is written to standard error is kept. With
// XrdSecDEBUG set the user wants to see it, so it goes where it always went.
class Quiet
{
public:
    Quiet()
    {
        const char *debug = std::getenv("XrdSecDEBUG");
        if (memory < 0)
            memory = memfd_create("xrdsec", MFD_CLOEXEC);
        turn(STDIN_FILENO, open("/dev/null", O_RDONLY | O_CLOEXEC), input, true);
        if (debug != nullptr && std::strcmp(debug, "0") != 0)
            return;
        if (memory >= 0 && ftruncate(memory, 0) == 0 && lseek(memory, 0, SEEK_SET) == 0)
            turn(STDERR_FILENO, memory, error, false);
    }
    ~Quiet()
    {
        back(STDERR_FILENO, error);
        back(STDIN_FILENO, input);
        ERR_clear_error();      // or the next call of TLS would find the plug-in's errors
    }
    Quiet(const Quiet &) = delete;
    Quiet &operator=(const Quiet &) = delete;

    // The beginning of what was said.
    std::string words() const
    {
        char text[1024];
        const ssize_t n = error.turned ? pread(memory, text, sizeof text, 0) : 0;
        return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
    }

private:
    struct Saved {
        bool turned = false;
        int copy = -1;          // -1: it was closed
    };

    static void turn(int fd, int to, Saved &saved, bool owned)
    {
        if (to < 0)
            return;
        saved.copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        saved.turned = dup2(to, fd) == fd;
        if (owned && to != fd)
            close(to);
    }
    static void back(int fd, Saved &saved)
    {
        if (saved.turned && saved.copy >= 0)
            dup2(saved.copy, fd);
        else if (saved.turned)
            close(fd);
        if (saved.copy >= 0)
            close(saved.copy);
    }

    static int memory;
    Saved input, error;
};
int Quiet::memory = -1;

// The plug-in's words, from both ways that it has, in one line.
xro_status say_words(xro_status status, const char *told, const Quiet &quiet, char *reason)
{
    // what the framework says when it has no better idea
    const bool empty = *told == '\0' || std::strstr(told, "No authentication protocols are available") != nullptr;
    std::string text = empty ? "" : told;
    const std::string written = quiet.words();

    if (!written.empty())
        text += (text.empty() ? "" : "; ") + written;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\0'))
        text.pop_back();
    for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
        text.replace(at, 1, "; ");
    return xro_auth_say(status, reason, "%s", text.empty() ? "the plug-in gives no reason" : text.c_str());
}

// --- what must hold before a plug-in is called ---

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using File = std::unique_ptr<FILE, decltype(&fclose)>;

int no_pass_phrase(char *, int, int, void *)
{
    return -1;
}

File open_file(const char *path)
{
    return File(std::fopen(path, "re"), &fclose);
}

// At least LEAST certificates of PATH can be read, and none has expired: the plug-in follows a null pointer else.
xro_status check_certificates(const char *path, unsigned least, char *reason)
{
    const File file = open_file(path);
    unsigned count = 0;

    while (file) {
        const Certificate certificate(PEM_read_X509(file.get(), nullptr, no_pass_phrase, nullptr), &X509_free);
        if (!certificate)
            break;
        if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) <= 0)
            return xro_auth_say(XRO_AUTH, reason, "certificate %u in %s has expired", count + 1, path);
        count++;
    }
    if (count < least)
        return xro_auth_say(XRO_AUTH, reason, "%u certificates in %s can be read, %u are needed", count, path, least);
    return XRO_OK;
}

xro_status check_key(const char *path, char *reason)
{
    const File file = open_file(path);
    const Key key(file ? PEM_read_PrivateKey(file.get(), nullptr, no_pass_phrase, nullptr) : nullptr, &EVP_PKEY_free);

    return key ? XRO_OK : xro_auth_say(XRO_AUTH, reason, "the key in %s cannot be read", path);
}

xro_status check_gsi(const xro_auth_offer &offer, char *reason)
{
    xro_gsi_files files;
    xro_status status = xro_gsi_find(offer.arguments, &files, reason);

    if (status != XRO_OK || files.source == XRO_GSI_VARIABLE)
        return status;
    status = check_certificates(files.path, files.source == XRO_GSI_PROXY ? 2 : 1, reason);
    return status == XRO_OK ? check_key(files.source == XRO_GSI_PROXY ? files.path : files.key, reason) : status;
}

// sss needs Blowfish, which OpenSSL 3 has in its legacy provider only. Asking for a common algorithm first keeps the
// default provider, as the plug-in does. Without the cipher the plug-in follows a null pointer.
bool fetch_blowfish()
{
    EVP_MD *common = EVP_MD_fetch(nullptr, "SHA2-256", nullptr);
    EVP_CIPHER *blowfish = nullptr;

    EVP_MD_free(common);
    if (OSSL_PROVIDER_load(nullptr, "legacy") != nullptr)
        blowfish = EVP_CIPHER_fetch(nullptr, "BF-CFB", nullptr);
    const bool there = blowfish != nullptr;
    EVP_CIPHER_free(blowfish);
    return there;
}

xro_status load_legacy(char *reason)
{
    static const bool there = fetch_blowfish();

    return there ? XRO_OK : xro_auth_say(XRO_MISSING, reason, "OpenSSL's legacy provider, which has the cipher of sss, "
                                         "cannot be loaded");
}

// --- a session ---

// What the plug-in is given, which must live as long as it does.
struct Session {
    XrdNetAddr peer;
    XrdOucEnv env;
    XrdOucErrInfo info{"", &env};
    XrdSecProtocol *protocol = nullptr;

    Session() = default;
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    ~Session()
    {
        if (protocol != nullptr)
            protocol->Delete();
    }
};

bool is_address(const char *host)
{
    unsigned char bytes[sizeof(in6_addr)];

    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

// The address's name is given, or the plug-ins would ask the DNS for it. gsi alone is right to want to know of an
// address by what name it goes, since that is what certificates have.
bool set_peer(Session &session, const xro_auth_offer &offer)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    addrinfo info{};
    const bool named = !is_address(offer.host) || std::strcmp(offer.method, "gsi") != 0;
    uint16_t port = 0;

    if (getpeername(offer.fd, reinterpret_cast<sockaddr *>(&address), &size) != 0)
        return false;
    port = address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 *>(&address)->sin6_port
                                         : reinterpret_cast<sockaddr_in *>(&address)->sin_port;
    info.ai_family = address.ss_family;
    info.ai_protocol = address.ss_family;       // what XrdNetAddr takes it for
    info.ai_addr = reinterpret_cast<sockaddr *>(&address);
    info.ai_addrlen = size;
    info.ai_canonname = named ? const_cast<char *>(offer.host) : nullptr;
    if (session.peer.Set(&info, ntohs(port)) != nullptr)
        return false;
    session.peer.SetTLS(offer.tls);
    return true;
}

// Our own address as sss sends it: "[::ffff:1.2.3.4]:port".
bool set_own(Session &session, const xro_auth_offer &offer)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char name[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 24];

    if (getsockname(offer.fd, reinterpret_cast<sockaddr *>(&address), &size) != 0)
        return false;
    if (address.ss_family == AF_INET) {
        const auto *in = reinterpret_cast<const sockaddr_in *>(&address);
        inet_ntop(AF_INET, &in->sin_addr, name, sizeof name);
        std::snprintf(text, sizeof text, "[::ffff:%s]:%u", name, static_cast<unsigned>(ntohs(in->sin_port)));
    } else {
        const auto *in = reinterpret_cast<const sockaddr_in6 *>(&address);
        inet_ntop(AF_INET6, &in->sin6_addr, name, sizeof name);
        std::snprintf(text, sizeof text, "[%s]:%u", name, static_cast<unsigned>(ntohs(in->sin6_port)));
    }
    session.env.Put("sockname", text);
    return true;
}

XrdSecBuffer buffer_of(const void *bytes, size_t length)
{
    char *copy = static_cast<char *>(std::malloc(length + 1));

    if (copy == nullptr)
        throw std::bad_alloc();
    std::memcpy(copy, bytes, length);
    copy[length] = '\0';
    return XrdSecBuffer(copy, static_cast<int>(length));        // which frees it
}

XrdSecProtocol *ask_factory(Session &session, const xro_auth_offer &offer)
{
    std::string token = std::string("&P=") + offer.method;

    if (offer.arguments[0] != '\0')
        token += std::string(",") + offer.arguments;
    XrdSecParameters parameters = buffer_of(token.data(), token.size());
    return get_protocol(offer.host, session.peer, parameters, &session.info);
}

// --- the table ---

xro_status load_factory(char *reason)
{
    char words[512] = "";

    if (get_protocol == nullptr) {
        // Nothing may ask for a pass phrase: not the plug-ins, nor OpenSSL for them when a server sends what it likes.
        UI_set_default_method(UI_null());
        get_protocol = XrdSecLoadSecFactory(words, sizeof words);
    }
    if (get_protocol == nullptr)
        return xro_auth_say(XRO_MISSING, reason, "the package xrootd-plugins is needed: %s", words);
    return XRO_OK;
}

// The plug-in's first object makes what the process needs once. gsi makes parameters for its keys, up to two tenths of a
// second of computing, only when credentials are asked for; there are none for a CA called 0, and no file is read.
void warm_up(const char *method)
{
    const char *arguments = std::strcmp(method, "gsi") == 0 ? "v:10600,c:ssl,ca:0"
                            : std::strcmp(method, "sss") == 0 ? "0.+13:" : nullptr;
    const xro_auth_offer offer = { method, arguments, "localhost", nullptr, -1, false };
    sockaddr_in address{};
    addrinfo info{};
    Session session;

    if (arguments == nullptr)
        return;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    info.ai_family = info.ai_protocol = AF_INET;
    info.ai_addr = reinterpret_cast<sockaddr *>(&address);
    info.ai_addrlen = sizeof address;
    info.ai_canonname = const_cast<char *>("localhost");
    session.peer.Set(&info, 1094);
    session.protocol = ask_factory(session, offer);
    if (session.protocol != nullptr && std::strcmp(method, "gsi") == 0)
        delete session.protocol->getCredentials(nullptr, &session.info);
}

xro_status prepare_quietly(const char *method, char *reason)
{
    xro_status status = load_factory(reason);

    if (status == XRO_OK && std::strcmp(method, "sss") == 0)
        status = load_legacy(reason);
    if (status == XRO_OK)
        warm_up(method);
    return status;
}

xro_status open_quietly(const xro_auth_offer &offer, void **out, const Quiet &quiet, char *reason)
{
    xro_status status = load_factory(reason);

    if (status == XRO_OK && std::strcmp(offer.method, "gsi") == 0)
        status = check_gsi(offer, reason);
    if (status == XRO_OK && std::strcmp(offer.method, "sss") == 0) {
        status = xro_sss_check(offer.arguments, reason);
        if (status == XRO_OK)
            status = load_legacy(reason);
    }
    if (status != XRO_OK)
        return status;
    auto session = std::make_unique<Session>();
    if (!set_peer(*session, offer) || !set_own(*session, offer))
        return xro_auth_say(XRO_IO, reason, "the connection has no address: %s", std::strerror(errno));
    if (offer.user != nullptr)
        session->env.Put("username", offer.user);
    session->protocol = ask_factory(*session, offer);
    if (session->protocol == nullptr)
        return say_words(XRO_AUTH, session->info.getErrText(), quiet, reason);
    if (session->protocol->needTLS() && !offer.tls)
        return xro_auth_say(XRO_AUTH, reason, "needs TLS");
    *out = session.release();
    return XRO_OK;
}

xro_status make_quietly(Session &session, const uint8_t *more, size_t length, const xro_auth_sink &sink,
                        const Quiet &quiet, char *reason)
{
    std::unique_ptr<XrdSecCredentials> credentials;

    session.info.setErrInfo(0, "");
    if (more == nullptr) {
        credentials.reset(session.protocol->getCredentials(nullptr, &session.info));
    } else {
        XrdSecParameters parameters = buffer_of(more, length);
        credentials.reset(session.protocol->getCredentials(&parameters, &session.info));
    }
    if (!credentials)
        return say_words(XRO_AUTH, session.info.getErrText(), quiet, reason);
    if (credentials->buffer == nullptr || credentials->size <= 0)
        return XRO_OK;          // empty ones are some methods' way to end
    return sink.append(sink.buf, credentials->buffer, static_cast<size_t>(credentials->size));
}

xro_status encrypt_quietly(Session &session, const void *bytes, size_t length, const xro_auth_sink &sink,
                           const Quiet &quiet, char *reason)
{
    XrdSecBuffer *out = nullptr;
    const int code = session.protocol->Encrypt(static_cast<const char *>(bytes), static_cast<int>(length), &out);
    const std::unique_ptr<XrdSecBuffer> owned(out);

    if (code < 0 || !owned || owned->size <= 0)
        return say_words(XRO_AUTH, code < 0 ? std::strerror(-code) : "", quiet, reason);
    return sink.append(sink.buf, owned->buffer, static_cast<size_t>(owned->size));
}

// No exception leaves the module.
template <typename Work> xro_status guarded(char *reason, Work work)
{
    try {
        const std::lock_guard<std::mutex> guard(lock);
        const Quiet quiet;
        return work(quiet);
    } catch (const std::bad_alloc &) {
        return XRO_MEMORY;
    } catch (const std::exception &error) {
        return xro_auth_say(XRO_IO, reason, "the plug-in failed: %s", error.what());
    } catch (...) {
        return xro_auth_say(XRO_IO, reason, "the plug-in failed");
    }
}

xro_status prepare(const char *method, char *reason)
{
    return guarded(reason, [&](const Quiet &) { return prepare_quietly(method, reason); });
}

xro_status open_session(const xro_auth_offer *offer, void **session, char *reason)
{
    *session = nullptr;
    return guarded(reason, [&](const Quiet &quiet) { return open_quietly(*offer, session, quiet, reason); });
}

xro_status make(void *session, const xro_auth_offer *, const uint8_t *more, size_t length, const xro_auth_sink *sink,
                char *reason)
{
    return guarded(reason, [&](const Quiet &quiet) {
        return make_quietly(*static_cast<Session *>(session), more, length, *sink, quiet, reason);
    });
}

size_t key_size(void *session)
{
    const int size = static_cast<Session *>(session)->protocol->getKey();

    return size > 0 ? static_cast<size_t>(size) : 0;
}

xro_status encrypt(void *session, const void *bytes, size_t length, const xro_auth_sink *sink, char *reason)
{
    return guarded(reason, [&](const Quiet &quiet) {
        return encrypt_quietly(*static_cast<Session *>(session), bytes, length, *sink, quiet, reason);
    });
}

void close_session(void *session)
{
    char reason[XRO_AUTH_REASON_SIZE];

    guarded(reason, [&](const Quiet &) {
        delete static_cast<Session *>(session);
        return XRO_OK;
    });
}
} // namespace

extern "C" __attribute__((visibility("default"))) const xro_auth_method xro_auth_module_xrdsec;
const xro_auth_method xro_auth_module_xrdsec = {
    XRO_AUTH_ABI, prepare, open_session, make, key_size, encrypt, close_session,
};

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * xroot.h - the constants of the xroot protocol. The names are XProtocol.hh's with XRO_ before them; a build with
 * XRootD's headers asserts that the values are, too (tests/unit/xprotocol.cc). */
#ifndef XRO_PROTO_XROOT_H
#define XRO_PROTO_XROOT_H

enum {
    XRO_HANDSHAKE_SIZE = 20,    /* client's first bytes; must be in the first TCP segment */
    XRO_HANDSHAKE_ANSWER_SIZE = 16,
    XRO_REQUEST_HEADER_SIZE = 24,
    XRO_ANSWER_HEADER_SIZE = 8,
    XRO_SESSION_ID_SIZE = 16,
    XRO_HANDLE_SIZE = 4,
    XRO_LOGIN_NAME_SIZE = 8,
    XRO_HANDSHAKE_MAGIC = 2012
};

/* kXR_PROTOCOLVERSION that we speak: 5.1.1, the one with TLS, pgread and pgwrite. */
enum { XRO_KXR_PROTOCOLVERSION = 0x511 };

/* requests (XRequestTypes) */
enum xro_kxr_request {
    XRO_KXR_AUTH = 3000, XRO_KXR_QUERY, XRO_KXR_CHMOD, XRO_KXR_CLOSE, XRO_KXR_DIRLIST, XRO_KXR_GPFILE, XRO_KXR_PROTOCOL,
    XRO_KXR_LOGIN, XRO_KXR_MKDIR, XRO_KXR_MV, XRO_KXR_OPEN, XRO_KXR_PING, XRO_KXR_CHKPOINT, XRO_KXR_READ, XRO_KXR_RM,
    XRO_KXR_RMDIR, XRO_KXR_SYNC, XRO_KXR_STAT, XRO_KXR_SET, XRO_KXR_WRITE, XRO_KXR_FATTR, XRO_KXR_PREPARE, XRO_KXR_STATX,
    XRO_KXR_ENDSESS, XRO_KXR_BIND, XRO_KXR_READV, XRO_KXR_PGWRITE, XRO_KXR_LOCATE, XRO_KXR_TRUNCATE, XRO_KXR_SIGVER,
    XRO_KXR_PGREAD, XRO_KXR_WRITEV
};

/* "open", "read", ...; "request 3999" has no name: NULL. */
const char *xro_kxr_request_name(unsigned request);

/* answers (XResponseType) */
enum xro_kxr_answer {
    XRO_KXR_OK = 0,
    XRO_KXR_OKSOFAR = 4000,
    XRO_KXR_ATTN = 4001,
    XRO_KXR_AUTHMORE = 4002,
    XRO_KXR_ERROR = 4003,
    XRO_KXR_REDIRECT = 4004,
    XRO_KXR_WAIT = 4005,
    XRO_KXR_WAITRESP = 4006,
    XRO_KXR_STATUS = 4007
};

/* actions of kXR_attn that are still in use */
enum { XRO_KXR_ASYNCMS = 5002, XRO_KXR_ASYNRESP = 5008 };

/* error codes (XErrorCode):  id  value  name */
#define XRO_KXR_ERRORS(E)                                                                     \
    E(ARGINVALID, 3000, "ArgInvalid")     E(ARGMISSING, 3001, "ArgMissing")                   \
    E(ARGTOOLONG, 3002, "ArgTooLong")     E(FILELOCKED, 3003, "FileLocked")                   \
    E(FILENOTOPEN, 3004, "FileNotOpen")   E(FSERROR, 3005, "FSError")                         \
    E(INVALIDREQUEST, 3006, "InvalidRequest") E(IOERROR, 3007, "IOError")                     \
    E(NOMEMORY, 3008, "NoMemory")         E(NOSPACE, 3009, "NoSpace")                         \
    E(NOTAUTHORIZED, 3010, "NotAuthorized") E(NOTFOUND, 3011, "NotFound")                     \
    E(SERVERERROR, 3012, "ServerError")   E(UNSUPPORTED, 3013, "Unsupported")                 \
    E(NOSERVER, 3014, "noserver")         E(NOTFILE, 3015, "NotFile")                         \
    E(ISDIRECTORY, 3016, "isDirectory")   E(CANCELLED, 3017, "Cancelled")                     \
    E(ITEXISTS, 3018, "ItExists")         E(CHKSUMERR, 3019, "ChkSumErr")                     \
    E(INPROGRESS, 3020, "inProgress")     E(OVERQUOTA, 3021, "overQuota")                     \
    E(SIGVERERR, 3022, "SigVerErr")       E(DECRYPTERR, 3023, "DecryptErr")                   \
    E(OVERLOADED, 3024, "Overloaded")     E(FSREADONLY, 3025, "fsReadOnly")                   \
    E(BADPAYLOAD, 3026, "BadPayload")     E(ATTRNOTFOUND, 3027, "AttrNotFound")               \
    E(TLSREQUIRED, 3028, "TLSRequired")   E(NOREPLICAS, 3029, "noReplicas")                   \
    E(AUTHFAILED, 3030, "AuthFailed")     E(IMPOSSIBLE, 3031, "Impossible")                   \
    E(CONFLICT, 3032, "Conflict")         E(TOOMANYERRS, 3033, "TooManyErrs")                 \
    E(REQTIMEDOUT, 3034, "ReqTimedOut")   E(TIMEREXPIRED, 3035, "TimerExpired")

enum xro_kxr_error {
#define E(id, value, name) XRO_KXR_##id = (value),
    XRO_KXR_ERRORS(E)
#undef E
};

/* "kXR_NotFound"'s "NotFound"; NULL for an unknown code. */
const char *xro_kxr_error_name(int code);

/* kXR_protocol: request flags, what follows, answer flags */
enum { XRO_KXR_SECREQS = 0x01, XRO_KXR_ABLETLS = 0x02, XRO_KXR_WANTTLS = 0x04, XRO_KXR_BIFREQS = 0x08 };
enum { XRO_KXR_EXPNONE = 0, XRO_KXR_EXPBIND = 1, XRO_KXR_EXPLOGIN = 3 };
#define XRO_KXR_ISSERVER   UINT32_C(0x00000001)
#define XRO_KXR_ISMANAGER  UINT32_C(0x00000002)
#define XRO_KXR_ATTRCACHE  UINT32_C(0x00000080)
#define XRO_KXR_ATTRMETA   UINT32_C(0x00000100)
#define XRO_KXR_ATTRPROXY  UINT32_C(0x00000200)
#define XRO_KXR_ATTRSUPER  UINT32_C(0x00000400)
#define XRO_KXR_SUPPGRW    UINT32_C(0x00200000)
#define XRO_KXR_TLSDATA    UINT32_C(0x01000000)
#define XRO_KXR_TLSLOGIN   UINT32_C(0x04000000)
#define XRO_KXR_TLSSESS    UINT32_C(0x08000000)
#define XRO_KXR_GOTOTLS    UINT32_C(0x40000000)
#define XRO_KXR_HAVETLS    UINT32_C(0x80000000)

/* a server older than this answers kXR_protocol with 1 or 0 (data server or manager) in place of the flags */
enum { XRO_KXR_VERSION_WITH_FLAGS = 0x297 };

/* kXR_login: ability and capver */
enum {
    XRO_KXR_FULLURL = 0x01, XRO_KXR_HASIPV64 = 0x08, XRO_KXR_REDIRFLAGS = 0x80,
    XRO_KXR_VER005 = 5, XRO_KXR_ASYNCAP = 0x80
};

/* kXR_open: options; kXR_stat: flags in its answer */
enum { XRO_KXR_OPEN_READ = 0x0010, XRO_KXR_RETSTAT = 0x0400 };
enum { XRO_KXR_XSET = 1, XRO_KXR_ISDIR = 2, XRO_KXR_OTHER = 4, XRO_KXR_OFFLINE = 8 };

#endif

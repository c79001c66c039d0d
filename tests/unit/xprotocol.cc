// SPDX-License-Identifier: LGPL-3.0-or-later
//
// xprotocol.cc - our constants of the protocol against XRootD's own header. Nothing runs: the compiler is the test.
#include "base/url.h"
#include "proto/xroot.h"
// To C++ a function xro_in() that makes a struct xro_in is one that hides a constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "proto/auth.h"
#include "proto/serve.h"
#pragma GCC diagnostic pop

#include <cstdint>

#include <XProtocol/XProtocol.hh>

#define SAME(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #ours " is not " #theirs)

// sizes
SAME(XRO_HANDSHAKE_SIZE, sizeof(ClientInitHandShake));
SAME(XRO_HANDSHAKE_ANSWER_SIZE, sizeof(ServerResponseHeader) + 8);
SAME(XRO_REQUEST_HEADER_SIZE, sizeof(ClientRequestHdr));
SAME(XRO_ANSWER_HEADER_SIZE, sizeof(ServerResponseHeader));
SAME(XRO_SESSION_ID_SIZE, sizeof(ServerResponseBody_Login::sessid));
SAME(XRO_HANDLE_SIZE, sizeof(ServerResponseBody_Open::fhandle));
SAME(XRO_LOGIN_NAME_SIZE, sizeof(ClientLoginRequest::username));
SAME(XRO_STATUS_SIZE, sizeof(ServerResponseStatus) + sizeof(ServerResponseBody_pgRead));
SAME(XRO_CHUNK_SIZE, sizeof(readahead_list));
SAME(XRO_PAGE_SIZE, XrdProto::kXR_pgPageSZ);
SAME(XRO_KXR_PROTOCOLVERSION, kXR_PROTOCOLVERSION);

// requests
SAME(XRO_KXR_AUTH, kXR_auth);
SAME(XRO_KXR_QUERY, kXR_query);
SAME(XRO_KXR_CHMOD, kXR_chmod);
SAME(XRO_KXR_CLOSE, kXR_close);
SAME(XRO_KXR_DIRLIST, kXR_dirlist);
SAME(XRO_KXR_GPFILE, kXR_gpfile);
SAME(XRO_KXR_PROTOCOL, kXR_protocol);
SAME(XRO_KXR_LOGIN, kXR_login);
SAME(XRO_KXR_MKDIR, kXR_mkdir);
SAME(XRO_KXR_MV, kXR_mv);
SAME(XRO_KXR_OPEN, kXR_open);
SAME(XRO_KXR_PING, kXR_ping);
SAME(XRO_KXR_CHKPOINT, kXR_chkpoint);
SAME(XRO_KXR_READ, kXR_read);
SAME(XRO_KXR_RM, kXR_rm);
SAME(XRO_KXR_RMDIR, kXR_rmdir);
SAME(XRO_KXR_SYNC, kXR_sync);
SAME(XRO_KXR_STAT, kXR_stat);
SAME(XRO_KXR_SET, kXR_set);
SAME(XRO_KXR_WRITE, kXR_write);
SAME(XRO_KXR_FATTR, kXR_fattr);
SAME(XRO_KXR_PREPARE, kXR_prepare);
SAME(XRO_KXR_STATX, kXR_statx);
SAME(XRO_KXR_ENDSESS, kXR_endsess);
SAME(XRO_KXR_BIND, kXR_bind);
SAME(XRO_KXR_READV, kXR_readv);
SAME(XRO_KXR_PGWRITE, kXR_pgwrite);
SAME(XRO_KXR_LOCATE, kXR_locate);
SAME(XRO_KXR_TRUNCATE, kXR_truncate);
SAME(XRO_KXR_SIGVER, kXR_sigver);
SAME(XRO_KXR_PGREAD, kXR_pgread);
SAME(XRO_KXR_WRITEV, kXR_writev);

// answers
SAME(XRO_KXR_OK, kXR_ok);
SAME(XRO_KXR_OKSOFAR, kXR_oksofar);
SAME(XRO_KXR_ATTN, kXR_attn);
SAME(XRO_KXR_AUTHMORE, kXR_authmore);
SAME(XRO_KXR_ERROR, kXR_error);
SAME(XRO_KXR_REDIRECT, kXR_redirect);
SAME(XRO_KXR_WAIT, kXR_wait);
SAME(XRO_KXR_WAITRESP, kXR_waitresp);
SAME(XRO_KXR_STATUS, kXR_status);
SAME(XRO_KXR_ASYNCMS, kXR_asyncms);
SAME(XRO_KXR_ASYNRESP, kXR_asynresp);

// errors
SAME(XRO_KXR_ARGINVALID, kXR_ArgInvalid);
SAME(XRO_KXR_ARGMISSING, kXR_ArgMissing);
SAME(XRO_KXR_ARGTOOLONG, kXR_ArgTooLong);
SAME(XRO_KXR_FILELOCKED, kXR_FileLocked);
SAME(XRO_KXR_FILENOTOPEN, kXR_FileNotOpen);
SAME(XRO_KXR_FSERROR, kXR_FSError);
SAME(XRO_KXR_INVALIDREQUEST, kXR_InvalidRequest);
SAME(XRO_KXR_IOERROR, kXR_IOError);
SAME(XRO_KXR_NOMEMORY, kXR_NoMemory);
SAME(XRO_KXR_NOSPACE, kXR_NoSpace);
SAME(XRO_KXR_NOTAUTHORIZED, kXR_NotAuthorized);
SAME(XRO_KXR_NOTFOUND, kXR_NotFound);
SAME(XRO_KXR_SERVERERROR, kXR_ServerError);
SAME(XRO_KXR_UNSUPPORTED, kXR_Unsupported);
SAME(XRO_KXR_NOSERVER, kXR_noserver);
SAME(XRO_KXR_NOTFILE, kXR_NotFile);
SAME(XRO_KXR_ISDIRECTORY, kXR_isDirectory);
SAME(XRO_KXR_CANCELLED, kXR_Cancelled);
SAME(XRO_KXR_ITEXISTS, kXR_ItExists);
SAME(XRO_KXR_CHKSUMERR, kXR_ChkSumErr);
SAME(XRO_KXR_INPROGRESS, kXR_inProgress);
SAME(XRO_KXR_OVERQUOTA, kXR_overQuota);
SAME(XRO_KXR_SIGVERERR, kXR_SigVerErr);
SAME(XRO_KXR_DECRYPTERR, kXR_DecryptErr);
SAME(XRO_KXR_OVERLOADED, kXR_Overloaded);
SAME(XRO_KXR_FSREADONLY, kXR_fsReadOnly);
SAME(XRO_KXR_BADPAYLOAD, kXR_BadPayload);
SAME(XRO_KXR_ATTRNOTFOUND, kXR_AttrNotFound);
SAME(XRO_KXR_TLSREQUIRED, kXR_TLSRequired);
SAME(XRO_KXR_NOREPLICAS, kXR_noReplicas);
SAME(XRO_KXR_AUTHFAILED, kXR_AuthFailed);
SAME(XRO_KXR_IMPOSSIBLE, kXR_Impossible);
SAME(XRO_KXR_CONFLICT, kXR_Conflict);
SAME(XRO_KXR_TOOMANYERRS, kXR_TooManyErrs);
SAME(XRO_KXR_REQTIMEDOUT, kXR_ReqTimedOut);
// XRO_KXR_TIMEREXPIRED is of 6.x: the first code that the header of 5.x has not
static_assert(static_cast<int>(XRO_KXR_TIMEREXPIRED) == static_cast<int>(kXR_ReqTimedOut) + 1, "follows the last of 5.x");

// kXR_protocol
SAME(XRO_KXR_SECREQS, ClientProtocolRequest::kXR_secreqs);
SAME(XRO_KXR_ABLETLS, ClientProtocolRequest::kXR_ableTLS);
SAME(XRO_KXR_WANTTLS, ClientProtocolRequest::kXR_wantTLS);
SAME(XRO_KXR_BIFREQS, ClientProtocolRequest::kXR_bifreqs);
SAME(XRO_KXR_EXPNONE, ClientProtocolRequest::kXR_ExpNone);
SAME(XRO_KXR_EXPBIND, ClientProtocolRequest::kXR_ExpBind);
SAME(XRO_KXR_EXPLOGIN, ClientProtocolRequest::kXR_ExpLogin);
SAME(XRO_KXR_ISSERVER, kXR_isServer);
SAME(XRO_KXR_ISMANAGER, kXR_isManager);
SAME(XRO_KXR_ATTRMETA, kXR_attrMeta);
SAME(XRO_KXR_ATTRPROXY, kXR_attrProxy);
SAME(XRO_KXR_ATTRSUPER, kXR_attrSuper);
SAME(XRO_KXR_SUPPGRW, kXR_suppgrw);
SAME(XRO_KXR_TLSDATA, static_cast<std::uint32_t>(kXR_tlsData));
SAME(XRO_KXR_TLSLOGIN, static_cast<std::uint32_t>(kXR_tlsLogin));
SAME(XRO_KXR_TLSSESS, static_cast<std::uint32_t>(kXR_tlsSess));
SAME(XRO_KXR_GOTOTLS, static_cast<std::uint32_t>(kXR_gotoTLS));
SAME(XRO_KXR_HAVETLS, static_cast<std::uint32_t>(kXR_haveTLS));

// kXR_login
SAME(XRO_KXR_FULLURL, kXR_fullurl);
SAME(XRO_KXR_HASIPV64, kXR_hasipv64);
SAME(XRO_KXR_REDIRFLAGS, kXR_redirflags);
SAME(XRO_KXR_VER005, kXR_ver005);
SAME(XRO_KXR_ASYNCAP, kXR_asyncap);

// kXR_open and kXR_stat
SAME(XRO_KXR_OPEN_READ, kXR_open_read);
SAME(XRO_KXR_RETSTAT, kXR_retstat);
SAME(XRO_KXR_XSET, kXR_xset);
SAME(XRO_KXR_ISDIR, kXR_isDir);
SAME(XRO_KXR_OTHER, kXR_other);
SAME(XRO_KXR_OFFLINE, kXR_offline);

// authentication and signing
SAME(XRO_KXR_SECODATA, kXR_secOData);
SAME(XRO_KXR_SECOFRCE, kXR_secOFrce);
SAME(XRO_KXR_SHA256, kXR_SHA256);
SAME(XRO_KXR_NODATA, kXR_nodata);

/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * hosts_view.h - a private view of the hosts file, for processes that load XRootD's libraries.
 *
 * libXrdUtils asks for the names of all interface addresses in a static initialiser, so before main() or inside dlopen.
 * Where the resolver drops packets such a process hangs for seconds before it does anything. In the private view each
 * local address has a name, and nobody has to be asked. */
#ifndef XRO_ENGINE_HOSTS_VIEW_H
#define XRO_ENGINE_HOSTS_VIEW_H

#ifdef __cplusplus
extern "C" {
#endif

/*  id            text */
#define XRO_HOSTS_VIEWS(V)                                                                    \
    V(NONE,        "none")                                                                    \
    V(MOUNT,       "private hosts file (mount namespace)")                                    \
    V(USER,        "private hosts file (user namespace)")                                     \
    V(RES_OPTIONS, "RES_OPTIONS timeout:1 attempts:1")

enum xro_hosts_view {
#define V(id, text) XRO_HOSTS_VIEW_##id,
    XRO_HOSTS_VIEWS(V)
#undef V
    XRO_HOSTS_VIEW_COUNT
};

/* What was done, for people; never NULL. */
const char *xro_hosts_view_text(enum xro_hosts_view view);

/* Give this process, and the children that it will start, the private view; where the system does not allow it, short
 * time limits for the resolver in RES_OPTIONS, unless that is set already (then: NONE). There is no way back, so it is
 * for a helper process, which must have one thread only.
 *
 * The view is /etc/hosts with a line for each local address that it lacks, and, when nsswitch.conf does not ask that
 * file first, one that does; all else is as it was. When this host's own name is not in the file, the library asks for
 * that too: then RES_OPTIONS is set beside the view. No file is left anywhere. */
enum xro_hosts_view xro_hosts_view_enter(void);

#ifdef __cplusplus
}
#endif
#endif

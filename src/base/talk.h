/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * talk.h - where messages for people go: the standard error that we were started with. A plug-in of XRootD's is run with
 * descriptor 2 turned elsewhere, for its own words not to come between; ours must not go there, too. */
#ifndef XRO_BASE_TALK_H
#define XRO_BASE_TALK_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keep what standard error is now: main() does so before there are threads or plug-ins. */
void xro_talk_keep(void);

/* What was kept, unbuffered as stderr is; stderr itself when nothing was. */
FILE *xro_talk(void);

#ifdef __cplusplus
}
#endif
#endif

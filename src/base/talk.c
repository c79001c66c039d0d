/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/talk.h"

#include <fcntl.h>
#include <unistd.h>

static FILE *kept;

void xro_talk_keep(void)
{
    int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

    kept = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (kept != NULL)
        setvbuf(kept, NULL, _IONBF, 0);
}

FILE *xro_talk(void)
{
    return kept != NULL ? kept : stderr;
}

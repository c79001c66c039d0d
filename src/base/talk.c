/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/talk.h"

#include <fcntl.h>
#include <unistd.h>

FILE *xro_talk(void)
{
    static FILE *talk;
    int copy;

    if (talk != NULL)
        return talk;
    copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    talk = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (talk == NULL)
        return talk = stderr;
    setvbuf(talk, NULL, _IONBF, 0);
    return talk;
}

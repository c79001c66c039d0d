/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/escape.h"

#include <string.h>

/* How BYTE is written, in PIECE; answers its length. No printf: names are escaped while the clock runs. */
static size_t write_byte(unsigned char byte, char piece[4])
{
    static const char digits[] = "0123456789abcdef";

    if (byte == '\\') {
        memcpy(piece, "\\\\", 2);
        return 2;
    }
    if (byte >= 0x20 && byte < 0x7f) {
        piece[0] = (char)byte;
        return 1;
    }
    memcpy(piece, "\\x", 2);
    piece[2] = digits[byte >> 4];
    piece[3] = digits[byte & 15];
    return 4;
}

char *xro_escape(const void *bytes, size_t length, char *to, size_t size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        char piece[4];
        size_t n = write_byte(from[i], piece);

        if (n >= size - used)
            break;
        memcpy(to + used, piece, n);
        used += n;
    }
    to[used] = '\0';
    return to;
}

#include "utf8.h"

size_t utf8_sequence(const unsigned char *bytes, size_t length)
{
    unsigned low = 0x80, high = 0xbf; /* of the second byte; RFC 3629, section 4 */
    size_t size;

    if (length == 0)
        return 0;
    unsigned first = bytes[0];
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        size = 2;
    else if (first >= 0xe0 && first <= 0xef)
        size = 3;
    else if (first >= 0xf0 && first <= 0xf4)
        size = 4;
    else
        return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (length < size || bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++) {
        if (bytes[i] < 0x80 || bytes[i] > 0xbf)
            return 0;
    }
    return size;
}

#include "distance.h"

enum { LONGEST = 255 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1], length = 0;

    while (length < LONGEST && b[length])
        length++;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; i < LONGEST && a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = smaller(replaced, smaller(row[j], diagonal) + 1);
        }
    }
    return row[length];
}

#include "numbers.h"

int square(int n)
{
    return n * n;
}

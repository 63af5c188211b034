#include "numbers.h"

int is_prime(int n)
{
    for (int i = 2; square(i) <= n; i++) {
        if (n % i == 0)
            return 0;
    }
    return n > 1;
}

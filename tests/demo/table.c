#include <stdio.h>

#include "numbers.h"

void print_table(int n)
{
    for (int i = 1; i <= n; i++)
        printf("%d%c", square(i), i == n ? '\n' : ' ');
}

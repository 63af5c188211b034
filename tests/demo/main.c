/* A program whose modules call each other in small pieces, so that ThinLTO has something to import:
 * square() and is_prime() are inlined here from other modules. */
#include <stdio.h>

#include "numbers.h"

int main(int argc, char **argv)
{
    (void)argv;
    int n = argc + 9;

    printf("squares to %d sum to %d\n", n, sum_of_squares(n));
    for (int i = 2; i <= n; i++) {
        if (is_prime(i))
            printf("%d is prime, its square is %d\n", i, square(i));
    }
    print_table(n);
    return 0;
}

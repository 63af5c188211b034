#ifndef NUMBERS_H
#define NUMBERS_H

int square(int n);
int is_prime(int n);
int sum_of_squares(int n);
void print_table(int n);

#endif

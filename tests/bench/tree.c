/* Reads a file into json-c's tree and does nothing else, to compare dtlto-ninja with.
 *
 * usage: bench-tree FILE */
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    /* Freeing the tree is no part of reading it, and its being left is no leak. */
    if (argc == 2 && json_object_from_file(argv[1]))
        _exit(0);
    fprintf(stderr, "bench-tree: %s\n",
            argc == 2 ? json_util_get_last_err() : "usage: bench-tree FILE\n");
    return 1;
}

/* Reads a file into json-c's tree and does nothing else, to compare dtlto-ninja with.
 *
 * usage: bench-tree FILE */
#include <json-c/json.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc == 2 && json_object_from_file(argv[1]))
        return 0; /* freeing the tree is no part of reading it */
    fprintf(stderr, "bench-tree: %s\n",
            argc == 2 ? json_util_get_last_err() : "usage: bench-tree FILE\n");
    return 1;
}

/* The statuses of dtlto-clang on the far side of a farm, for its side at home, besides
 * STATUS_SYSTEM where its own memory runs out. They are none that clang or a farm's client has. All
 * mean that the compilation is to be run at home. */
#ifndef FAR_H
#define FAR_H

enum far {
    FAR_OTHERS = 100, /* distcc's own statuses begin here; clang's own are 1 and 70 */
    FAR_FIRST = 120,
    FAR_REFUSED = 120,  /* the bundle is not as it must be, or asks for what is not allowed */
    FAR_COMPILER = 121, /* there is no such compiler */
    FAR_LIMIT = 122,    /* it took too long or too much, or was ended or killed */
    FAR_SYSTEM = 123,   /* something else kept it from running */
    FAR_OBJECT = 124,   /* the compiler ended well and left no object, or one that is no good */
    FAR_LAST = 124,
};

/* The far side: ARGV is the compilation of one preprocessed file as a farm's daemon asks for it.
 * distccd: dtlto-clang -c /tmp/distccd_X.i -o /tmp/distccd_Y.o; iceccd: clang -x c -Xclang ...
 * -c ... - -o icecc-N.o ..., the file on standard input. Everything but the file and the output is
 * of no interest. Runs what the file, a bundle, asks for, and returns a status: 0 where the object
 * is there, that of the compiler where it failed, or one of the above after a message. */
int far_main(int argc, char **argv);

/* The file that such a command is to write, and that it reads ("-": standard input); null pointers
 * where it names none. */
struct far_command {
    const char *input, *output;
};
struct far_command far_command_read(int argc, char **argv);

#endif

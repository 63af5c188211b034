/* What writer and reader of bundles share; see bundle.h. */
#ifndef BUNDLE_FORMAT_H
#define BUNDLE_FORMAT_H

#define BUNDLE_HEAD   "dtlto-bundle"   /* the name of the first member */
#define BUNDLE_FORMAT "dtlto-bundle 1" /* its first line */

/* The keys of its other lines. */
#define KEY_COMPILER "compiler"
#define KEY_TARGET   "target"
#define KEY_MEMBERS  "members"
#define KEY_BYTES    "bytes"
#define KEY_MODULE   "module"
#define KEY_OPTION   "option"
#define KEY_FILE     "file"
#define KEY_PLACE    "place"
#define KEY_END      "end"

#endif

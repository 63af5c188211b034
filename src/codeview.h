/* CodeView, the debugging information of Windows, in the objects of a compilation. */
#ifndef CODEVIEW_H
#define CODEVIEW_H

#include <stdbool.h>

#include "compilation.h"
#include "words.h"

/* Whether the object of COMPILATION, which reads INPUTS, is to have CodeView. Then clang (22) puts
 * its own path and the words of its command into it, the folder that it runs in and the index
 * shard, whose name has lld's process id in it, among them (LF_BUILDINFO;
 * -gno-codeview-command-line does not reach a compilation of bitcode); so an object that is made
 * elsewhere is another one.
 *
 * The inputs are looked at only where the target is one that has CodeView. A module says so in a
 * module flag of that name, which goes over to those that import from it; its bytes stand in
 * bitcode as they are (METADATA_STRINGS). The same bytes anywhere else count too, and so does an
 * input that cannot be read. */
bool codeview_records(const struct compilation *compilation, const struct words *inputs);

#endif

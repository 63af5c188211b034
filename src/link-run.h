/* Has ninja run a link, or show it. */
#ifndef LINK_RUN_H
#define LINK_RUN_H

#include "link.h"

/* Has ninja run the jobs of LINK, whose manifest is written and names some: removes old outputs,
 * and judges the new ones. What came of it is in LINK then. Returns what link_perform returns. */
enum status link_compile(struct link *link);

/* Has ninja show what it would run, and returns the same. */
enum status link_show(struct link *link);

#endif

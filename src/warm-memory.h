/* How the warm compiler (warm-shim.c) lays out its memory, so that its children take less time.
 * Each page that a child touches for the first time costs it a page fault: a small compilation had
 * 2400 of them, a tenth of its time. What the compiler computes is the same. */
#ifndef WARM_MEMORY_H
#define WARM_MEMORY_H

/* Has malloc take memory from the kernel in large steps and keep it. Does nothing where the
 * environment has settings for malloc, or there is a limit on memory, near which a large step would
 * fail and a small one would not. To be called in a child that has its client's limits. */
void warm_memory_tune_malloc(void);

/* Moves the code of the large libraries to huge pages (Documentation/admin-guide/mm/transhuge.rst
 * of Linux), which children share without page faults, and the processor finds with fewer steps.
 * Takes as much memory as that code (100 MiB for LLVM and clang), once, and a few hundredths of a
 * second. Does nothing where the system has no huge pages or little free memory. Must run in the
 * server, which has one thread. Ends the process in the one case that cannot be undone: code was
 * unmapped and nothing put there; its clients then run the compiler in the plain way. */
void warm_memory_enlarge_pages(void);

#endif

#define _GNU_SOURCE /* dl_iterate_phdr, mremap */

#include "warm-memory.h"

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

static const uintptr_t huge_page = (uintptr_t)2 << 20;
static const uintptr_t least_code = (uintptr_t)24 << 20; /* of a library that is worth it */
static const long long least_free = 1LL << 30;           /* memory */

/* What malloc comes to by itself, if late: it raises its limit for separate mappings to this
 * (mallopt(3), M_MMAP_THRESHOLD). */
enum { MMAP_THRESHOLD = 32 << 20, TRIM_THRESHOLD = 256 << 20, STEP = 64 << 20 };

static bool is_limited(__rlimit_resource_t kind)
{
    struct rlimit limit;
    return getrlimit(kind, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

void warm_memory_tune_malloc(void)
{
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
        return;
    for (char **variable = environ; *variable; variable++) {
        if (strncmp(*variable, "MALLOC_", 7) == 0 || strncmp(*variable, "GLIBC_TUNABLES=", 15) == 0)
            return;
    }
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
    mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD);
    mallopt(M_TOP_PAD, STEP);
}

/* Whether memory that asks for huge pages gets them. */
static bool has_huge_pages(void)
{
    char text[64] = "";
    int fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    ssize_t count = read(fd, text, sizeof text - 1);
    close(fd);
    return count > 0 && !strstr(text, "[never]");
}

/* A copy of the bytes, in huge pages, with the protection of code; NULL where there is none. SPACE
 * is set to the mapping that it lies in. */
static void *copy_code(const void *code, size_t size, void **space)
{
    size_t whole = size + huge_page;
    char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *space = memory;
    if (memory == MAP_FAILED)
        return NULL;
    char *copy = memory + (huge_page - (uintptr_t)memory % huge_page) % huge_page;
    if (madvise(copy, size, MADV_HUGEPAGE) == 0) {
        memcpy(copy, code, size);
        /* Some security policies forbid it. */
        if (mprotect(copy, size, PROT_READ | PROT_EXEC) == 0)
            return copy;
    }
    munmap(memory, whole);
    return NULL;
}

/* SIZE is a multiple of a huge page, and CODE lies at one. */
static void enlarge(void *code, size_t size)
{
    void *space;
    void *copy = copy_code(code, size, &space);

    if (!copy)
        return;
    if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, code) == MAP_FAILED)
        _exit(1);
    /* What is left before and after it; the moved part itself is no longer there. */
    munmap(space, size + huge_page);
}

/* Enlarges the code of one library. */
static int enlarge_library(struct dl_phdr_info *library, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t from = library->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;

        from += (huge_page - from % huge_page) % huge_page;
        to -= to % huge_page;
        if (part->p_type == PT_LOAD && part->p_flags == (PF_R | PF_X) && to > from &&
            to - from >= least_code)
            enlarge((void *)from, to - from); // NOLINT(performance-no-int-to-ptr): it is an address
    }
    return 0;
}

void warm_memory_enlarge_pages(void)
{
    long long free_memory = (long long)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);

    if (has_huge_pages() && free_memory >= least_free)
        dl_iterate_phdr(enlarge_library, NULL);
}

#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object-file.h"

enum format { ELF, COFF, MACHO, WASM, FORMATS, UNKNOWN = FORMATS };

static const struct {
    const char *found, *wanted;
    bool (*check)(struct object_file *file, uint64_t *machine);
} formats[] = {
    [ELF] = {"is ELF", "an ELF", object_elf},
    [COFF] = {"is COFF", "a COFF", object_coff},
    [MACHO] = {"is Mach-O", "a Mach-O", object_macho},
    [WASM] = {"is WebAssembly", "a WebAssembly", object_wasm},
};

/* What the headers say for an architecture; 0 where that is not known. */
struct machine {
    const char *prefix; /* of the triple; the first that fits counts */
    uint64_t number[FORMATS];
};

/* LLVM's BinaryFormat/ELF.h, COFF.h and MachO.h have the numbers. */
static const struct machine machines[] = {
    {"x86_64", {62, 0x8664, 0x01000007, 0}},
    {"amd64", {62, 0x8664, 0x01000007, 0}},
    {"i386", {3, 0x14c, 7, 0}},
    {"i486", {3, 0x14c, 7, 0}},
    {"i586", {3, 0x14c, 7, 0}},
    {"i686", {3, 0x14c, 7, 0}},
    {"aarch64_32", {183, 0, 0x0200000c, 0}},
    {"arm64_32", {183, 0, 0x0200000c, 0}},
    {"arm64ec", {183, 0xa641, 0, 0}},
    {"aarch64", {183, 0xaa64, 0x0100000c, 0}},
    {"arm64", {183, 0xaa64, 0x0100000c, 0}},
    {"arm", {40, 0x1c4, 12, 0}},
    {"thumb", {40, 0x1c4, 12, 0}},
    {"powerpc64", {21, 0, 0, 0}},
    {"ppc64", {21, 0, 0, 0}},
    {"powerpc", {20, 0, 0, 0}},
    {"ppc", {20, 0, 0, 0}},
    {"riscv", {243, 0, 0, 0}},
    {"loongarch", {258, 0, 0, 0}},
    {"s390x", {22, 0, 0, 0}},
    {"systemz", {22, 0, 0, 0}},
    {"mips", {8, 0, 0, 0}},
    {"sparcv9", {43, 0, 0, 0}},
    {"sparc64", {43, 0, 0, 0}},
    {"hexagon", {164, 0, 0, 0}},
    {"msp430", {105, 0, 0, 0}},
    {"avr", {83, 0, 0, 0}},
    {"amdgcn", {224, 0, 0, 0}},
    {"wasm", {0, 0, 0, 0}},
};

/* Words in a triple that say the format, as LLVM's Triple.cpp has it, at the end of it or at the
 * beginning of a part. clang 22 has ELF for "firmware", others may not. */
static const struct mark {
    const char *word;
    enum format format;
} endings[] = {{"elf", ELF},      {"coff", COFF},     {"macho", MACHO},  {"wasm", WASM},
               {"goff", UNKNOWN}, {"spirv", UNKNOWN}, {"iamcu", UNKNOWN}},
  systems[] = {{"darwin", MACHO},     {"macos", MACHO},     {"ios", MACHO},
               {"tvos", MACHO},       {"watchos", MACHO},   {"xros", MACHO},
               {"visionos", MACHO},   {"driverkit", MACHO}, {"bridgeos", MACHO},
               {"firmware", UNKNOWN}, {"windows", COFF},    {"win32", COFF},
               {"mingw", COFF},       {"cygwin", COFF},     {"uefi", COFF},
               {"aix", UNKNOWN},      {"zos", UNKNOWN}};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *word, const char *ending)
{
    size_t length = strlen(word), count = strlen(ending);
    return length >= count && strcmp(word + length - count, ending) == 0;
}

static const struct machine *find_machine(const char *target)
{
    for (size_t i = 0; i < LENGTH(machines); i++) {
        if (begins(target, machines[i].prefix))
            return &machines[i];
    }
    return NULL;
}

/* The format that TARGET's words name, for an architecture that is known. */
static enum format named_format(const char *target)
{
    for (size_t i = 0; i < LENGTH(endings); i++) {
        if (ends(target, endings[i].word))
            return endings[i].format;
    }
    for (const char *part = strchr(target, '-'); part; part = strchr(part + 1, '-')) {
        for (size_t i = 0; i < LENGTH(systems); i++) {
            if (begins(part + 1, systems[i].word))
                return systems[i].format;
        }
    }
    return begins(target, "wasm") ? WASM : ELF;
}

/* The format of the objects for TARGET. For one that the architecture does not have, as
 * riscv64-apple-macosx names, LLVM takes another. */
static enum format find_format(const char *target, const struct machine *machine)
{
    enum format format = machine ? named_format(target) : UNKNOWN;
    bool has_none = format != UNKNOWN && format != WASM && machine->number[format] == 0;
    return has_none ? UNKNOWN : format;
}

const char *object_target(const struct words *command)
{
    /* clang's options that change the architecture, or have something else written. */
    static const char *const others[] = {"-m16",    "-m32",  "-m64",          "-mx32",  "-miamcu",
                                         "-maix64", "-S",    "-emit-llvm",    "-E",     "-M",
                                         "-MM",     "-arch", "-fsyntax-only", "-Xclang"};
    static const char option[] = "--target=";
    const char *target = NULL;

    for (size_t i = 0; i < command->count; i++) {
        const char *word = command->items[i];
        if (!word)
            break;
        if (begins(word, option))
            target = word + strlen(option);
        else if (strcmp(word, "-target") == 0 && i + 1 < command->count)
            target = command->items[++i];
        for (size_t j = 0; j < LENGTH(others); j++) {
            if (strcmp(word, others[j]) == 0)
                return NULL;
        }
        if (word[0] == '@' || begins(word, "--config") || begins(word, "-emit-"))
            return NULL;
    }
    return target;
}

/* By its first bytes. COFF has no magic number, but begins with the machine. */
static enum format recognize(struct object_file *file)
{
    static const char *const macho[] = {"\317\372\355\376", "\316\372\355\376", "\376\355\372\317",
                                        "\376\355\372\316"};
    const unsigned char *bytes = file->size >= 4 ? object_bytes(file, 0, 4, "the header") : NULL;

    if (!bytes)
        return UNKNOWN;
    if (memcmp(bytes, "\177ELF", 4) == 0)
        return ELF;
    if (memcmp(bytes, "\0asm", 4) == 0)
        return WASM;
    if (memcmp(bytes, "\0\0\377\377", 4) == 0)
        return COFF;
    for (size_t i = 0; i < LENGTH(macho); i++) {
        if (memcmp(bytes, macho[i], 4) == 0)
            return MACHO;
    }
    uint64_t machine = object_number(file, bytes, 2);
    for (size_t i = 0; i < LENGTH(machines); i++) {
        if (machines[i].number[COFF] != 0 && machines[i].number[COFF] == machine)
            return COFF;
    }
    return UNKNOWN;
}

/* What it is instead, for people. */
static const char *describe(struct object_file *file, enum format format)
{
    const unsigned char *bytes = file->size >= 4 ? object_bytes(file, 0, 4, "the header") : NULL;

    if (format != UNKNOWN)
        return formats[format].found;
    if (bytes && (memcmp(bytes, "BC\300\336", 4) == 0 || memcmp(bytes, "\336\300\027\013", 4) == 0))
        return "is bitcode";
    return "is of no known format";
}

static bool examine(struct object_file *file, const char *target)
{
    const struct machine *machine = target ? find_machine(target) : NULL;
    enum format wanted = find_format(target, machine), found = recognize(file);
    uint64_t number = 0;

    if (file->problem->length > 0)
        return false;
    if (wanted != UNKNOWN && found != wanted)
        return object_is_damaged(file, "%s, not %s object for %s", describe(file, found),
                                 formats[wanted].wanted, target);
    if (found == UNKNOWN)
        return true;
    if (!formats[found].check(file, &number))
        return false;
    if (wanted == UNKNOWN || machine->number[found] == 0 || machine->number[found] == number)
        return true;
    return object_is_damaged(
        file, "is for another machine: its header has 0x%" PRIx64 ", not the 0x%" PRIx64 " of %s",
        number, machine->number[found], target);
}

bool object_check(int folder, const char *path, const char *target, struct text *problem)
{
    struct object_file file = {.problem = problem};
    struct stat info;

    text_puts(problem, "");
    file.fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file.fd < 0 && errno == ENOENT)
        return object_is_damaged(&file, "is missing");
    if (file.fd < 0 && errno == ELOOP)
        return object_is_damaged(&file, "is no regular file");
    if (file.fd < 0 || fstat(file.fd, &info) != 0)
        object_is_damaged(&file, "cannot be read: %s", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        object_is_damaged(&file, "is no regular file");
    else if (info.st_size == 0)
        object_is_damaged(&file, "is empty");
    else {
        file.size = (uint64_t)info.st_size;
        examine(&file, target);
    }
    if (file.fd >= 0)
        close(file.fd);
    return problem->length == 0;
}

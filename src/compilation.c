#include "compilation.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* The longest option, and the longest value of two words; the triples and features of processors
 * that there are stay far below. */
enum { OPTION_LIMIT = 256 };

/* How much of a word a reason quotes. */
enum { QUOTE_LIMIT = 80 };

/* Of all lists: the words that are in no group are refused, those most of all that name a file or a
 * folder (-I, -B, --sysroot, -fsanitize-ignorelist=), run or load something (-fplugin=, -Xclang,
 * -fno-integrated-as), write more than the object (-gsplit-dwarf, -fstack-usage, -save-temps),
 * write something else (-flto, -S, -emit-llvm), or ask the machine they run on. */

/* Options that are one word. */
static const char exact_words[] =
    /* How much to optimize. */
    " -O -O0 -O1 -O2 -O3 -Os -Oz -Og -Ofast"
    /* What to print; clang's own crash reports would be further files. */
    " -w -Qunused-arguments -fno-crash-diagnostics -fansi-escape-codes"
    /* Debugging information in the object: how much, and in what form. */
    " -g -g0 -g1 -g2 -g3 -gdwarf -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 -gdwarf32 -gdwarf64"
    " -ggdb -ggdb0 -ggdb1 -ggdb2 -ggdb3 -glldb -gsce -gdbx -gcodeview -gcodeview-ghash"
    " -gno-codeview-ghash -gno-codeview-command-line -gline-tables-only -gline-directives-only"
    " -gmlt -gcolumn-info -gno-column-info -gstrict-dwarf -gno-strict-dwarf -gpubnames"
    " -gno-pubnames -ggnu-pubnames -gno-gnu-pubnames -ginline-line-tables -gno-inline-line-tables"
    " -gkey-instructions -gno-key-instructions -gcall-site-info -gno-call-site-info"
    " -gno-split-dwarf -gz"
    /* Counters in the code; they write when the program runs. */
    " -fprofile-generate -fcs-profile-generate"
    /* What is -fNAME or -fno-NAME, but not both. */
    " -fcf-protection -ffreestanding -finstrument-functions -fstack-protector-all"
    " -fstack-protector-strong -ftrapv"
    /* The same for processors. */
    " -m16 -m32 -m64 -mx32 -marm -mthumb -mbig-endian -mlittle-endian -mhard-float -msingle-float"
    " -mdouble-float -mlong-double-64 -mlong-double-80 -mlong-double-128 -mgeneral-regs-only"
    " -mbranches-within-32B-boundaries -mindirect-branch-cs-prefix -mno-neg-immediates -mno-movt";

/* Options -fNAME and -fno-NAME. */
static const char f_names[] =
    /* Where code and data are put, and how they are reached. */
    " pic PIC pie PIE function-sections data-sections unique-section-names"
    " unique-basic-block-section-names separate-named-sections basic-block-address-map"
    " split-machine-functions partition-static-data-sections addrsig plt semantic-interposition"
    " direct-access-external-data common emulated-tls zero-initialized-in-bss use-init-array"
    " jump-tables keep-static-consts merge-all-constants register-global-dtors-with-atexit"
    " use-cxa-atexit visibility-inlines-hidden"
    /* What is optimized. */
    " omit-frame-pointer optimize-sibling-calls inline inline-functions unroll-loops vectorize"
    " slp-vectorize tree-vectorize tree-slp-vectorize loop-interchange finite-loops"
    " strict-aliasing strict-overflow strict-return strict-enums strict-vtable-pointers"
    " strict-float-cast-overflow wrapv wrapv-pointer delete-null-pointer-checks builtin"
    " global-isel whole-program-vtables virtual-function-elimination split-lto-unit"
    " force-emit-vtables assume-unique-vtables devirtualize-speculatively"
    /* Floating point. */
    " fast-math math-errno associative-math reciprocal-math finite-math-only signed-zeros"
    " honor-nans honor-infinities approx-func rounding-math trapping-math"
    " unsafe-math-optimizations cx-limited-range cx-fortran-rules protect-parens"
    /* Exceptions, tables for unwinding, and guards in the code. */
    " exceptions cxx-exceptions async-exceptions unwind-tables asynchronous-unwind-tables rtti"
    " threadsafe-statics force-dwarf-frame dwarf2-cfi-asm stack-protector stack-clash-protection"
    " stack-size-section split-stack"
    /* Which debugging information, and what profiles need of it. */
    " standalone-debug debug-types-section eliminate-unused-debug-types dwarf-directory-asm"
    " debug-info-for-profiling pseudo-probe-for-profiling profile-sample-accurate"
    " sample-profile-use-profi unique-internal-linkage-names"
    /* The look of messages. */
    " color-diagnostics diagnostics-color caret-diagnostics show-column show-source-location"
    " diagnostics-show-option diagnostics-fixit-info diagnostics-show-note-include-stack"
    /* What builds hand to all compilations, without effect on bitcode. */
    " ident short-enums short-wchar signed-char ms-extensions ms-volatile";

/* Options -mNAME and -mno-NAME: what the processor has, and how its code is laid out. */
static const char m_names[] =
    /* x86. */
    " mmx sse sse2 sse3 ssse3 sse4 sse4.1 sse4.2 sse4a avx avx2 avx512f avx512cd avx512bw"
    " avx512dq avx512vl avx512vbmi avx512vbmi2 avx512ifma avx512vnni avx512bitalg avx512vpopcntdq"
    " avx512bf16 avx512fp16 avxvnni avxifma avx10.1 avx10.2 amx-tile amx-int8 amx-bf16 aes vaes"
    " pclmul vpclmulqdq gfni sha sha512 sm3 sm4 kl widekl bmi bmi2 fma fma4 f16c lzcnt popcnt adx"
    " movbe movdiri movdir64b rdrnd rdseed rdpid rtm fsgsbase fxsr xsave xsavec xsaveopt xsaves"
    " cx16 crc32 x87 sahf prfchw clflushopt clwb clzero shstk tbm xop lwp pku serialize waitpkg"
    " apxf soft-float implicit-float red-zone stackrealign stack-arg-probe vzeroupper"
    " tls-direct-seg-refs omit-leaf-frame-pointer skip-rax-setup retpoline"
    " retpoline-external-thunk lvi-cfi lvi-hardening speculative-load-hardening daz-ftz"
    " incremental-linker-compatible ms-bitfields"
    /* Arm. */
    " outline outline-atomics strict-align unaligned-access restrict-it execute-only long-calls"
    " global-merge crc fix-cortex-a53-835769 fix-cortex-a53-843419"
    /* RISC-V and LoongArch. */
    " relax save-restore scalar-strict-align vector-strict-align lsx lasx frecipe lam-bh"
    /* PowerPC, SystemZ, MIPS and Hexagon. */
    " altivec vsx power8-vector power9-vector power10-vector crypto htm mma pcrel prefixed"
    " longcall backchain packed-stack vx msa micromips xgot dsp abicalls gpopt madd4 packets nvj"
    " nvs";

/* What may stand behind the "=" of an option. */
enum pattern {
    NAME,     /* a plain one; "native" would be another processor on another machine */
    TRIPLE,   /* of a system that clang has an assembler for */
    WARNING,  /* without the "," of -Wa, -Wl, and -Wp, */
    LOCATION, /* text that stands for a folder, which is not looked for */
};

static const struct valued {
    const char *prefix;
    enum pattern pattern;
} valued[] = {
    /* What to generate code for. */
    {"--target=", TRIPLE},
    {"-march=", NAME},
    {"-mcpu=", NAME},
    {"-mtune=", NAME},
    {"-mabi=", NAME},
    {"-mfloat-abi=", NAME},
    {"-mfpu=", NAME},
    {"-mfpmath=", NAME},
    {"-mhwdiv=", NAME},
    {"-mnan=", NAME},
    {"-msimd=", NAME},
    {"-msve-vector-bits=", NAME},
    {"-mrvv-vector-bits=", NAME},
    {"-mprefer-vector-width=", NAME},
    {"-mimplicit-it=", NAME},
    {"-mregparm=", NAME},
    /* Where things are put, and how they are reached. */
    {"-mcmodel=", NAME},
    {"-mlarge-data-threshold=", NAME},
    {"-msmall-data-limit=", NAME},
    {"-mstack-alignment=", NAME},
    {"-mtls-dialect=", NAME},
    {"-mtls-size=", NAME},
    {"-mtp=", NAME},
    {"-ftls-model=", NAME},
    {"-fvisibility=", NAME},
    {"-falign-functions=", NAME},
    {"-falign-loops=", NAME},
    {"-fbasic-block-sections=", NAME},
    {"-fbinutils-version=", NAME},
    {"-femit-dwarf-unwind=", NAME},
    /* Guards in the code. */
    {"-mbranch-protection=", NAME},
    {"-msign-return-address=", NAME},
    {"-mharden-sls=", NAME},
    {"-mindirect-jump=", NAME},
    {"-mfunction-return=", NAME},
    {"-mguard=", NAME},
    {"-mstack-protector-guard=", NAME},
    {"-mstack-protector-guard-offset=", NAME},
    {"-mstack-protector-guard-reg=", NAME},
    {"-mstack-protector-guard-symbol=", NAME},
    {"-fcf-protection=", NAME},
    {"-fpatchable-function-entry=", NAME},
    {"-ftrap-function=", NAME},
    {"-ftrivial-auto-var-init=", NAME},
    {"-fzero-call-used-regs=", NAME},
    /* Floating point and vectors. */
    {"-fcomplex-arithmetic=", NAME},
    {"-fdenormal-fp-math=", NAME},
    {"-fexcess-precision=", NAME},
    {"-ffp-contract=", NAME},
    {"-ffp-exception-behavior=", NAME},
    {"-ffp-model=", NAME},
    {"-fveclib=", NAME},
    /* Debugging information and counters. */
    {"-fdebug-default-version=", NAME},
    {"-fprofile-update=", NAME},
    {"-gz=", NAME},
    /* What to print. */
    {"-W", WARNING},
    {"-fdiagnostics-color=", NAME},
    {"-ferror-limit=", NAME},
    {"-fmessage-length=", NAME},
    /* What folders are called in debugging information: only text is replaced. */
    {"-fcoverage-prefix-map=", LOCATION},
    {"-fdebug-compilation-dir=", LOCATION},
    {"-fdebug-prefix-map=", LOCATION},
    {"-ffile-compilation-dir=", LOCATION},
    {"-ffile-prefix-map=", LOCATION},
    {"-fmacro-prefix-map=", LOCATION},
};

/* How the triples begin of what lld links and clang needs no other program for: for XCore it runs
 * xcc, for NVPTX ptxas. */
static const char *const architectures[] = {
    "x86_64",  "amd64",     "i386", "i486",   "i586",    "i686", "aarch64", "arm",   "thumb", "avr",
    "hexagon", "loongarch", "mips", "msp430", "powerpc", "ppc",  "riscv",   "s390x", "sparc",
};

/* What lld writes itself where it is given --no-lto-pgo-warn-mismatch. */
static const char lld_mllvm[] = "-no-pgo-warn-mismatch";

/* Options with a file behind them: a sample profile (the one that lld writes; -fauto-profile= is
 * another name of it), a profile of counters, a list of changed names, a list of blocks. */
static const char *const carrying[] = {
    "-fprofile-sample-use=", "-fauto-profile=",           "-fprofile-use=",
    "-fprofile-instr-use=",  "-fprofile-remapping-file=", "-fbasic-block-sections=list=",
};

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

/* Whether WORD is one of the words in LIST, which have blanks between them. */
static bool is_listed(const char *list, const char *word)
{
    static const char blanks[] = " \t\n\r\v\f";
    size_t length = strlen(word);

    for (list += strspn(list, blanks); *list; list += strspn(list, blanks)) {
        size_t count = strcspn(list, blanks);
        if (count == length && strncmp(list, word, count) == 0)
            return true;
        list += count;
    }
    return false;
}

/* Whether TEXT is not empty and has only ASCII letters, digits and bytes of OTHERS in it. */
static bool consists_of(const char *text, const char *others)
{
    if (!*text)
        return false;
    for (; *text; text++) {
        bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                     (*text >= '0' && *text <= '9');
        if (!plain && !strchr(others, *text))
            return false;
    }
    return true;
}

static bool is_triple(const char *value)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        if (begins(value, architectures[i]))
            return strlen(value) <= OPTION_LIMIT && consists_of(value, "._-");
    }
    return false;
}

static bool is_name(const char *value)
{
    static const char inner[] = "._+:,-";
    return consists_of(value, inner) && !strchr(inner, value[0]) && !begins(value, "native") &&
           !begins(value, "help");
}

static bool matches(const char *value, enum pattern pattern)
{
    switch (pattern) {
    case NAME:
        return is_name(value);
    case TRIPLE:
        return is_triple(value);
    case WARNING:
        return consists_of(value, "_+=-");
    case LOCATION:
        return consists_of(value, "/._+=:,~@%-");
    }
    return false;
}

static bool is_valued(const char *option)
{
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        if (begins(option, valued[i].prefix))
            return matches(option + strlen(valued[i].prefix), valued[i].pattern);
    }
    return false;
}

static bool is_switch(const char *option, const char *letter, const char *names)
{
    if (!begins(option, letter))
        return false;
    option += strlen(letter);
    return is_listed(names, begins(option, "no-") ? option + 3 : option);
}

static bool is_mllvm(const char *value, const char *mllvm)
{
    return value[0] == '-' && (strcmp(value, lld_mllvm) == 0 || (mllvm && is_listed(mllvm, value)));
}

size_t compilation_allowed(const char *option, const char *next, const char *mllvm)
{
    if (strlen(option) > OPTION_LIMIT)
        return 0;
    if (strcmp(option, "-target") == 0)
        return next && is_triple(next) ? 2 : 0;
    if (strcmp(option, "-mllvm") == 0)
        return next && is_mllvm(next, mllvm) ? 2 : 0;
    if (begins(option, "-mllvm="))
        return is_mllvm(option + strlen("-mllvm="), mllvm) ? 1 : 0;
    return is_listed(exact_words, option) || is_switch(option, "-f", f_names) ||
                   is_switch(option, "-m", m_names) || is_valued(option)
               ? 1
               : 0;
}

size_t compilation_file_prefix(const char *option)
{
    for (size_t i = 0; i < sizeof carrying / sizeof *carrying; i++) {
        if (begins(option, carrying[i]))
            return strlen(carrying[i]);
    }
    return 0;
}

/* A command while it is taken apart. */
struct taking {
    struct compilation *compilation;
    const struct words *inputs;
    const char *mllvm;
    struct text *reason;
    const char *compile, *language; /* what -c and -x were met as */
};

/* The reason is BEFORE, WORD in quotes, shortened where it is long, and AFTER. Returns false. */
static bool refuse(const struct taking *taking, const char *before, const char *word,
                   const char *after)
{
    size_t length = strlen(word);
    bool is_long = length > QUOTE_LIMIT;

    text_clear(taking->reason);
    text_printf(taking->reason, "%s'", before);
    text_write(taking->reason, word, is_long ? QUOTE_LIMIT : length);
    text_printf(taking->reason, "%s'%s", is_long ? "..." : "", after);
    return false;
}

/* The same for an OPTION with its VALUE in a word of its own, or without one. */
static bool refuse_value(const struct taking *taking, const char *option, const char *value)
{
    struct text both = {0};

    if (!value)
        return refuse(taking, "option ", option, " has no value");
    text_printf(&both, "%s %s", option, value);
    refuse(taking, "option ", both.data, " is not allowed");
    text_free(&both);
    return false;
}

/* Puts VALUE, which OPTION gives, where nothing may be yet. */
static bool set_once(const struct taking *taking, const char **into, const char *option,
                     const char *value)
{
    if (!value || !*value)
        return refuse(taking, "option ", option, " has no value");
    if (*into)
        return refuse(taking, "option ", option, " is given twice");
    *into = value;
    return true;
}

static bool take_output(struct taking *taking, const char *value)
{
    if (value && strcmp(value, "-") == 0)
        return refuse(taking, "output ", value, " is no file");
    return set_once(taking, &taking->compilation->output, "-o", value);
}

static bool take_language(struct taking *taking, const char *value)
{
    if (value && strcmp(value, "ir") != 0)
        return refuse_value(taking, "-x", value);
    return set_once(taking, &taking->language, "-x", value);
}

/* OPTION names a file behind the first PREFIX bytes. */
static bool take_file(struct taking *taking, const char *option, size_t prefix)
{
    struct compilation *c = taking->compilation;

    for (size_t i = 1; i < taking->inputs->count; i++) {
        if (strcmp(taking->inputs->items[i], option + prefix) != 0)
            continue;
        c->carried = grow(c->carried, c->carried_count, &c->carried_room, sizeof *c->carried);
        c->carried[c->carried_count++] = (struct carried){c->options.count, prefix, i};
        words_add(&c->options, option);
        return true;
    }
    return refuse(taking, "option ", option, " names a file that is no input");
}

/* An option that is to be on the list. *USED gets the number of its words. */
static bool take_other(struct taking *taking, const char *word, const char *next, size_t *used)
{
    struct compilation *c = taking->compilation;
    size_t prefix = compilation_file_prefix(word);

    if (word[0] != '-' || word[1] == '\0')
        return refuse(taking, "", word, " is another input than the module");
    if (prefix > 0)
        return take_file(taking, word, prefix);
    *used = compilation_allowed(word, next, taking->mllvm);
    if (*used == 0 && (strcmp(word, "-target") == 0 || strcmp(word, "-mllvm") == 0))
        return refuse_value(taking, word, next);
    if (*used == 0)
        return refuse(taking, "option ", word, " is not allowed");
    if (*used == 2 && strcmp(word, "-target") == 0)
        c->target = next;
    else if (begins(word, "--target="))
        c->target = word + strlen("--target=");
    words_add(&c->options, word);
    if (*used == 2)
        words_add(&c->options, next);
    return true;
}

/* Takes WORD, and NEXT where it is WORD's value; *USED gets the number of words. */
static bool take_word(struct taking *taking, const char *word, const char *next, size_t *used)
{
    static const char index_option[] = "-fthinlto-index=";
    struct compilation *c = taking->compilation;

    *used = 1;
    if (strcmp(word, taking->inputs->items[0]) == 0 && c->module)
        return refuse(taking, "the module ", word, " is given twice");
    if (strcmp(word, taking->inputs->items[0]) == 0) {
        c->module = word;
        return true;
    }
    if (strcmp(word, "-c") == 0)
        return set_once(taking, &taking->compile, word, word);
    if (begins(word, index_option))
        return set_once(taking, &c->index, index_option, word + strlen(index_option));
    if (begins(word, "-o") && word[2])
        return take_output(taking, word + 2);
    if (strcmp(word, "-xir") == 0)
        return take_language(taking, word + 2);
    if (strcmp(word, "-o") != 0 && strcmp(word, "-x") != 0)
        return take_other(taking, word, next, used);
    *used = 2;
    return word[1] == 'o' ? take_output(taking, next) : take_language(taking, next);
}

/* Whether the words are such that each can be looked at by itself. */
static bool check_words(const struct taking *taking, const struct words *command)
{
    if (taking->inputs->count == 0) {
        text_clear(taking->reason);
        text_puts(taking->reason, "no module");
        return false;
    }
    if (taking->inputs->items[0][0] == '-')
        return refuse(taking, "the module ", taking->inputs->items[0], " looks like an option");
    for (size_t i = 0; i < command->count; i++) {
        if (command->items[i][0] == '@')
            return refuse(taking, "", command->items[i], " is read as a response file");
    }
    return true;
}

/* Whether all is there that the far side has to know. */
static bool check_complete(const struct taking *taking)
{
    const struct compilation *c = taking->compilation;

    if (!c->module)
        return refuse(taking, "the module ", taking->inputs->items[0], " is missing");
    const char *missing = !taking->compile ? "-c"
                          : !c->index      ? "-fthinlto-index="
                          : !c->output     ? "-o"
                          : !c->target     ? "--target="
                                           : NULL;
    return !missing || refuse(taking, "option ", missing, " is missing");
}

bool compilation_take(struct compilation *compilation, const struct words *command,
                      const struct words *inputs, const char *mllvm, struct text *reason)
{
    struct taking taking = {compilation, inputs, mllvm, reason, NULL, NULL};
    size_t i = 0, used;

    *compilation = (struct compilation){0};
    if (!check_words(&taking, command))
        return false;
    if (command->count > 0 && strcmp(command->items[0], inputs->items[0]) != 0 &&
        command->items[0][0] != '-' && consists_of(command->items[0], "_+-"))
        compilation->subcommand = command->items[i++];
    for (; i < command->count; i += used) {
        const char *next = i + 1 < command->count ? command->items[i + 1] : NULL;
        if (!take_word(&taking, command->items[i], next, &used))
            return false;
    }
    return check_complete(&taking);
}

void compilation_free(struct compilation *compilation)
{
    words_free(&compilation->options);
    free(compilation->carried);
    *compilation = (struct compilation){0};
}

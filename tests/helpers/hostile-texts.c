/* Hostile texts: options, and whatever else the first member of a bundle says. */
#include "hostile.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The options that load code, run programs, read configuration or other files, write other files,
 * or say what is not for a bundle to say; the mark is put behind those that end in "=" or ":". */
static const char *const options[] = {
    /* What other code is loaded, and who is asked to do it. */
    "-fplugin=",
    "-fpass-plugin=",
    "-Xclang",
    "-Xclang=-load",
    "-load",
    "-plugin",
    "-add-plugin",
    "-fplugin-arg-x-y",
    "-mllvm",
    "-mllvm=-load=x",
    "-mllvm=-print-before-all",
    "-Xassembler",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xarch_host",
    "-Xopenmp-target",
    "-Wl,-plugin,x",
    "-Wa,--defsym,a=1",
    "-Wp,-MD,x",
    "-cc1",
    "-cc1as",
    "-fintegrated-cc1",
    "-fno-integrated-cc1",
    "-fno-integrated-as",
    "-via-file-asm",
    "-fuse-ld=",
    "-ld-path=",
    "--ld-path=",
    "-wrapper",
    "-specs=",
    "--driver-mode=cl",
    "-rtlib=",
    "-fembed-offload-object=",
    "-ftime-report=x",
    /* Where programs, headers, libraries and configurations are. */
    "@",
    "--config=",
    "--config",
    "--config-system-dir=",
    "--config-user-dir=",
    "-B",
    "--prefix=",
    "-resource-dir=",
    "-resource-dir",
    "-isysroot",
    "--sysroot=",
    "-isystem",
    "-I",
    "-include",
    "-imacros",
    "-ivfsoverlay",
    "-vfsoverlay=",
    "-F",
    "-L",
    "-working-directory=",
    "-working-directory",
    "-ccc-install-dir",
    "-fmodule-file=",
    "-fmodule-map-file=",
    "-fmodules-cache-path=",
    "-fprebuilt-module-path=",
    "--gcc-toolchain=",
    "--gcc-install-dir=",
    "-fsanitize-ignorelist=",
    "-fsanitize=address",
    "-fsanitize-coverage-allowlist=",
    "-fprofile-list=",
    "-fxray-always-instrument=",
    "-fprofile-use=",
    "-fprofile-instr-use=",
    "-fprofile-sample-use=",
    "-fauto-profile=",
    "-fprofile-remapping-file=",
    "-fbasic-block-sections=list=",
    "-fthinlto-index=",
    "-fmemory-profile-use=",
    "-fcs-profile-use=",
    "-frandomize-layout-seed-file=",
    "-fcodegen-data-use=",
    /* What writes files. */
    "-o",
    "--output=",
    "-MF",
    "-MD",
    "-MMD",
    "-MJ",
    "-M",
    "-save-temps",
    "--save-temps",
    "-save-temps=obj",
    "-save-temps=cwd",
    "-fcrash-diagnostics-dir=",
    "-fcrash-diagnostics=all",
    "-gen-reproducer",
    "-ftime-trace",
    "-ftime-trace=",
    "-fsave-optimization-record",
    "-foptimization-record-file=",
    "-fopt-record-file=",
    "-fproc-stat-report",
    "-fproc-stat-report=",
    "-fprofile-generate=",
    "-fprofile-instr-generate=",
    "-fcs-profile-generate=",
    "-fcodegen-data-generate=",
    "-gsplit-dwarf",
    "-gsplit-dwarf=split",
    "-gsplit-dwarf=single",
    "-split-dwarf-file=",
    "--serialize-diagnostics",
    "-serialize-diagnostics",
    "--serialize-diagnostics=",
    "-fdiagnostics-log-file=",
    "-diagnostic-log-file",
    "-dependency-file",
    "-header-include-file",
    "-fstack-usage",
    "-dumpdir",
    "-index-store-path",
    "-emit-symbol-graph",
    "--coverage",
    "-ftest-coverage",
    "-fmemory-profile=",
    "-CC",
    "-gdwarf-5=",
    /* Other work, other input, and other output. */
    "-E",
    "-S",
    "-c",
    "-fsyntax-only",
    "-emit-llvm",
    "-flto",
    "-flto=thin",
    "-x",
    "-xc",
    "-xir",
    "-###",
    "-v",
    "--version",
    "--help",
    "-print-search-dirs",
    "-dumpmachine",
    "-",
    "--",
    "/etc/passwd",
    "x.c",
    "../x.o",
    "-march=native",
    "-mcpu=native",
    "-mtune=help",
    "-std=c17",
    "-D__x=1",
    "-Ux",
    "-target",
    "--target=../../x",
    "--target=nvptx64",
    "-faddrsig ",
    " -faddrsig",
    "-faddrsig\t",
    "-faddrsig\r",
    "",
    " ",
    "-f\033[2J",
    "-O\377\376",
    "-O2\001",
    "-fPIC\303\251",
};

static void make_options(void)
{
    kind = "option";
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct text line = {0}, message = {0};
        size_t length = strlen(options[i]);
        bool is_open =
            length > 0 && (options[i][length - 1] == '=' || options[i][length - 1] == '@');
        text_printf(&line, "option %s%s", options[i], is_open ? mark : "");
        struct text title = visible(line.data, SIZE_MAX), shown = visible(line.data + 7, 80);
        text_printf(&message, "the option '%s' is not allowed here", shown.data);
        change_head(title.data, "option -O2", line.data, line.length, REFUSED, message.data);
        text_free(&line);
        text_free(&message);
        text_free(&title);
        text_free(&shown);
    }
}

/* Options in two words, and with members behind them. */
static void make_pairs(void)
{
    static const struct {
        const char *lines, *refused;
    } pairs[] = {
        {"option -Xclang\noption -load\noption -Xclang\noption ./m0000000", "-Xclang"},
        {"option -mllvm\noption -load=./m0000000", "-mllvm"},
        {"option -mllvm\noption -info-output-file=x", "-mllvm"},
        {"option -mllvm\nfile -no-pgo-warn-mismatch m0000000", "-mllvm"},
        {"option -target\nfile x86_64-pc-linux-gnu m0000000", "-target"},
        {"option -target\noption @x", "-target"},
        {"option -MF\noption x", "-MF"},
        {"option -o\noption x", "-o"},
        {"option -x\noption c", "-x"},
        {"option -include\noption m0000000", "-include"},
        {"file -fplugin= m0000000", "-fplugin=m0000000"},
        {"file -fpass-plugin= m0000000", "-fpass-plugin=m0000000"},
        {"file --config= m0000000", "--config=m0000000"},
        {"file @ m0000000", "@m0000000"},
        {"file -o m0000000", "-om0000000"},
        {"file -O2 m0000000", "-O2m0000000"},
        {"file -fdebug-prefix-map= m0000000", "-fdebug-prefix-map=m0000000"},
        {"file -fprofile-use=../ m0000000", "-fprofile-use=../m0000000"},
        {"file -fprofile-use m0000000", "-fprofile-usem0000000"},
        {"file  m0000000", "m0000000"},
    };

    kind = "pair";
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        struct text message = {0}, title = visible(pairs[i].lines, SIZE_MAX);
        text_printf(&message, "the option '%s' is not allowed here", pairs[i].refused);
        change_head(title.data, "option -O2", pairs[i].lines, strlen(pairs[i].lines), REFUSED,
                    message.data);
        text_free(&message);
        text_free(&title);
    }
}

#define LINE(from, to, message) {to, from, to, sizeof to - 1, REFUSED, message}
#define LACKS                   "not a bundle: its head lacks something"
#define NO_END                  "not a bundle: its head has no end"
#define NO_PLACE                "not a bundle: no good place: "
#define NO_MODULE               "not a bundle: no module "
#define NO_MEMBER               "not a bundle: no member "

static void make_heads(void)
{
    static const struct {
        const char *title, *from, *to;
        size_t length;
        int status;
        const char *message;
    } heads[] = {
        LINE("dtlto-bundle 1\n", "dtlto-bundle 2\n",
             "a bundle of another format: 'dtlto-bundle 2' instead of 'dtlto-bundle 1'"),
        LINE("dtlto-bundle 1\n", "dtlto-bundle 1 \n",
             "a bundle of another format: 'dtlto-bundle 1 ' instead of 'dtlto-bundle 1'"),
        LINE("dtlto-bundle 1\n", "dtlto-bundle 1\r\n",
             "a bundle of another format: 'dtlto-bundle 1\\r' instead of 'dtlto-bundle 1'"),
        LINE(
            "dtlto-bundle 1\n", "\357\273\277dtlto-bundle 1\n",
            "a bundle of another format: '\357\273\277dtlto-bundle 1' instead of 'dtlto-bundle 1'"),
        LINE("dtlto-bundle 1\n", "\377\376\n",
             "a bundle of another format: '\\xff\\xfe' instead of 'dtlto-bundle 1'"),
        LINE("dtlto-bundle 1\n", "", "a bundle of another format: 'compiler ..."),
        LINE("compiler", "Compiler", LACKS),
        LINE("compiler", "compiler x\ncompiler", LACKS),
        LINE("compiler", "target x\ncompiler", LACKS),
        LINE("target", "compiler", LACKS),
        LINE("members", "member", LACKS),
        LINE("members ", "members -", LACKS),
        LINE("members ", "members +", LACKS),
        LINE("members ", "members  ", LACKS),
        LINE("members ", "members 0x", LACKS),
        LINE("members ", "members 99999999999999999999", LACKS),
        LINE("members ", "members 1", "not a whole bundle: a member is missing"),
        LINE("members ", "members 99999999999", "over the limits: ..."),
        LINE("bytes ", "bytes -", LACKS),
        LINE("bytes ", "bytes 18446744073709551616", LACKS),
        LINE("bytes ", "bytes \t", LACKS),
        LINE("bytes ", "bytes 1", NOT_THOSE),
        LINE("bytes ", "bytes 9999999999", "over the limits: ..."),
        LINE("module", "Module", LACKS),
        LINE("module m", "module n", NO_MODULE "'n0000000'"),
        LINE("module m", "module ../m", NO_MODULE "'../m0000000'"),
        LINE("module m", "module ./m", NO_MODULE "'./m0000000'"),
        LINE("module m", "module /m", NO_MODULE "'/m0000000'"),
        LINE("module m", "module -m", NO_MODULE "'-m0000000'"),
        LINE("module m", "module @m", NO_MODULE "'@m0000000'"),
        LINE("module m", "module m9", NO_MODULE "'m90000000'"),
        LINE("module ", "module index\noption ", NO_MODULE "'index'"),
        LINE("module ", "module object\noption ", NO_MODULE "'object'"),
        LINE("module ", "module dtlto-bundle\noption ", NO_MODULE "'dtlto-bundle'"),
        LINE("module ", "module /etc/passwd\noption ", NO_MODULE "'/etc/passwd'"),
        LINE("module ", "module ../../../../etc/passwd\noption ",
             NO_MODULE "'../../../../etc/passwd'"),
        LINE("module ", "module .\noption ", NO_MODULE "'.'"),
        LINE("module ", "module \noption ", NO_MODULE "''"),
        LINE("option", "what", "not a bundle of this format: 'what' in its head"),
        LINE("option", "Option", "not a bundle of this format: 'Option' in its head"),
        LINE("option", "\377", "not a bundle of this format: '\\xff' in its head"),
        LINE("option", "module m0000000\noption",
             "not a bundle of this format: 'module' in its head"),
        LINE("option", "dtlto-bundle 1\noption",
             "not a bundle of this format: 'dtlto-bundle' in its head"),
        LINE("option", "file x\noption", "not a bundle of this format: 'file' in its head"),
        LINE("option", "place m0000000\noption",
             "not a bundle of this format: 'place' in its head"),
        LINE("option", "\noption", NO_END),
        LINE("option", "option\noption", NO_END),
        LINE("option", " x\noption", "not a bundle of this format: '' in its head"),
        LINE("option", "o\0ption", "not a bundle: a NUL byte in its head"),
        LINE("end\n", "end", NO_END),
        LINE("end\n", "end \n", "not a bundle of this format: 'end' in its head"),
        LINE("end\n", "end\r\n", NO_END),
        LINE("end\n", "", NO_END),
        LINE("end\n", "end\nend\n", NO_END),
        LINE("end\n", "end\noption -O2\n", NO_END),
        LINE("end\n", "end\n\0", "not a bundle: a NUL byte in its head"),
        LINE("end\n", "place m0000000 ../x\nend\n", NO_PLACE "'../x'"),
        LINE("end\n", "place m0000000 a/../../x\nend\n", NO_PLACE "'a/../../x'"),
        LINE("end\n", "place m0000000 /tmp/x\nend\n", NO_PLACE "'/tmp/x'"),
        LINE("end\n", "place m0000000 a/\nend\n", NO_PLACE "'a/'"),
        LINE("end\n", "place m0000000 a//x\nend\n", NO_PLACE "'a//x'"),
        LINE("end\n", "place m0000000 ./x\nend\n", NO_PLACE "'./x'"),
        LINE("end\n", "place m0000000 \nend\n", NO_PLACE "''"),
        LINE("end\n", "place m0000000 -o\nend\n", NO_PLACE "'-o'"),
        LINE("end\n", "place m0000000 @x\nend\n", NO_PLACE "'@x'"),
        LINE("end\n", "place m0000000 a\rb\nend\n", NO_PLACE "'a\\rb'"),
        LINE("end\n", "place m0000000 index\nend\n", NO_PLACE "'index'"),
        LINE("end\n", "place m0000000 index/x\nend\n", NO_PLACE "'index/x'"),
        LINE("end\n", "place m0000000 object\nend\n", NO_PLACE "'object'"),
        LINE("end\n", "place ../m a\nend\n", NO_PLACE "'a'"),
        LINE("end\n", "place index a\nend\n", NO_PLACE "'a'"),
        LINE("end\n", "place m0000000 a\nplace m0000000 b\nend\n", NOT_THOSE),
        LINE("end\n", "place m0000001 a\nplace m0000000 b\nend\n", NOT_THOSE),
        LINE("end\n", "place m0000000 a\nplace m0000001 a\nend\n", "cannot write 'a': File exists"),
        LINE("end\n", "place m0000000 a\nplace m0000001 a/b\nend\n",
             "cannot write 'a/b': Not a directory"),
        LINE("end\n", "place m0000000 a/b\nplace m0000001 a\nend\n",
             "cannot write 'a': File exists"),
        LINE("end\n", "file -fprofile-use= m9999999\nend\n", NO_MEMBER "'m9999999'"),
        LINE("end\n", "file -fprofile-use= /etc/passwd\nend\n", NO_MEMBER "'/etc/passwd'"),
        LINE("end\n", "file -fprofile-use= ../m0000000\nend\n", NO_MEMBER "'../m0000000'"),
        LINE("end\n", "file -fprofile-use= index\nend\n", NO_MEMBER "'index'"),
        LINE("end\n", "file -fprofile-use= \nend\n", NO_MEMBER "''"),
    };

    kind = "head";
    for (size_t i = 0; i < LENGTH(heads); i++) {
        struct text title = visible(heads[i].length > 0 ? heads[i].title : "nothing", SIZE_MAX);
        text_puts(&title, ", not ");
        text_write(&title, heads[i].from, strcspn(heads[i].from, "\n"));
        change_head(title.data, heads[i].from, heads[i].to, heads[i].length, heads[i].status,
                    heads[i].message);
        text_free(&title);
    }
}

void make_texts(void)
{
    make_options();
    make_pairs();
    make_heads();
}

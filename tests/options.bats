#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# The command line, and $DTLTO_NINJA_OPTIONS.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# Three jobs whose compiler only makes the output.
easy() {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b c
}
# A stand-in for ninja that prints its arguments, one a line, after the name of the manifest.
fake_ninja() {
	stand_in fake <<-'EOF'
		case "$*" in *--version*) echo 1.11.1; exit; esac
		shift 2
		printf '%s\n' "$@"
		for output in a.o b.o c.o; do echo object >$output; done
	EOF
	export NINJA=./fake
}

# $1: the message; the rest: arguments.
refused() {
	local message=$1
	shift
	run --separate-stderr "$dtlto" "$@"
	[[ $status == 2 && -z $output ]]
	[[ $stderr == "dtlto-ninja: $message" ]] || {
		echo "expected: dtlto-ninja: $message"
		echo "found:    $stderr"
		return 1
	}
}

@test "--help and -h print the usage on stdout and fit a screen" {
	for program in dtlto-ninja dtlto-clang; do
		run --separate-stderr -0 "$build/$program" --help
		[[ ${lines[0]} == "usage: $program "* ]]
		[[ -z $stderr ]]
		[[ $(wc -l <<<"$output") -le 24 ]]
		[[ $(wc -L <<<"$output") -le 80 ]]
		[[ $("$build/$program" -h) == "$output" ]]
	done
}

@test "--version and -V" {
	run -0 "$dtlto" --version
	[[ $output =~ ^dtlto-ninja\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[[ $("$dtlto" -V) == "$output" ]]
}

@test "every option of --help is in the man page, and the other way round" {
	for program in dtlto-ninja dtlto-clang; do
		# -dumpmachine is for those who call dtlto-clang as a compiler.
		in_man=$(sed -n '/^\.Sh OPTIONS/,/^\.Sh [^O]/{/^\.It Fl dumpmachine$/!p}' "$root/src/$program.1" |
			grep -E '^\.It' | grep -oE 'Fl -?[A-Za-z][a-z-]*' | sed 's/^Fl /-/' | sort)
		[[ -n $in_man ]]
		diff <(help_options "$build/$program") <(echo "$in_man")
	done
}

@test "no description" {
	refused "expected a job description as the last argument, found none; --help tells more"
	refused "expected a job description as the last argument, found none; --help tells more" -j2
}

@test "unknown options name the nearest known one" {
	refused "unknown option '--templat3=x'; did you mean '--template'?" --templat3=x x.json
	refused "unknown option '--keepgoing'; did you mean '--keep-going'?" --keepgoing x.json
	refused "unknown option '--jbos=4'; did you mean '--jobs'?" --jbos=4 x.json
	refused "unknown option '--colour'; did you mean '--load'?" --colour x.json
	refused "unknown option '-x'; did you mean '--help'?" -x x.json
	refused "unknown option '-Q'; did you mean '-q'?" -vQ x.json
	refused "unknown option '-keep'; did you mean '--keep'?" -keep x.json
	refused "unknown option '-jobs=4'; did you mean '--jobs'?" -jobs=4 x.json
}

@test "values that are missing, too many, or wrong" {
	refused "the option '-j' needs a value" -j
	refused "the option '--template' needs a value" --template
	refused "the option '--keep=yes' takes no value" --keep=yes x.json
	refused "-j: expected a whole number, found 'many'" -j many x.json
	refused "-j: expected a whole number, found '-1'" -j-1 x.json
	refused "-j: expected a whole number, found '2147483648'" --jobs=2147483648 x.json
	refused "-j: expected a whole number, found '2.5'" -j 2.5 x.json
	refused "-k: expected a whole number, found ''" --keep-going= x.json
	refused "-l: expected a number, found '2.5x'" -l 2.5x x.json
	refused "--output goes with --generate" -o x.ninja x.json
	refused "--repro-failed goes with --repro" --repro-failed x.json
	refused "--repro-failed does not go with --generate, which compiles nothing" --generate --repro=r --repro-failed x.json
	refused "--repro: expected a folder or a FILE.tar, found 'r.tar.gz'" --repro=r.tar.gz x.json
	refused "--repro: expected a folder or a FILE.tar, found ''" --repro= x.json
}

@test "more than one description, or options behind it" {
	refused "expected one job description as the last argument, found 'y.json' besides 'x.json'" x.json y.json
	refused "expected one job description as the last argument, found '-j4' besides 'x.json'" x.json -j4
}

@test "the description after --" {
	easy
	"$dtlto" -q -- x.json
	[[ -s a.o ]]
	mv x.json ./-j4
	"$dtlto" -q -- -j4
}

@test "a description that begins with a dash, as lld names it for -o -" {
	easy
	mv x.json ./-.12.dist-file.json
	"$dtlto" -q -.12.dist-file.json
	[[ -s a.o ]]
}

@test "options are handed on to ninja" {
	easy
	fake_ninja
	run --separate-stderr -0 "$dtlto" -j7 -l 2.5 -k 3 -v x.json
	grep -A9 -x -- -j <<<"$stderr" | head -7 | diff - <(printf '%s\n' -j 7 -l 2.5 -k 3 -v)
	run --separate-stderr -0 "$dtlto" --jobs=7 --load=2.5 --keep-going=0 --quiet x.json
	diff <(echo "$stderr") <(printf '%s\n' -j 7 -l 2.5 -k 0)
	[[ -z $output ]]
}

@test "as many at a time as there are processors, and never more than jobs" {
	easy
	fake_ninja
	run --separate-stderr -0 taskset -c 0 "$dtlto" x.json
	[[ $stderr == $'-j\n1' ]]
	describe x.json ./cc a
	run --separate-stderr -0 "$dtlto" -v --no-warm x.json
	[[ ${stderr_lines[0]} =~ ^"dtlto-ninja: running up to 1 at a time: "[0-9]+" processor"s?" may be used, for 1 backend compilation"$ ]]
}

@test "DTLTO_NINJA_OPTIONS comes first, the command line wins" {
	easy
	fake_ninja
	export DTLTO_NINJA_OPTIONS="-j 3 --quiet  --ninja='./fake'"
	unset NINJA
	run --separate-stderr -0 "$dtlto" x.json
	[[ $stderr == $'-j\n3' ]]
	run --separate-stderr -0 "$dtlto" -j4 x.json
	[[ $stderr == $'-j\n4' ]]
}

@test "DTLTO_NINJA_OPTIONS that make no sense" {
	DTLTO_NINJA_OPTIONS="-j 'x" refused \
		"DTLTO_NINJA_OPTIONS: expected words for a shell, found an open quote or a backslash at the end: -j 'x" x.json
	DTLTO_NINJA_OPTIONS="--kep" refused "DTLTO_NINJA_OPTIONS: unknown option '--kep'; did you mean '--keep'?" x.json
	DTLTO_NINJA_OPTIONS="-v y.json" refused "DTLTO_NINJA_OPTIONS: expected only options, found 'y.json'" x.json
	DTLTO_NINJA_OPTIONS="-j many" refused "DTLTO_NINJA_OPTIONS: -j: expected a whole number, found 'many'" x.json
	DTLTO_NINJA_OPTIONS="" run -0 "$dtlto" --version
}

@test "--ninja, \$NINJA, and the names that are looked for" {
	easy
	mkdir bin
	for tool in sh cat; do ln -s "$(command -v $tool)" bin; done
	for name in samu ninja-build ninja; do
		printf '#!/bin/sh\necho %s >>../used\necho 1.9.0\n' "$name" >"bin/$name"
		chmod +x "bin/$name"
		run -1 env -u NINJA PATH="$PWD/bin" "$dtlto" -q x.json
	done
	printf '#!/bin/sh\necho named >>../used\necho 1.9.0\n' >named
	chmod +x named
	NINJA=./named run -1 "$dtlto" -q x.json
	NINJA=/no/ninja run -1 "$dtlto" -q --ninja=./named x.json
	[[ $(uniq ../used | xargs) == "samu ninja-build ninja named" ]]
}

@test "--quiet shows no progress, and what compilers say, with any ninja" {
	easy
	stand_in cc <<<'echo "says $1"; echo object >"$2"'
	run --separate-stderr -0 "$dtlto" -q -j1 x.json
	[[ $stderr == $'says a.bc\nsays b.bc\nsays c.bc' ]]
}

@test "-n shows what would be compiled, and compiles nothing" {
	easy
	echo old >a.o
	run --separate-stderr -0 "$dtlto" -n x.json
	[[ $stderr == $'ThinLTO [1/3] a.bc\nThinLTO [2/3] b.bc\nThinLTO [3/3] c.bc' ]]
	run --separate-stderr -0 "$dtlto" -nv x.json
	grep -qxF 'ThinLTO [2/3] ./cc  b.bc b.o' <<<"$stderr"
	[[ $(cat a.o) == old ]]
	only_files cc x.json a.bc b.bc c.bc a.o
}

@test "progress goes to stderr, with a status of its own unless one is set" {
	easy
	unset NINJA_STATUS
	run --separate-stderr -0 "$dtlto" -j1 x.json
	[[ -z $output ]]
	[[ $stderr == $'ThinLTO [1/3] a.bc\nThinLTO [2/3] b.bc\nThinLTO [3/3] c.bc' ]]
	NINJA_STATUS='%f: ' run --separate-stderr -0 "$dtlto" -j1 x.json
	[[ $stderr == $'1: a.bc\n2: b.bc\n3: c.bc' ]]
}

# Runs a command with stderr on a terminal of 50 columns, and prints what arrives there.
on_terminal() {
	need script
	TERM=xterm script -qefc "stty cols 50; $* </dev/null >/dev/null" /dev/null
}

@test "on a terminal, ninja's line is alive and fits, and compilers keep their colours" {
	easy
	stand_in cc <<<'echo object >"$2"; case $1 in b*) printf "\033[31mred\033[0m\n"; esac'
	long=$(printf 'm%.0s' {1..80})
	echo module >"$long.bc"
	sed -i "s/a\.bc/$long.bc/g" x.json
	run -0 on_terminal "$dtlto" -j1 x.json
	# Lines are overwritten, not ended, and the long name is cut in the middle.
	grep -q $'\rThinLTO \[3/3\] m*\.\.\.m*\.bc' <<<"$output"
	grep -q $'\e\[31mred\e\[0m' <<<"$output"
	lacks "$long" <<<"$output"
	# Elsewhere they do not.
	run -0 "$dtlto" -j1 x.json
	lacks $'\e' <<<"$output"
}

@test "real clang's colours survive on a terminal" {
	need clang-22 ld.lld-22 ninja
	echo 'int f(int); int main(void) { return f(1); }' >main.c
	printf 'int f(int x) { __asm__("nonsense"); return x; }' >f.c
	compile main.c f.c
	run on_terminal clang-22 -O2 -flto=thin -fuse-ld=lld main.o f.o "-fthinlto-distributor=$dtlto" \
		-Wl,--thinlto-remote-compiler-arg=-fcolor-diagnostics
	grep -q $'\e\[0;1;31merror' <<<"$output"
	grep -q "jobs\[.\]: the backend compilation of 'f.o' failed" <<<"$output"
}

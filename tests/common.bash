# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # used, or set by bats
# What the whole-program tests share.
# bats runs each test in a fresh folder, $BATS_TEST_TMPDIR; nothing outside of it is written.

root=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
build=${BUILD:-build}
[[ $build == /* ]] || build=$root/$build
dtlto=$build/dtlto-ninja
dtlto_clang=$build/dtlto-clang
oracle=$build/oracle

# The options that the program's --help lists, one a line and sorted, short ones too.
help_options() { # PROGRAM
	"$1" --help | sed -nE 's/^ +(-([^ ]| [^ ])*).*/\1/p' | grep -oE -- '--?[A-Za-z][a-z-]*' | sort
}

# Skips the test where a program is missing; on CI that is a failure.
need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null && continue
		if [[ ${CI:-} == true ]]; then
			echo "$tool is missing, and on CI this test may not be skipped" >&2
			return 1
		fi
		skip "$tool is missing"
	done
}

# Sets $namespace to what runs a command where it may mount, as root or not.
need_namespace() {
	namespace=(unshare -rm)
	[[ $(id -u) != 0 ]] || namespace=(unshare -m)
	"${namespace[@]}" true && return
	[[ ${CI:-} != true ]] || return 1
	skip "no namespace may be made here"
}

# Whether what warm compilers need was built; some systems cannot have it.
has_warm() {
	[[ -x $build/dtlto-warm && -x $build/dtlto-warm.so ]]
}
# Whether this system's compilers can be: they are programs of the same kind, into which ours is loaded.
can_warm() {
	has_warm && [[ $(elf_kind "$build/dtlto-warm.so") == "$(elf_kind "$(command -v clang-22)")" ]]
}
# The class of an ELF file, and its machine.
elf_kind() {
	od -An -j 4 -N 1 -t x1 "$1" && od -An -j 18 -N 2 -t x1 "$1"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir here
	cd here || return
}

# Compiles C sources to bitcode: name.c to name.o, with the options that come first.
compile() {
	clang-22 -O2 -flto=thin -c "$@"
}

# The demo program's objects in this folder.
demo_objects() {
	compile "$root"/tests/demo/{main,square,prime,sum,table}.c "$@"
}
demo_list=(main.o square.o prime.o sum.o table.o)

# The demo program in other folders than it is linked in: a relative and an absolute path, and a
# library in an archive.
demo_apart() {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	demo_objects -g
	mkdir objs out
	mv ./*.o objs
	llvm-ar-22 rcs libparts.a objs/{square,prime,sum}.o
	apart=(objs/main.o "$PWD/objs/table.o" libparts.a)
}

# Links with clang and lld through dtlto-ninja, with the options given.
link() {
	clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" "$@"
}

# Makes the distributor of the linkers that are called from now on the oracle, which compares
# dtlto-ninja with a serial run of the same commands. It works while a test runs.
use_oracle() {
	export ORACLE_DISTRIBUTOR=$dtlto ORACLE_LOG=$BATS_TEST_TMPDIR/oracle.log
	dtlto=$oracle
}

# The oracle's verdict over the last link is $1.
verdict() {
	local last
	last=$(tail -n 1 "$ORACLE_LOG")
	[[ $last == "$1" ]] || {
		echo "expected the oracle to say '$1', found '$last'" >&2
		return 1
	}
}

# The current folder holds exactly the files named.
only_files() {
	local found wanted
	found=$(find . -mindepth 1 | sort)
	wanted=$([[ $# == 0 ]] || printf './%s\n' "$@" | sort)
	[[ $found == "$wanted" ]] || {
		echo "expected only the files: $wanted" >&2
		echo "found: $found" >&2
		return 1
	}
}

# A job description in $1 for the command $2 (a program of ours that stands in for the compiler),
# with jobs a, b, ...: each reads X.bc and writes X.o. The inputs are made.
describe() {
	local file=$1 compiler=$2 jobs=() name
	shift 2
	for name; do
		echo "module $name" >"$name.bc"
		jobs+=("{\"args\":[\"$name.bc\",\"$name.o\"],\"inputs\":[\"$name.bc\"],\"outputs\":[\"$name.o\"]}")
	done
	local IFS=,
	echo "{\"common\":{\"linker_output\":\"prog\",\"args\":[\"$compiler\"],\"inputs\":[]},\"jobs\":[${jobs[*]}]}" >"$file"
}

# A shell script $1 that stands in for a compiler; its text on standard input. It gets the input as
# $1 and the output as $2. It takes the place of a link, and is never written to what that leads to.
stand_in() {
	rm -f "$1"
	{
		echo '#!/bin/sh'
		cat
	} >"$1"
	chmod +x "$1"
}

# A script $1 that stands in for clang. While there is a file "bad" in this folder, it leaves another
# object than clang and ends well: "empty", "half" of it, or one for an "other" machine.
stand_in_clang() {
	stand_in "$1" <<-EOF
		case \$1 in --version) exec clang-22 --version ;; esac
		[ -e '$PWD/bad' ] || exec clang-22 "\$@"
		for word; do
			[ "\$previous" != -o ] || object=\$word
			previous=\$word
		done
		clang-22 "\$@" || exit
		case \$(cat '$PWD/bad') in
		empty) : >"\$object" ;;
		half) truncate -s \$((\$(stat -c %s "\$object") / 2)) "\$object" ;;
		other) echo 'int x;' | clang-22 --target=aarch64-linux-gnu -x c -c - -o "\$object" ;;
		esac
	EOF
}

# Makes the distributor one that empties square.o behind the linker's back and then does its work.
use_truncating() {
	stand_in truncating <<-EOF
		: >square.o
		exec "$dtlto" "\$@"
	EOF
	dtlto=$PWD/truncating
}

# Waits up to five seconds until a command succeeds.
wait_until() {
	local i
	for ((i = 0; i < 500; i++)); do
		"$@" && return
		sleep 0.01
	done
	echo "waited in vain for: $*" >&2
	return 1
}

# The message of dtlto-ninja $1 is among the lines of $output.
says() {
	grep -qxF -- "dtlto-ninja: $1" <<<"$output" || {
		echo "expected the message: dtlto-ninja: $1" >&2
		echo "found: $output" >&2
		return 1
	}
}

# Whether a process runs whose command line holds $1.
runs() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		tr '\0' ' ' 2>/dev/null <"$file" | grep -qF -- "$1" && return
	done
	return 1
}
none_runs() {
	! runs "$1"
}

# Standard input has no line that matches $1.
lacks() {
	if grep -- "$1"; then
		echo "did not expect this" >&2
		return 1
	fi
}

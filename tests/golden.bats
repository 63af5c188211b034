#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# The text of each kind of failure, as it stands in golden/NAME: all that a link prints, with FOLDER,
# PID and XXXXXX for what differs each time. GOLDEN=update writes the files anew; read what changed
# before you keep it.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# Compares what the command $3... prints, which must end with status $2, with golden/$1.
golden() {
	local file=$root/tests/golden/$1 expected=$2
	shift 2
	run "$@"
	[[ $status == "$expected" ]] || {
		echo "status $status: $output"
		return 1
	}
	# As ninja 1.11 says it.
	sed -E "s,$PWD,FOLDER,g; s,$dtlto,DTLTO-NINJA,g; s,\.[0-9]+\.(native\.o|dist-file),.PID.\1,g
		s,dtlto-ninja\.[A-Za-z0-9]{6}\b,dtlto-ninja.XXXXXX,g; s,FAILED: \[code=[0-9]+\] ,FAILED: ,
		s, +$,," <<<"$output" >found
	if [[ ${GOLDEN:-} == update ]]; then
		cp found "$file"
	fi
	diff -u "$file" found
}

# Two modules that import from each other, linked by ld.lld with the compiler $1 and options for the
# distributor; -j1, so that what ninja says has one order.
modules() {
	need clang-22 ld.lld-22 ninja
	echo 'int b(int); int a(int x) { return b(x) + 1; }' >a.c
	echo 'int a(int); int b(int x) { return x * 3; } int main(void) { return a(1) != 4; }' >b.c
	compile a.c b.c
}
lld() { # COMPILER [OPTION]...
	local compiler=$1 option options=()
	shift
	for option; do options+=("--thinlto-distributor-arg=$option"); done
	ld.lld-22 -shared a.o b.o -o prog --thinlto-distributor="$dtlto" \
		--thinlto-distributor-arg=-j1 --thinlto-remote-compiler="$compiler" "${options[@]}"
}
real=/usr/lib/llvm-22/bin/clang

# A compiler that is the real one, but for modules whose name is in $1, for which it runs the lines on
# standard input.
real_but() {
	{
		echo '#!/bin/sh'
		echo "case \"\$*\" in *' $1 '*)"
		cat
		echo "esac"
		echo "exec $real \"\$@\""
	} >compiler
	chmod +x compiler
}

@test "the compiler says no" {
	modules
	sed 's/common_args/common_args -mllvm -no-such/; s/[$]dtlto_warm//' "$root/templates/local.ninja" >bad.ninja
	golden compiler-error-with-template 1 lld "$real" -k0 -q --template=./bad.ninja
	golden compiler-error 1 ld.lld-22 -shared a.o b.o -o prog --thinlto-distributor="$dtlto" \
		--thinlto-distributor-arg=-j1 --thinlto-remote-compiler=$real --thinlto-remote-compiler-arg=-no-such
	real_but b.o <<<'echo "b.o: error: something is wrong" >&2; exit 1'
	golden compiler-error-of-one 1 lld "$PWD/compiler"
	golden compiler-error-kept 1 lld "$PWD/compiler" --keep
	golden compiler-error-quiet 1 lld "$PWD/compiler" -q
	golden compiler-error-repro 1 lld "$PWD/compiler" -k0 --repro=r --repro-failed
}

@test "the same from two modules" {
	modules
	real_but -O2 <<<'echo "error: no licence" >&2; exit 1'
	golden compiler-error-of-all 1 lld "$PWD/compiler" -k0
}

@test "the compiler crashes, is killed, or says nothing" {
	modules
	real_but b.o <<<'echo "PLEASE submit a bug report to https://example.org/"; kill -SEGV $$'
	golden compiler-crash 1 lld "$PWD/compiler"
	real_but b.o <<<'kill -KILL $$'
	golden compiler-killed 1 lld "$PWD/compiler"
	real_but b.o <<<'exit 1'
	golden compiler-silent 1 lld "$PWD/compiler"
}

@test "the compiler is not there, or may not be run" {
	modules
	golden no-compiler 1 lld /no/such/clang
	echo >not-executable
	golden compiler-not-executable 1 lld "$PWD/not-executable"
}

@test "real clang leaves an empty object" {
	modules
	# What it imports from is damaged behind the linker's back.
	stand_in damaging <<-EOF
		truncate -s 800 b.o
		exec "$dtlto" "\$@"
	EOF
	golden empty-object 1 ld.lld-22 -shared a.o b.o -o prog --thinlto-distributor="$PWD/damaging" \
		--thinlto-distributor-arg=-j1 --thinlto-remote-compiler=$real
}

@test "the compiler leaves no object" {
	modules
	real_but b.o <<<'exit 0'
	golden missing-object 1 lld "$PWD/compiler"
}

@test "the compiler leaves an object that is cut short" {
	modules
	real_but b.o <<-EOF
		$real "\$@"
		truncate -s 200 b.2.*.native.o
		exit
	EOF
	golden truncated-object 1 lld "$PWD/compiler"
}

@test "an input is not there" {
	modules
	stand_in removing <<-EOF
		rm b.o
		exec "$dtlto" "\$@"
	EOF
	golden missing-input 1 ld.lld-22 -shared a.o b.o -o prog --thinlto-distributor="$PWD/removing" \
		--thinlto-distributor-arg=-j1 --thinlto-remote-compiler=$real
}

@test "ninja is not there, or is killed" {
	modules
	golden no-ninja 1 lld "$real" --ninja=/no/such/ninja
	real_but b.o <<-'EOF'
		read -r _ _ _ ninja _ </proc/$PPID/stat
		kill -9 $ninja
		exec sleep 4
	EOF
	golden ninja-killed 1 lld "$PWD/compiler" -q
}

@test "the link is interrupted" {
	modules
	# What a compiler said before is not lost.
	stand_in compiler <<-'EOF'
		case "$*" in *' b.o '*) echo "b.o: error: something is wrong" >&2; exit 1 ;; esac
		kill -TERM "$(cat pid)"
		exec sleep 4
	EOF
	stand_in distributor <<-EOF
		echo \$\$ >pid
		exec "$dtlto" "\$@"
	EOF
	golden interrupted 1 ld.lld-22 -shared a.o b.o -o prog --thinlto-distributor="$PWD/distributor" \
		--thinlto-distributor-arg=-j1 --thinlto-distributor-arg=-k0 --thinlto-remote-compiler="$PWD/compiler"
}

@test "warnings that many modules have are shown once" {
	need clang-22 ld.lld-22 ninja
	list=()
	for ((i = 0; i < 12; i++)); do
		echo "int f$i(int x) { volatile char frame[2000]; frame[x] = 1; return frame[0]; }" >m$i.c
		list+=("m$i.o")
	done
	compile m*.c
	golden warnings 0 ld.lld-22 -shared "${list[@]}" -o prog --thinlto-distributor="$dtlto" \
		--thinlto-distributor-arg=-q --thinlto-remote-compiler=$real \
		--thinlto-remote-compiler-arg=-Wunused-command-line-argument --thinlto-remote-compiler-arg=-Lnowhere
	run ld.lld-22 -shared "${list[@]}" -o prog --thinlto-distributor="$dtlto" \
		--thinlto-distributor-arg=-v --thinlto-remote-compiler=$real \
		--thinlto-remote-compiler-arg=-Wunused-command-line-argument --thinlto-remote-compiler-arg=-Lnowhere
	[[ $(grep -c 'argument unused' <<<"$output") == 12 ]]
}

@test "the command of the message can be pasted into a shell anywhere" {
	modules
	mkdir "it's here"
	mv ./*.o "it's here"
	cd "it's here"
	real_but b.o <<<'[ -e ../ok ] || exit 1'
	run -1 ld.lld-22 -shared a.o b.o -o "my prog" --thinlto-distributor="$dtlto" --save-temps \
		--thinlto-remote-compiler="$PWD/compiler"
	command=$(grep '^  cd ' <<<"$output")
	touch ../ok
	(cd / && sh -c "$command" && bash -c "$command")
	[[ -s $(echo b.2.*.native.o) ]]
}

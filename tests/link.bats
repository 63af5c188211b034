#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# Real links with real linkers. Every object is compared with the one that a serial run of the same
# command makes.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

@test "clang links a program, which runs, and leaves nothing but it" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link "${demo_list[@]}" -o numbers
	only_files "${demo_list[@]}" numbers
	./numbers | grep -qx 'squares to 10 sum to 385'
}

@test "an ELF program: objects as from a serial run" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	use_oracle
	link "${demo_list[@]}" -o numbers
	verdict "works: 5 objects the same"
	./numbers | grep -qx '1 4 9 16 25 36 49 64 81 100'
}

@test "debug information: objects as from a serial run" {
	need clang-22 ld.lld-22 ninja
	demo_objects -g
	use_oracle
	link -g "${demo_list[@]}" -o numbers
	verdict "works: 5 objects the same"
}

@test "the program is the same as from in-process ThinLTO" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link "${demo_list[@]}" -o numbers
	clang-22 -O2 -flto=thin -fuse-ld=lld "${demo_list[@]}" -o in-process
	cmp numbers in-process
}

@test "a shared library" {
	need clang-22 ld.lld-22 ninja
	demo_objects -fPIC
	use_oracle
	link -shared square.o prime.o sum.o table.o -o libnumbers.so
	verdict "works: 4 objects the same"
	clang-22 -fuse-ld=lld "$root/tests/demo/main.c" -L. -lnumbers "-Wl,-rpath,$PWD" -o numbers
	./numbers | grep -qx '7 is prime, its square is 49'
}

@test "ld.lld's own options" {
	need clang-22 ld.lld-22 ninja
	echo 'int f(int); void _start(void) { __builtin_trap(); f(1); }' >start.c
	echo 'int f(int x) { return x + 1; }' >f.c
	compile -ffreestanding start.c f.c
	use_oracle
	ld.lld-22 start.o f.o -o prog --thinlto-distributor="$dtlto" --thinlto-distributor-arg=-v \
		--thinlto-distributor-arg=-j1 --thinlto-remote-compiler="$(command -v clang-22)"
	verdict "works: 2 objects the same"
	test -x prog
}

@test "lld-link: a DLL from COFF objects" {
	need clang-22 lld-link-22 ninja
	echo 'int f(int); __declspec(dllexport) int g(int x) { return f(x) + 1; }' >g.c
	echo 'int f(int x) { return x * 2; }' >f.c
	echo 'int h(int x) { return x * 3; }' >'dir h.c'
	compile --target=x86_64-pc-windows-msvc g.c f.c 'dir h.c'
	use_oracle
	# That argument: clang puts the time into COFF objects otherwise.
	lld-link-22 -dll -noentry -out:g.dll g.o f.o 'dir h.o' -include:h \
		"-thinlto-distributor:$dtlto" "-thinlto-remote-compiler:$(command -v clang-22)" \
		-thinlto-remote-compiler-arg:-mno-incremental-linker-compatible
	verdict "works: 3 objects the same"
	[[ $(head -c 2 g.dll) == MZ ]]
}

@test "a static archive" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	demo_objects
	llvm-ar-22 rcs libnumbers.a square.o prime.o sum.o table.o
	use_oracle
	link main.o libnumbers.a -o numbers
	verdict "works: 5 objects the same"
	./numbers | grep -qx 'squares to 10 sum to 385'
	only_files "${demo_list[@]}" libnumbers.a numbers
}

@test "a thin archive" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	demo_objects
	mkdir lib
	mv square.o prime.o sum.o table.o lib
	llvm-ar-22 rcs --thin libnumbers.a lib/square.o lib/prime.o lib/sum.o lib/table.o
	use_oracle
	link main.o libnumbers.a -o numbers
	verdict "works: 5 objects the same"
	./numbers | grep -qx 'squares to 10 sum to 385'
}

@test "two modules of one base name, one of them in an archive" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	mkdir a b out
	echo 'int g(void); int main(void) { return g(); }' >a/m.c
	echo 'int h(void); int g(void) { return h(); }' >b/m.c
	echo 'int h(void) { return 7; }' >m.c
	(cd a && compile m.c)
	(cd b && compile m.c)
	compile m.c
	llvm-ar-22 rcs out/lib.a b/m.o
	use_oracle
	link a/m.o out/lib.a m.o -o out/prog
	verdict "works: 3 objects the same"
	run -7 out/prog
}

@test "a sample profile among the common inputs" {
	need clang-22 ld.lld-22 ninja
	demo_objects -gline-tables-only
	printf 'main:1000:10\n 1: 10\nsum_of_squares:5000:100\n 1: 100\n 2: 90\n' >numbers.prof
	use_oracle
	link "${demo_list[@]}" -Wl,--lto-sample-profile=numbers.prof -o numbers \
		-Xthinlto-distributor=--keep
	verdict "works: 5 objects the same"
	grep -qx 'build dtlto-ninja$:common-inputs: phony numbers.prof' dtlto-ninja.*/build.ninja
}

@test "a context-sensitive profile, as -fprofile-use has it" {
	need clang-22 ld.lld-22 llvm-profdata-22 ninja
	printf '# CSIR level Instrumentation Flag\n:csir\n:entry_first\nmain\n# Hash:\n1\n1\n1\n' >cs.txt
	llvm-profdata-22 merge cs.txt -o cs.profdata
	demo_objects
	use_oracle
	link "${demo_list[@]}" -Wl,--lto-cs-profile-file=cs.profdata -o numbers
	verdict "works: 5 objects the same"
}

@test "relative paths that go up, absolute ones, and an output elsewhere" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	mkdir -p sub/dir out
	mv square.o sub
	cd sub/dir
	use_oracle
	link "$PWD/../../main.o" ../square.o ../../prime.o "$BATS_TEST_TMPDIR/here/sum.o" ../../table.o \
		-o ../../out/numbers
	verdict "works: 5 objects the same"
	only_files
	cd ../../out
	only_files numbers
	./numbers | grep -qx 'squares to 10 sum to 385'
}

@test "--save-temps keeps the linker's files, and the objects with them" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link "${demo_list[@]}" -Wl,--save-temps -o numbers
	local objects=(*.native.o)
	[[ ${#objects[@]} == 5 ]]
	ls numbers.*.dist-file.json
	[[ -z $(find . -name 'dtlto-ninja.*') ]]
}

@test "--thinlto-cache-dir: only the misses are compiled" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	use_oracle
	cache=("-Wl,--thinlto-cache-dir=cache")
	link "${demo_list[@]}" "${cache[@]}" -o numbers
	verdict "works: 5 objects the same"
	cp numbers first
	# Nothing to do: the distributor is not called.
	link "${demo_list[@]}" "${cache[@]}" -o numbers
	[[ $(wc -l <"$ORACLE_LOG") == 1 ]]
	# Nothing but main imports from table.
	sed 's/"%d%c"/"%d,%c"/' "$root/tests/demo/table.c" >table.c
	compile -I"$root/tests/demo" table.c
	link "${demo_list[@]}" "${cache[@]}" -o numbers
	verdict "works: 2 objects the same"
	./numbers | grep -qx '1, 4, 9, 16, 25, 36, 49, 64, 81, 100,'
}

@test "an empty object does not get into --thinlto-cache-dir" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	use_truncating
	run -1 link "${demo_list[@]}" -Wl,--thinlto-cache-dir=cache -o numbers
	[[ $(find cache -name 'llvmcache-*' -size 0 | wc -l) == 0 ]]
	[[ ! -e numbers ]]
}

@test "ld.lld -o - writes an intact file to stdout, through a description that begins with a dash" {
	need clang-22 ld.lld-22 ninja
	echo 'int f(int); void _start(void) { f(1); __builtin_trap(); }' >start.c
	echo 'int f(int x) { return x + 1; }' >f.c
	compile -ffreestanding start.c f.c
	lld=(ld.lld-22 start.o f.o --thinlto-distributor="$dtlto"
		--thinlto-remote-compiler="$(command -v clang-22)")
	"${lld[@]}" -o file
	"${lld[@]}" -o - >piped
	cmp file piped
	only_files start.c f.c start.o f.o file piped
}

@test "two links at once in one directory" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	for i in 1 2 3 4; do
		link "${demo_list[@]}" -o "numbers$i" &
		pids[i]=$!
	done
	for i in 1 2 3 4; do
		wait "${pids[i]}"
		cmp numbers1 "numbers$i"
	done
	only_files "${demo_list[@]}" numbers{1,2,3,4}
}

@test "a link with no standard descriptors open" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link "${demo_list[@]}" -o numbers <&- >&- 2>&-
	./numbers | grep -qx 'squares to 10 sum to 385'
}

@test "the kept manifest, run by hand, makes the same objects again" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link "${demo_list[@]}" -Wl,--save-temps -Xthinlto-distributor=--keep -o numbers
	mkdir first
	mv ./*.native.o first
	ninja -f dtlto-ninja.*/build.ninja
	for object in first/*; do
		cmp "$object" "${object#first/}"
	done
}

#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# What goes wrong in a run: each fault with its status, its message, and nothing left behind. Where
# a compiler must fail in a certain way, a shell script stands in for it; the tests whose names
# begin with "clang" have the real one.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# Runs dtlto-ninja on x.json with the stand-in on standard input as the compiler of the jobs a, b
# and c, and checks that it ends with status $1 and leaves only the inputs, and $2...
fails_with() {
	local expected=$1
	shift
	stand_in cc
	describe x.json ./cc a b c
	run "$dtlto" "${options[@]}" x.json
	[[ $status == "$expected" ]] || {
		echo "status $status: $output"
		return 1
	}
	only_files cc x.json a.bc b.bc c.bc "$@"
}

@test "a backend that fails is named, with how many are left" {
	need ninja
	options=(-j1)
	fails_with 1 <<-'EOF'
		case $1 in b.bc) echo "b is bad" >&2; exit 1; esac
		echo object >"$2"
	EOF
	says "jobs[1]: the backend compilation of 'b.bc' failed:"
	says "prog: 1 of 3 backend compilations failed, 1 was not run to the end"
	[[ $(grep -cx 'b is bad' <<<"$output") == 1 ]]
}

@test "a backend that fails under --quiet is named too" {
	need ninja
	options=(-q)
	fails_with 1 <<-'EOF'
		exit 1
	EOF
	says "jobs[0]: the backend compilation of 'a.bc' failed, and printed nothing"
	lacks ThinLTO <<<"$output"
}

@test "-k 0 goes to the end and names all that failed" {
	need ninja
	options=(-k0)
	fails_with 1 <<-'EOF'
		case $1 in b.bc) echo object >"$2"; exit; esac
		exit 3
	EOF
	says "jobs[0]: the backend compilation of 'a.bc' failed, and printed nothing"
	says "jobs[2]: the backend compilation of 'c.bc' failed, and printed nothing"
	says "prog: 2 of 3 backend compilations failed"
}

@test "a backend that fails and leaves a part of its output, or an empty one" {
	need ninja
	options=(-k0)
	fails_with 1 <<-'EOF'
		case $1 in b.bc) : >"$2"; exit 1; esac
		echo part >"$2"
		exit 1
	EOF
	says "jobs[0]: the backend compilation of 'a.bc' failed, and printed nothing"
	says "jobs[1]: the backend compilation of 'b.bc' failed, and printed nothing"
	says "prog: 3 of 3 backend compilations failed"
}

@test "three thousand failures are three thousand" {
	need ninja
	names=()
	for ((i = 0; i < 3000; i++)); do names+=("m$i"); done
	describe x.json false "${names[@]}"
	run -1 "$dtlto" -k0 x.json
	says "prog: 3000 of 3000 backend compilations failed"
	[[ $(grep -c '^dtlto-ninja: jobs\[' <<<"$output") == 20 ]]
}

@test "of many failures none loses what it said, nor says it twice" {
	need ninja
	names=()
	for ((i = 0; i < 60; i++)); do names+=("m$i"); done
	stand_in cc <<<'echo "error of $1"; exit 1'
	describe x.json ./cc "${names[@]}"
	run -1 "$dtlto" -k0 x.json
	grep -o '^error of m[0-9]*' <<<"$output" | sort | diff - <(printf 'error of %s\n' "${names[@]}" | sort)
	[[ $(grep -c "^dtlto-ninja: jobs\[[0-9]*\]: the backend compilation of 'm[0-9]*.bc' failed:$" <<<"$output") == 20 ]]
}

@test "a backend that is killed, with clang's temporary file left" {
	need ninja
	options=(-j1)
	fails_with 1 <<-'EOF'
		echo part >"${2%.o}-0123abcd.o.tmp"
		kill -9 $$
	EOF
	says "jobs[0]: the backend compilation of 'a.bc' failed:"
}

@test "a backend that is ended by SIGTERM, as by a daemon that watches memory" {
	need ninja
	options=(-j1)
	fails_with 1 <<-'EOF'
		kill -15 $$
	EOF
	says "jobs[0]: the backend compilation of 'a.bc' failed:"
}

@test "a backend that is ended by SIGTERM with its shell, which ninja takes for its own end" {
	need ninja
	options=(-j1)
	fails_with 1 <<-'EOF'
		kill -15 $PPID
	EOF
	says "ninja was interrupted, or a backend compilation was ended by a signal; 3 of 3 were not run to the end"
}

@test "files that only look like clang's temporary ones stay" {
	need ninja
	touch a-0123abc.o.tmp a-0123abcd.o.tmpx b-0123abcg.o.tmp x-0123abcd.o.tmp
	options=()
	fails_with 1 a-0123abc.o.tmp a-0123abcd.o.tmpx b-0123abcg.o.tmp x-0123abcd.o.tmp <<-'EOF'
		exit 1
	EOF
}

@test "a backend that exits 0 and leaves an empty object" {
	need ninja
	options=()
	fails_with 1 <<-'EOF'
		case $1 in b.bc) : >"$2"; exit; esac
		echo object >"$2"
	EOF
	says "jobs[1]: the backend compilation of 'b.bc' ended well, but its output 'b.o' is empty: its input 'b.bc' (jobs[1].inputs[0]) is not bitcode"
	says "prog: 1 of 3 backend compilations failed"
}

@test "a backend that exits 0 and leaves no object" {
	need ninja
	options=()
	fails_with 1 <<-'EOF'
		case $1 in c.bc) exit; esac
		echo object >"$2"
	EOF
	says "jobs[2]: the backend compilation of 'c.bc' ended well, but its output 'c.o' is missing: its input 'c.bc' (jobs[2].inputs[0]) is not bitcode"
}

@test "a backend that exits 0 and leaves the object of an earlier run as it was" {
	need ninja
	for object in a b c; do echo stale >$object.o; done
	options=()
	fails_with 1 <<-'EOF'
		case $1 in a.bc) exit; esac
		echo object >"$2"
	EOF
	says "jobs[0]: the backend compilation of 'a.bc' ended well, but its output 'a.o' is missing: its input 'a.bc' (jobs[0].inputs[0]) is not bitcode"
}

@test "a backend that leaves a folder for an object" {
	need ninja
	stand_in cc <<<'mkdir "$2"'
	describe x.json ./cc a
	run -1 "$dtlto" x.json
	says "jobs[0]: the backend compilation of 'a.bc' ended well, but its output 'a.o' is no regular file: its input 'a.bc' (jobs[0].inputs[0]) is not bitcode"
}

@test "a compiler that does not exist" {
	need ninja
	describe x.json /no/such/clang a
	run -1 "$dtlto" x.json
	says "jobs[0]: the backend compilation of 'a.bc' failed:"
	grep -q '/no/such/clang' <<<"$output"
	only_files x.json a.bc
}

@test "old outputs are gone before anything runs" {
	need ninja
	echo stale >a.o
	ln -s /nowhere b.o
	stand_in cc <<-'EOF'
		[ -e "$2" ] || [ -L "$2" ] && exit 1
		echo object >"$2"
	EOF
	describe x.json ./cc a b
	"$dtlto" x.json
	[[ $(cat a.o b.o) == $'object\nobject' ]]
}

@test "an output that is a folder, or a device, is left alone" {
	need ninja
	mkdir a.o
	describe x.json true a
	run -3 "$dtlto" x.json
	says "jobs[0]: the output 'a.o' is there already and is no regular file"
	only_files x.json a.bc a.o
	rmdir a.o
	echo '{"common":{"linker_output":"p","args":["true"],"inputs":[]},"jobs":[{"args":[],"inputs":["a.bc"],"outputs":["/dev/null"]}]}' >x.json
	run -3 "$dtlto" x.json
	[[ -c /dev/null ]]
}

@test "an output in a folder that does not exist, as the serial run fails" {
	need ninja
	echo '{"common":{"linker_output":"p","args":["true"],"inputs":[]},"jobs":[{"args":[],"inputs":[],"outputs":["no/a.o"]}]}' >x.json
	run -3 "$dtlto" x.json
	says "jobs[0]: the directory of the output 'no/a.o' does not exist"
	only_files x.json
}

# Compiles two modules that import from each other and keeps what lld hands to a distributor: a
# serial run of $description works.
kept_link() { # [BYTES of the object a.o, at least]
	need clang-22 ld.lld-22 ninja
	echo "int b(int); volatile char c[${1:-1}] = {1}; int a(int x) { return b(x) + c[0]; }" >a.c
	echo 'int a(int); int b(int x) { return x * 3; } int main(void) { return a(1) != 4; }' >b.c
	compile a.c b.c
	link a.o b.o -o prog -Wl,--save-temps 2>/dev/null
	rm -f ./*.native.o prog prog.* ./*.bc.*
	link a.o b.o -o prog -Wl,--save-temps -Xthinlto-distributor=--quiet
	description=$(echo prog.*.dist-file.json)
	pid=${description#prog.}
	pid=${pid%.dist-file.json}
	rm ./*.native.o
	rm -f prog.index* prog.resolution.txt prog.0.*
	find . -type f ! -name '*.native.o' | sort >../before
}
# dtlto-ninja ends with status 1 and leaves what was there.
fails_alone() {
	run -1 "$dtlto" "$description"
	find . -type f | sort | diff ../before -
}

@test "clang: a truncated import" {
	kept_link
	truncate -s 800 b.o
	fails_alone
	says "jobs[0]: the backend compilation of 'a.o' ended well, but its output 'a.1.$pid.native.o' is empty: its input 'b.o' (jobs[0].inputs[2]) is truncated"
}

@test "clang: an import that is empty" {
	kept_link
	: >b.o
	fails_alone
	says "jobs[0]: the backend compilation of 'a.o' ended well, but its output 'a.1.$pid.native.o' is empty: its input 'b.o' (jobs[0].inputs[2]) is empty"
}

@test "clang: an import that is missing is found before anything runs" {
	kept_link
	rm b.o
	sed -i '/^\.\/b\.o$/d' ../before
	run -2 "$dtlto" "$description"
	says "$description: jobs[0].inputs[2]: expected a file that can be read, found none: 'b.o' (module 'a.o' needs it)"
	find . -type f | sort | diff ../before -
}

@test "clang: an import that vanishes while it is needed" {
	kept_link
	stand_in vanishing <<-'EOF'
		case "$*" in *" a.o "*) rm -f b.o; esac
		exec /usr/lib/llvm-22/bin/clang "$@"
	EOF
	sed -i 's,/usr/lib/llvm-22/bin/clang,./vanishing,' "$description"
	run -1 "$dtlto" -j1 "$description"
	says "jobs[0]: the backend compilation of 'a.o' ended well, but its output 'a.1.$pid.native.o' is empty: its input 'b.o' (jobs[0].inputs[2]) is missing"
}

@test "clang: a truncated index shard" {
	kept_link
	truncate -s 60 "a.1.$pid.native.o.thinlto.bc"
	fails_alone
	says "jobs[0]: the backend compilation of 'a.o' ended well, but its output 'a.1.$pid.native.o' is empty: its input 'a.1.$pid.native.o.thinlto.bc' (jobs[0].inputs[1]) is truncated"
}

@test "clang: a module that was renamed behind the linker's back" {
	kept_link
	cp b.o renamed.o
	sed -i 's/"b\.o"/"renamed.o"/g' "$description"
	rm b.o
	find . -type f | sort >../before
	fails_alone
	grep -q "'a.1.$pid.native.o' is empty: its index shard 'a.1.$pid.native.o.thinlto.bc' names the module 'b.o', which is none of its inputs: it was renamed" <<<"$output"
}

@test "clang: an index shard that is empty, or /dev/null, is a valid one" {
	kept_link
	: >"a.1.$pid.native.o.thinlto.bc"
	sed -i "s,b.2.$pid.native.o.thinlto.bc,/dev/null,g" "$description"
	"$dtlto" "$description"
	[[ -s a.1.$pid.native.o && -s b.2.$pid.native.o ]]
}

@test "clang: a link whose object would be empty fails, and says so" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	use_truncating
	run -1 link "${demo_list[@]}" -o numbers
	grep -q "'square.o' (jobs\[.\].inputs\[.\]) is empty" <<<"$output"
	grep -q 'distributor execution failed' <<<"$output"
	only_files "${demo_list[@]}" truncating
}

@test "objects that are cut short or for another machine, by a stand-in for clang" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	stand_in_clang bad-clang
	list=("-Wl,--thinlto-remote-compiler=$PWD/bad-clang" "${demo_list[@]}")
	echo half >bad
	run -1 link "${list[@]}" -o numbers
	[[ $(grep -cE "^dtlto-ninja: jobs\[[0-4]\]: the backend compilation of '.*\.o' ended well, but its output '.*\.native\.o' is cut short: the table of sections ends at byte [0-9]+ of [0-9]+: its inputs look whole; " <<<"$output") == 5 ]]
	only_files bad bad-clang "${demo_list[@]}"
	echo other >bad
	run -1 link "${list[@]}" -o numbers -Wl,--thinlto-cache-dir=cache
	[[ $(grep -c "\.native\.o' is for another machine: its header has 0xb7, not the 0x3e of x86_64-pc-linux-gnu: " <<<"$output") == 5 ]]
	[[ -z $(find . -name "llvmcache-*") ]]
	rm -rf cache bad
	link "${list[@]}" -o numbers
}

@test "what is no object at all is left to the linker where the command asks for it" {
	need clang-22 ld.lld-22 ninja
	use_oracle
	demo_objects
	run -0 link "${demo_list[@]}" -o numbers -Wl,--lto-emit-asm -Wl,--thinlto-remote-compiler-arg=-S
	grep -q '^square:' numbers.lto.square.s
	# Without the first of them lld has no use for it.
	run -1 link "${demo_list[@]}" -o numbers -Wl,--thinlto-remote-compiler-arg=-S
	grep -q 'not an ELF file' <<<"$output"
}

@test "no ninja" {
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a
	run -3 env -u NINJA PATH=/nowhere "$dtlto" x.json
	says "found no ninja that runs: tried ninja, ninja-build and samu in PATH; install one (on Debian, ninja-build), or name it with --ninja or \$NINJA"
	only_files cc x.json a.bc
}

@test "a ninja that is named and cannot be run, or is none" {
	describe x.json true a
	run -3 "$dtlto" --ninja=/no/ninja x.json
	says "cannot run the ninja of --ninja, '/no/ninja': No such file or directory"
	NINJA=/etc/passwd run -3 "$dtlto" x.json
	says "cannot run the ninja of \$NINJA, '/etc/passwd': Permission denied"
	run -3 "$dtlto" --ninja=true x.json
	says "the ninja of --ninja, 'true', prints no version for --version"
	only_files x.json a.bc
}

@test "no jobs: status 0, and no ninja is needed" {
	describe x.json true
	run -0 env -u NINJA PATH=/nowhere "$dtlto" x.json
	[[ -z $output ]]
	only_files x.json
}

@test "a ninja that is killed" {
	need ninja
	stand_in cc <<-'EOF'
		read -r _ _ _ ninja _ </proc/$PPID/stat
		kill -9 $ninja
		exec sleep 4242.1
	EOF
	describe x.json ./cc a
	run -3 "$dtlto" x.json
	says "ninja was killed by signal 9 (Killed)"
	only_files cc x.json a.bc
	none_runs 'sleep 4242.1'
}

@test "a ninja that fails before it runs anything" {
	need ninja
	stand_in ninja-stand-in <<-'EOF'
		[ "$1" = --version ] && exec ninja --version
		echo "ninja: error: something" >&2
		exit 1
	EOF
	describe x.json true a
	run -3 "$dtlto" --ninja=./ninja-stand-in x.json
	says "ninja failed with status 1 before it ran all backend compilations; what it said is above"
	only_files ninja-stand-in x.json a.bc
}

@test "a ninja that claims success and has done nothing" {
	describe x.json true a
	stand_in ninja-stand-in <<<'[ "$1" = --version ] && echo 1.11.1; exit 0'
	run -1 "$dtlto" --ninja=./ninja-stand-in x.json
	says "jobs[0]: ninja reported success, but has not run the backend compilation of 'a.bc': its output 'a.o' is missing"
}

@test "a profile among the inputs of one job is no bitcode, and no cause" {
	need clang-22 ninja
	echo 'int x;' >m.c
	compile m.c
	cp m.o index
	echo profile >my.profdata
	echo '{"common":{"linker_output":"prog","args":["true",["primary_input",0]]},"jobs":[{"primary_input":["m.o"],"summary_index":["index"],"primary_output":["a.o"],"additional_inputs":["my.profdata"]}]}' >x.json
	run -1 "$dtlto" x.json
	says "jobs[0]: the backend compilation of 'm.o' ended well, but its output 'a.o' is missing: its inputs look whole; a full disk, or a compiler that fails in silence"
}

@test "a compiler that leaves a daemon, which holds its output open" {
	need ninja pkill
	stand_in cc <<-'EOF'
		echo object >"$2"
		setsid sleep 4242.2 3>&- &
	EOF
	describe x.json ./cc a
	# ninja itself waits for what holds a job's output open; a daemon that detaches closes it.
	sed -i 's/4242.2/4242.2 >\/dev\/null 2>\&1 <\/dev\/null/' cc
	"$dtlto" -q x.json
	runs 'sleep 4242.2'
	pkill -f 'sleep 4242.2'
}

@test "a description that is not there, or is a folder" {
	run -2 "$dtlto" x.json
	says "cannot open the job description 'x.json': No such file or directory"
	run -3 "$dtlto" .
	says "cannot read the job description '.': Is a directory"
}

@test "a full disk, met at every size from nothing to enough" {
	need ninja
	need_namespace
	stand_in cc <<<'head -c 20000 /dev/zero >"$2"'
	mkdir disk
	cat >fill <<-EOF
		set -eu
		mount -t tmpfs -o size=256k,nr_inodes=64 none disk
		cd disk
		echo module >a.bc
		sed 's/prog/a/' ../x.json >x.json
		for kept in 0 4 8 12 16 20 24 28; do
			head -c 1m /dev/zero >filler 2>/dev/null || true
			truncate -s \$((\$(stat -c %s filler) - kept * 1024)) filler
			status=0
			"$dtlto" x.json 2>message || status=\$?
			echo "\$kept \$status" >>../statuses
			grep -q '^dtlto-ninja: ' message || [ \$status = 0 ] || [ ! -s message ]
			rm -f message filler a.o
			[ "\$(ls)" = "\$(printf 'a.bc\nx.json')" ]
		done
		"$dtlto" x.json
		[ \$(stat -c %s a.o) = 20000 ]
	EOF
	describe x.json ../cc a
	"${namespace[@]}" sh fill
	cat statuses
	grep -q '^0 3$' statuses
	grep -Ev '^[0-9]+ [013]$' statuses | lacks .
}

@test "a full disk: the message" {
	need_namespace
	stand_in cc <<<'exit 1'
	describe x.json ../cc a
	mkdir disk
	cat >fill <<-EOF
		mount -t tmpfs -o size=16k none disk
		cp x.json a.bc disk
		cd disk
		head -c 1m /dev/zero >filler
		"$dtlto" x.json
	EOF
	run -3 "${namespace[@]}" sh fill
	grep -q "^dtlto-ninja: cannot write 'dtlto-ninja.*/build.ninja': No space left on device" <<<"$output"
}

@test "a read-only directory" {
	need_namespace
	stand_in cc <<<'exit 1'
	describe x.json ../cc a
	mkdir disk
	cp x.json a.bc disk
	cat >fill <<-EOF
		mount --bind disk disk
		mount -o remount,ro,bind disk
		cd disk
		"$dtlto" x.json
	EOF
	run -3 "${namespace[@]}" sh fill
	says "cannot make a private folder in '.': Read-only file system"
}

@test "clang: a full disk leaves no part of an object" {
	need_namespace
	kept_link 40000
	"$dtlto" -q "$description"
	mkdir ../good
	mv ./*.native.o ../good
	mkdir ../disk
	cat >../fill <<-EOF
		set -eu
		mount -t tmpfs -o size=512k,nr_inodes=64 none ../disk
		cp -p ./* ../disk
		cd ../disk
		find . -type f | sort >../files
		for kept in 0 8 16 24 32 40 48 56 64; do
			head -c 1m /dev/zero >filler 2>/dev/null || true
			truncate -s \$((\$(stat -c %s filler) - kept * 1024)) filler
			status=0
			"$dtlto" -j1 "$description" 2>../message || status=\$?
			echo "\$kept \$status" >>../statuses
			cat ../message >>../messages
			rm filler
			if [ \$status = 0 ]; then
				for object in *.native.o; do cmp "\$object" "../good/\$object"; done
				rm ./*.native.o
			fi
			find . -type f | sort | diff ../files -
		done
	EOF
	"${namespace[@]}" sh ../fill
	cat ../statuses ../messages
	grep -qE '^[0-9]+ 1$' ../statuses
	grep -qE '^[0-9]+ 0$' ../statuses
	grep -q 'No space left on device' ../messages
}

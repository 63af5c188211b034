#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154
# Links over a real icecream: a scheduler, a client and workers, in network namespaces of this
# machine.

load common
load farm

# All tests share one archive, and those that end no daemon share a farm.
setup_file() {
	bats_require_minimum_version 1.5.0
	export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache
	# What is missing here, each test says.
	if (CI=true need_icecream) >/dev/null 2>&1; then
		plain_clang
		start_icecream
	fi
}

setup() {
	need clang-22 ld.lld-22 ninja zstd
	need_icecream
	cd "$BATS_TEST_TMPDIR" || return
	mkdir here
	cd here || return
}

teardown_file() {
	stop_farms
}

teardown() {
	stop_farms
}

# A program of N modules that import from each other, and main.o, with the options given.
make_modules() { # N [OPTION ...]
	local i n=$1 next last
	for ((i = 1; i <= n; i++)); do
		next=$((i % n + 1)) last=$(((i + n - 2) % n + 1))
		cat >"m$i.c" <<-END
			unsigned small$next(unsigned), small$last(unsigned), large$next(unsigned);
			static unsigned calls$i;
			unsigned small$i(unsigned x) { return x * $i + calls$i++; }
			unsigned large$i(unsigned x) {
				unsigned sum = x;
				for (unsigned k = 0; k < x; k++)
					sum += small$next(k) ^ small$last(sum);
				return x > 0 ? sum + large$next(x - 1) : sum;
			}
		END
	done
	echo 'unsigned large1(unsigned); int main(void) { return large1(9) & 127; }' >main.c
	compile "${@:2}" main.c m*.c
}

# Links the objects in this folder, on the farm's client.
link_there() { # OUTPUT [OPTION ...]
	"$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" \
		-Xthinlto-distributor=--template=icecream ./*.o -o "$@"
}

# The same with all of it here and without a distributor.
link_here() { # OUTPUT [OPTION ...]
	clang-22 -O2 -flto=thin -fuse-ld=lld ./*.o -o "$@"
}

# A compiler $1 that answers to --version with the line $2; what it does otherwise is on standard
# input, in C.
fake_clang() { # PROGRAM LINE
	{
		printf '#include <%s>\n' stdio.h string.h unistd.h
		echo 'int main(int argc, char **argv) { if (strcmp(argv[argc - 1], "--version") == 0)'
		printf 'puts("%s\\nTarget: x86_64-pc-linux-gnu"); else {\n' "$2"
		cat
		echo '} return 0; }'
	} >"$1.c"
	cc -o "$1" "$1.c"
	rm "$1.c"
}

# Has the workers use an archive whose compiler is taken for the right one, but never ends.
use_slow_archive() {
	fake_clang ../slow "$(clang-22 --version | head -n 1)" \
		<<<'if (strcmp(argv[1], "-fsyntax-only") != 0) sleep(600);'
	ICECC_VERSION=$(archive_of ../slow)
	export ICECC_VERSION
}
is_compiling() {
	runs /usr/lib/dtlto-clang/clang
}

# The environment archive of a compiler.
archive_of() { # COMPILER
	"$build/icecream-environment" --quiet "$1" "${DTLTO_CLANG:-$dtlto_clang}"
}

count_archives() { # FOLDER
	find "$1" -name '*.tar.*' | wc -l
}

@test "the demo program goes to the workers, and is the same" {
	demo_objects
	link_here here
	before=$(farm_jobs)
	run -0 link_there there
	says "5 of 5 remote (icecream)"
	[[ $(farm_jobs) == $((before + 5)) ]]
	cmp here there
	only_files "${demo_list[@]}" here there
}

@test "many modules with debug information, objects as from a serial run" {
	make_modules 24 -g
	link_here here -g
	before=$(farm_jobs)
	use_oracle
	run -0 link_there there -g
	says "25 of 25 remote (icecream)"
	[[ $(farm_jobs) == $((before + 25)) ]]
	verdict "works: 25 objects the same"
	cmp here there
}

@test "behind ccache: what it has not goes to the workers" {
	need ccache
	demo_objects
	link_here here
	before=$(farm_jobs)
	export CCACHE_DIR=$BATS_TEST_TMPDIR/ccache
	run -0 link_there first -Xthinlto-distributor=--template=ccache-icecream
	says "0 of 5 from the cache (ccache-icecream), 5 remote"
	run -0 link_there second -Xthinlto-distributor=--template=ccache-icecream
	says "5 of 5 from the cache (ccache-icecream)"
	[[ $(farm_jobs) == $((before + 5)) ]]
	cmp here first
	cmp here second
}

@test "absolute paths, paths with blanks and behind .., and archives" {
	need llvm-ar-22
	demo_objects
	mkdir -p ../lib 'a b'
	mv square.o ../lib
	mv prime.o 'a b'
	llvm-ar-22 rcs ../lib/libnumbers.a sum.o table.o
	objects=(main.o ../lib/square.o "$PWD/a b/prime.o" ../lib/libnumbers.a)
	clang-22 -O2 -flto=thin -fuse-ld=lld "${objects[@]}" -o here
	run -0 "$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" \
		-Xthinlto-distributor=--template=icecream "${objects[@]}" -o there
	says "5 of 5 remote (icecream)"
	cmp here there
}

@test "the environment archive is made for the first link only" {
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	demo_objects
	run -0 link_there there
	says "making the icecream environment of /usr/lib/llvm-22/bin/clang (once per compiler)"
	says "5 of 5 remote (icecream)"
	run -0 link_there there
	[[ $output != *"making the icecream environment"* ]]
	says "5 of 5 remote (icecream)"
	[[ $(count_archives "$XDG_CACHE_HOME") == 1 ]]
}

@test "links that start together make one archive" {
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	demo_objects
	link_here here
	for i in 1 2 3; do
		link_there "there$i" >"log$i" 2>&1 &
	done
	wait
	[[ $(cat log? | grep -c 'making the icecream environment') == 1 ]]
	[[ $(grep -l '5 of 5 remote (icecream)' log? | wc -l) == 3 ]]
	[[ $(count_archives "$XDG_CACHE_HOME") == 1 ]]
	cmp here there1
	cmp here there2
	cmp here there3
}

@test "an archive that the user names is taken" {
	demo_objects
	cp "$(archive_of clang-22)" ../mine.tar.zst
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	export ICECC_VERSION=$BATS_TEST_TMPDIR/mine.tar.zst
	run -0 link_there there
	says "5 of 5 remote (icecream)"
	[[ ! -e $XDG_CACHE_HOME ]]
	grep -q 'versions=\[mine(' "$farm/scheduler.log"
}

@test "an archive that is cut short: all runs here" {
	demo_objects
	link_here here
	head -c 1000000 "$(archive_of clang-22)" >../short.tar.zst
	export ICECC_VERSION=$BATS_TEST_TMPDIR/short.tar.zst
	run -0 link_there there
	grep -qx 'dtlto-ninja: 0 of 5 remote (icecream), 5 local: .*' <<<"$output"
	cmp here there
}

@test "an archive whose compiler does not run there: no worker takes it, all runs here" {
	demo_objects
	link_here here
	fake_clang clang 'clang version 22.1.8' <<<'return 1;'
	ICECC_VERSION=$(archive_of ./clang)
	export ICECC_VERSION
	# Until all have tried it out they get jobs, which fail there.
	wait_until no_worker_is_asked
	cmp here there
	says "0 of 5 remote (icecream), 5 local: the farm ran it here"
	grep -q "Blacklisting host .*$(basename "$ICECC_VERSION" .tar.zst)" "$farm/scheduler.log"
}
no_worker_is_asked() {
	local before
	before=$(farm_jobs)
	run link_there there
	[[ $status == 0 && $(farm_jobs) == "$before" && $output == *" 5 local: the farm ran it here"* ]]
}

@test "an archive of another clang: all is refused there, and runs here" {
	demo_objects
	link_here here
	fake_clang clang 'clang version 21.0.0' <<<''
	ICECC_VERSION=$(archive_of ./clang)
	export ICECC_VERSION
	run -0 link_there there
	says "0 of 5 remote (icecream), 5 fell back: another clang there"
	cmp here there
}

@test "no archive can be made: all runs here, and it is said why" {
	demo_objects
	link_here here
	stand_in ../failing <<<'echo "dtlto-ninja: cannot make the icecream environment: no room" >&2; exit 1'
	export DTLTO_ICECREAM=$BATS_TEST_TMPDIR/failing
	run -0 link_there there
	says "cannot make the icecream environment: no room"
	says "warning: icecream gets nothing to do: there is no environment archive for '/usr/lib/llvm-22/bin/clang'"
	says "0 of 5 remote (icecream), 5 local: no environment archive"
	cmp here there
}

@test "a compilation that fails there and here" {
	demo_objects
	use_truncating
	run -1 link_there there
	grep -q 'square.o' <<<"$output"
	[[ ! -e there ]]
	only_files "${demo_list[@]}" truncating
}

@test "the scheduler is gone: all runs here" {
	start_icecream 1
	demo_objects
	link_here here
	signal_farm scheduler KILL
	wait_until grep -q 'scheduler not yet found' "$farm/client.log"
	run -0 link_there there
	says "0 of 5 remote (icecream), 5 local: the farm ran it here"
	cmp here there
}

@test "the client's daemon is gone: all runs here" {
	[[ ! $farm_port ]] || skip "without namespaces, icecream's client wants its daemon"
	start_icecream 1
	demo_objects
	link_here here
	signal_farm client KILL
	run -0 link_there there
	says "0 of 5 remote (icecream), 5 local: no iceccd here"
	cmp here there
}

@test "there is no worker: all runs here" {
	start_icecream 0
	demo_objects
	link_here here
	run -0 link_there there
	says "0 of 5 remote (icecream), 5 local: the farm ran it here"
	cmp here there
}

@test "a worker dies while it compiles: all runs here" {
	start_icecream 1
	demo_objects
	link_here here
	use_slow_archive
	link_there there >../log 2>&1 &
	pid=$!
	wait_until is_compiling
	signal_farm w1 KILL
	wait $pid
	output=$(<../log)
	cat ../log
	grep -q '^dtlto-ninja: 0 of 5 remote (icecream), 5 local: .*the connection was lost' <<<"$output"
	cmp here there
}

@test "one of two workers dies: the other one goes on" {
	start_icecream 2
	make_modules 24
	link_here here
	link_there there >../log 2>&1 &
	pid=$!
	wait_until some_jobs w1 w2
	dies=w1 goes_on=w2
	some_jobs w1 || dies=w2 goes_on=w1
	signal_farm $dies KILL
	wait $pid
	cat ../log
	grep -qE '^dtlto-ninja: [1-9][0-9]* of 25 remote \(icecream\)' ../log
	some_jobs $goes_on
	cmp here there
}
some_jobs() { # WORKER ...
	[[ $(farm_jobs "$@") != 0 ]]
}

@test "Ctrl-C in a link leaves nothing, here and there" {
	make_modules 24
	use_slow_archive
	# As in a terminal: a process group of its own, where these signals are not ignored.
	setsid env --default-signal "$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld ./*.o -o there \
		"-fthinlto-distributor=$dtlto" -Xthinlto-distributor=--template=icecream >../log 2>&1 &
	pid=$!
	wait_until is_compiling
	kill -INT -- -$pid
	status=0
	wait $pid || status=$?
	[[ $status != 0 ]]
	# clang is gone, and the distributor sees to the rest.
	wait_until none_runs "$PWD"
	grep -q 'dtlto-ninja: ended by signal 2' ../log
	[[ $(find . -name '*.native.o*' -o -name 'dtlto-ninja.*' | wc -l) == 0 ]]
	wait_until workers_are_idle
}
workers_are_idle() {
	[[ -z $(find "$farm"/w?/target=*/*/tmp -mindepth 1) ]] && ! is_compiling
}

# A client that has lost a worker on a machine with much to do asks once more.
each_did_five() {
	[[ $(farm_jobs w1) -ge 5 && $(grep -c 'remote compile for file' "$first/w1.log") -ge 5 ]]
}

@test "two farms at once, and nothing of them is left" {
	demo_objects
	start_icecream 1
	first=$farm
	run -0 link_there there
	says "5 of 5 remote (icecream)"
	start_icecream 1
	run -0 link_there there
	says "5 of 5 remote (icecream)"
	wait_until each_did_five
	stop_farms
	none_runs "$first"
	none_runs "$farm"
}

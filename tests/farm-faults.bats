#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# What a real farm of two workers does to a link: a worker, a daemon or a connection that ends in the
# middle, hosts that are not there or have no room, and a Ctrl-C. Each link but the last succeeds with
# the objects of a serial run, and nothing is left on either side. Where something stands in for a
# real part, the test says so.

load common
load farm

jobs=11

setup_file() {
	bats_require_minimum_version 1.5.0
	export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache program=$BATS_FILE_TMPDIR/program
	(CI=true need clang-22) >/dev/null 2>&1 || return 0
	mkdir "$program"
	cd "$program" || return
	make_modules $((jobs - 1))
}

setup() {
	need clang-22 ld.lld-22 ninja setpriv nsenter ip
	cd "$BATS_TEST_TMPDIR" || return
	mkdir here
	cp "$program"/*.o here
	cd here || return
	objects=(*.o)
	use_oracle
}

teardown() {
	stop_farms
}

# Modules that import from each other, and main.o.
make_modules() { # N
	local i next
	for ((i = 1; i <= $1; i++)); do
		next=$((i % $1 + 1))
		cat >"m$i.c" <<-END
			unsigned f$next(unsigned), g$next(unsigned);
			unsigned g$i(unsigned x) { return x * $i + 1; }
			unsigned f$i(unsigned x) { return x > 0 ? g$next(x) + f$next(x - 1) : $i; }
		END
	done
	echo 'unsigned f1(unsigned); int main(void) { return f1(60) & 127; }' >main.c
	compile main.c m*.c
	rm ./*.c
}

# Links on the farm's client.
link_there() { # [OPTION ...]
	"$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" "$@" \
		"${objects[@]}" -o there "-Xthinlto-distributor=--template=$farm_kind"
}

# The same in the background; finish_link waits for it and sets $output.
begin_link() {
	# As in a terminal: a process group of its own, where signals are not ignored.
	setsid env --default-signal "$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld \
		"-fthinlto-distributor=$dtlto" "$@" "${objects[@]}" -o there \
		"-Xthinlto-distributor=--template=$farm_kind" >../log 2>&1 3>&- &
	link=$!
}
finish_link() {
	status=0
	wait $link || status=$?
	output=$(<../log)
	cat ../log
	[[ $status == 0 ]]
}

# The link has succeeded with the objects of a serial run, and has nothing left here. The summary
# matches $1.
is_like_serial() { # PATTERN
	grep -qE "^dtlto-ninja: $1\$" <<<"$output" || {
		echo "expected the summary: $1"
		echo "found: $output"
		return 1
	}
	verdict "works: $jobs objects the same"
	only_files "${objects[@]}" there
}
# The same, and the workers have nothing left. (Behind && a function does not end where a command
# fails.)
is_right() { # PATTERN
	is_like_serial "$1"
	wait_until workers_are_clean
}
workers_are_clean() {
	local places=("$farm"/w?/tmp)
	[[ $farm_kind == distcc ]] || places=("$farm"/w?/target=*/*/tmp)
	local left
	left=$("$farm/run" find "${places[@]}" -mindepth 1 -name 'dtlto-clang.*') && [[ -z $left ]]
}

# A compiler that stands in for the workers' clang, only to be caught in the middle: it waits until
# the file "go" is there, and then is the real one. Its jobs are counted in "waiting".
use_waiting_clang() {
	mkdir -m 777 ../waiting
	stand_in ../waiting-clang <<-EOF
		case \$1 in --version) exec clang-22 --version ;; esac
		: >'$BATS_TEST_TMPDIR/waiting/'\$\$
		while [ ! -e '$BATS_TEST_TMPDIR/go' ]; do sleep 0.05; done
		exec clang-22 "\$@"
	EOF
	export DTLTO_CLANG_COMPILER=$BATS_TEST_TMPDIR/waiting-clang
}
one_waits() {
	[[ $(find ../waiting -type f | wc -l) -ge ${1:-1} ]]
}
none_waits() {
	none_runs "$BATS_TEST_TMPDIR/waiting-clang"
}

need_distcc_farm() {
	need distcc distccd
}

# The process id of a worker on $1 that has a compiler.
worker_on() { # NAME
	pgrep -f "^dtlto-clang -c $farm/$1/tmp" || pgrep -f "^[^ ]*/dtlto-clang -c $farm/$1/tmp"
}

@test "distcc: a worker is killed in mid-job, and the next one removes its folder" {
	need_distcc_farm
	use_waiting_clang
	start_distcc
	begin_link
	wait_until one_waits 2
	wait_until worker_on w1
	kill -KILL "$(worker_on w1 | head -n 1)"
	: >../go
	finish_link
	is_like_serial "[1-9][0-9]* of $jobs remote \(distcc\), [1-9][0-9]* fell back: .*"
	# distcc has left that one alone.
	export DISTCC_DIR=$BATS_TEST_TMPDIR/distcc DISTCC_HOSTS=${DISTCC_HOSTS% *}
	mkdir "$DISTCC_DIR"
	run -0 link_there
	is_right "$jobs of $jobs remote \(distcc\)"
}

@test "distcc: a daemon is ended in mid-link, with all that it runs" {
	need_distcc_farm
	use_waiting_clang
	start_distcc
	begin_link
	wait_until one_waits 5
	signal_farm w1 TERM
	: >../go
	finish_link
	# distcc may have asked the other one.
	is_right "[1-9][0-9]* of $jobs remote \(distcc\)(, [1-9][0-9]* fell back: .*)?"
	[[ $(farm_jobs w2) -gt 0 ]]
}

@test "distcc: a daemon is stopped in mid-link: the client's time-out ends it" {
	need_distcc_farm
	use_waiting_clang
	start_distcc
	export DISTCC_IO_TIMEOUT=2
	begin_link
	wait_until worker_on w1
	signal_farm w1 STOP
	: >../go
	finish_link
	signal_farm w1 CONT
	# distcc may have given it to the other one.
	is_right "[1-9][0-9]* of $jobs remote \(distcc\)(, [1-9][0-9]* fell back: .*)?"
}

@test "distcc: a job takes longer than the node allows" {
	need_distcc_farm
	use_waiting_clang
	export w1_DTLTO_CLANG_SECONDS=1
	start_distcc 1
	begin_link -Xthinlto-distributor=-j2
	finish_link
	is_right "0 of $jobs remote \(distcc\), $jobs fell back: over the limits there"
	none_waits
}

@test "distcc: a host that is not there, beside one that is" {
	need_distcc_farm
	start_distcc 1
	export DISTCC_HOSTS="127.0.0.1:1/4 $DISTCC_HOSTS"
	run -0 link_there
	is_right "[1-9][0-9]* of $jobs remote \(distcc\)(, [1-9][0-9]* fell back: .*)?"
}

@test "distcc: a worker with another clang" {
	need_distcc_farm
	w1_DTLTO_CLANG_COMPILER=$BATS_TEST_TMPDIR/other-clang
	if command -v clang-14 >/dev/null; then
		ln -s "$(command -v clang-14)" "$w1_DTLTO_CLANG_COMPILER"
	else
		stand_in "$w1_DTLTO_CLANG_COMPILER" <<<'echo "clang version 14.0.6"; echo "Target: x86_64-pc-linux-gnu"'
	fi
	export w1_DTLTO_CLANG_COMPILER
	start_distcc
	run -0 link_there
	is_right "[1-9][0-9]* of $jobs remote \(distcc\), [1-9][0-9]* fell back: another clang there"
}

@test "distcc: a worker's disk is full" {
	need_distcc_farm
	has_namespaces || need_for_farm "a small disk needs mounts" false
	# Room for one bundle, but not for what is in it.
	export w1_SPACE=48k
	start_distcc 1
	run -0 link_there -Xthinlto-distributor=-j1
	is_right "0 of $jobs remote \(distcc\), $jobs fell back: it could not run there"
	# For the daemon itself there is nothing left.
	"$farm/run" dd if=/dev/zero of="$farm/w1/tmp/full" bs=1k count=48 2>/dev/null || true
	rm there
	run -0 link_there
	is_right "0 of $jobs remote \(distcc\), $jobs fell back: .*"
}

@test "distcc: a worker has not the memory for clang" {
	need_distcc_farm
	export w1_DTLTO_CLANG_MEMORY=50000000
	start_distcc
	run -0 link_there
	is_right "[1-9][0-9]* of $jobs remote \(distcc\), [1-9][0-9]* fell back: over the limits there"
}

# A proxy in front of the worker, a real connection: it is cut off after so many bytes.
use_proxy() { # up|down BYTES
	local place=${DISTCC_HOSTS%/*}
	proxy_port=$(free_port)
	"$farm/run" "$build/cut-connection" "$proxy_port" "${place%:*}" "${place#*:}" "$1" "$2" \
		>../proxy.log 3>&- &
	farm_pids+=($!)
	wait_until grep -q ready ../proxy.log
	export DISTCC_HOSTS=127.0.0.1:$proxy_port/4
}

@test "distcc: a bundle is cut short in transit" {
	need_distcc_farm
	start_distcc 1
	for bytes in 30 3000 9000; do
		use_proxy up $bytes
		run -0 link_there
		is_right "0 of $jobs remote \(distcc\), $jobs fell back: .*"
		grep -q cut ../proxy.log
		rm there
	done
	[[ $(farm_jobs w1) == 0 ]]
}

@test "distcc: an object is cut short in transit" {
	need_distcc_farm
	start_distcc 1
	for bytes in 10 100 500; do
		use_proxy down $bytes
		run -0 link_there
		is_right "0 of $jobs remote \(distcc\), $jobs fell back: .*"
		grep -q cut ../proxy.log
		rm there
	done
}

@test "a bundle that arrives cut short though the protocol is kept, by a stand-in for the client" {
	need_distcc_farm
	start_distcc 1
	mkdir ../bin
	stand_in ../bin/distcc <<-EOF
		PATH=\${PATH#*$BATS_TEST_TMPDIR/bin:}
		case \$1 in -j) exec distcc -j ;; esac
		head -c 6000 "\$3" >"\$3.i" && exec distcc "\$1" "\$2" "\$3.i" "\$4" "\$5"
	EOF
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 link_there
	is_right "0 of $jobs remote \(distcc\), $jobs fell back: refused there"
}

@test "distcc: Ctrl-C in mid-link leaves nothing, here and there" {
	need_distcc_farm
	use_waiting_clang
	dtlto=$ORACLE_DISTRIBUTOR # the oracle does not see to its own files then
	start_distcc
	begin_link
	wait_until one_waits 4
	kill -INT -- -$link
	wait $link || true
	# The driver does not wait for the linker.
	wait_until none_runs "$PWD"
	[[ ! -e there ]]
	grep -q 'dtlto-ninja: ended by signal 2' ../log
	only_files "${objects[@]}"
	wait_until none_waits
	wait_until workers_have_nothing
}
workers_have_nothing() {
	local left
	left=$("$farm/run" find "$farm"/w?/tmp -mindepth 1 ! -name 'dtlto-clang-[0-9]*' ! -path '*/dtlto-clang-[0-9]*/*') &&
		[[ -z $left ]]
}

need_icecream_farm() {
	need_icecream
	need zstd
	not_sanitized
}

# The workers' dtlto-clang cannot be a sanitized one: that would need /proc, and more memory than
# icecream allows.
not_sanitized() {
	[[ $build != *-sanitize ]] || skip "icecream's workers cannot run a sanitized dtlto-clang"
}

# A worker's folder for temporary files is in the environment, which is unpacked for the first job.
unpack_environment() {
	run -0 link_there
	is_right "$jobs of $jobs remote \(icecream\)"
	rm there
	places=("$farm"/w1/target=*/*/tmp)
}

@test "icecream: a worker's disk is full" {
	need_icecream_farm
	has_namespaces || need_for_farm "a small disk needs mounts" false
	start_icecream 1
	unpack_environment
	"$farm/run" mount -t tmpfs -o size=8k,mode=1777 tmpfs "${places[0]}"
	run -0 link_there
	# icecream takes the message of dtlto-clang for that.
	is_right "0 of $jobs remote \(icecream\), $jobs local: out of memory there"
}

@test "icecream: a worker has not the memory for clang" {
	need_icecream_farm
	export w1_DTLTO_CLANG_MEMORY=50000000
	start_icecream 1
	run -0 link_there
	is_right "0 of $jobs remote \(icecream\), $jobs local: out of memory there"
}

@test "icecream: a job takes longer than the node allows; a worker is killed in mid-job" {
	need_icecream_farm
	has_namespaces || need_for_farm "the worker is found by its namespace" false
	use_endless_archive
	export w1_DTLTO_CLANG_SECONDS=2
	start_icecream 1
	begin_link -Xthinlto-distributor=-j2
	wait_until compiles_there
	compiler=$(pgrep --ns "$(<"$farm/w1.pid")" --nslist net -f '^/usr/lib/dtlto-clang/clang' | head -n 1)
	kill -KILL "$(ps -o ppid= -p "$compiler" | tr -d ' ')"
	finish_link
	is_like_serial "0 of $jobs remote \(icecream\), $jobs fell back: over the limits there \(.*\), it was killed there \(1\)"
	# The next one removed what that one left.
	wait_until workers_are_clean
}

compiles_there() {
	pgrep --ns "$(<"$farm/w1.pid")" --nslist net -f '^/usr/lib/dtlto-clang/clang' >/dev/null
}

# An archive whose compiler is taken for the right one, but never ends: a stand-in, in C since there
# is no shell.
use_endless_archive() {
	cat >../endless.c <<-END
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
		int main(int argc, char **argv) {
			if (strcmp(argv[argc - 1], "--version") == 0)
				puts("$(clang-22 --version | head -n 1)\nTarget: x86_64-pc-linux-gnu");
			else if (strcmp(argv[1], "-fsyntax-only") != 0)
				sleep(600);
			return 0;
		}
	END
	cc -o ../endless ../endless.c
	ICECC_VERSION=$("$build/icecream-environment" --quiet ../endless "$dtlto_clang")
	export ICECC_VERSION
}

@test "icecream: a worker is stopped in mid-job: the farm is given up" {
	need_icecream_farm
	has_namespaces || need_for_farm "the worker is found by its namespace" false
	use_endless_archive
	export DTLTO_CLANG_WAIT=10
	start_icecream 1
	begin_link -Xthinlto-distributor=-j2
	wait_until compiles_there
	signal_farm w1 STOP
	finish_link
	signal_farm w1 CONT
	is_right "0 of $jobs remote \(icecream\), $((jobs - 2)) local: the farm does not answer, 2 fell back: the farm did not answer"
	gives_up_once 10
}

# How long, in seconds, and that it is said once.
gives_up_once() { # SECONDS
	local said=' s; what is left of this link is done here'
	[[ $(grep -c "^dtlto-clang: the farm has done nothing for [0-9]*$said" ../log) == 1 ]]
	[[ $(sed -n "s/^dtlto-clang: the farm has done nothing for \(.*\)$said/\1/p" ../log) -ge $1 ]]
}

@test "icecream: the scheduler is stopped in mid-link: the farm is given up" {
	need_icecream_farm
	export DTLTO_CLANG_WAIT=10
	start_icecream 1
	unpack_environment
	begin_link -Xthinlto-distributor=-j1
	before=$(farm_jobs w1)
	wait_until more_are_there 2 # so the first one is done
	signal_farm scheduler STOP
	finish_link
	signal_farm scheduler CONT
	is_right "[1-9] of $jobs remote \(icecream\), [1-9] local: the farm does not answer, 1 fell back: the farm did not answer"
	gives_up_once 10
}

# Whether w1 has had N compilations more than BEFORE.
more_are_there() { # N
	[[ $(farm_jobs w1) -ge $((before + $1)) ]]
}

@test "icecream: one of two workers is stopped: the farm is not given up for that" {
	need_icecream_farm
	export DTLTO_CLANG_WAIT=10
	start_icecream 2
	run -0 link_there
	rm there
	before=$(farm_jobs w1)
	begin_link -Xthinlto-distributor=-j4
	wait_until more_are_there 1
	signal_farm w1 STOP
	finish_link
	signal_farm w1 CONT
	# It may have been done with what it had.
	is_right "[1-9][0-9]* of $jobs remote \(icecream\)(, [1-4] fell back: the farm did not answer)?"
	run ! grep 'the farm has done nothing' ../log
}

@test "distcc: the only daemon is stopped in mid-link: the farm is given up, and behind a cache that stays" {
	need_distcc_farm
	need ccache
	use_waiting_clang
	start_distcc 1
	export DISTCC_IO_TIMEOUT=4 DTLTO_CLANG_WAIT=8 CCACHE_DIR=$BATS_TEST_TMPDIR/ccache
	for way in distcc ccache-distcc; do
		farm_kind=$way
		rm -f ../go ../waiting/*
		export DISTCC_DIR=$BATS_TEST_TMPDIR/$way # where it notes which hosts are to be left alone
		mkdir "$DISTCC_DIR"
		begin_link -Xthinlto-distributor=-j1
		wait_until one_waits
		signal_farm w1 STOP
		finish_link
		signal_farm w1 CONT
		: >../go
		farm_kind=distcc
		if [[ $way == distcc ]]; then
			is_right "0 of $jobs remote \(distcc\), $((jobs - 1)) local: the farm does not answer, 1 fell back: .*"
			rm there
		else
			is_right "0 of $jobs from the cache \(ccache-distcc\), $((jobs - 1)) compiled, 1 fell back: .*"
		fi
		gives_up_once 4
	done
}

@test "DTLTO_CLANG_WAIT: no limit, a short one, and none that is a number" {
	mkdir ../bin
	# A stand-in for icecream's client: it runs all here, and is late with it.
	stand_in ../bin/icecc <<<'sleep 1.5 && exec "$@"'
	export ICECC_VERSION=none farm=.. farm_kind=icecream
	PATH=$(realpath ../bin):$PATH
	stand_in ../run <<<'exec "$@"'
	DTLTO_CLANG_WAIT=4 begin_link -Xthinlto-distributor=-j1
	finish_link
	is_like_serial "0 of $jobs remote \(icecream\), $jobs local: the farm does not answer \($((jobs - 1))\), the farm ran it here \(1\)"
	gives_up_once 1
	rm there
	DTLTO_CLANG_WAIT=0 begin_link
	finish_link
	is_like_serial "0 of $jobs remote \(icecream\), $jobs local: the farm ran it here"
	rm there
	# What the far side says, however late, it has said.
	stand_in ../bin/icecc <<<'sleep 1.5; exit 122'
	DTLTO_CLANG_WAIT=4 begin_link -Xthinlto-distributor=-j6
	finish_link
	is_like_serial "0 of $jobs remote \(icecream\), $jobs fell back: over the limits there"
	run ! grep 'the farm has done nothing' ../log
	rm there
	DTLTO_CLANG_WAIT=long run -1 link_there
	[[ $output == *"dtlto-ninja: DTLTO_CLANG_WAIT: expected a number of seconds, found 'long'"* ]]
	only_files "${objects[@]}"
}

@test "icecream: bundles are cut short in transit" {
	need_icecream_farm
	need ss tc
	has_namespaces || need_for_farm "connections are found by the worker's own address" false
	start_icecream 1
	unpack_environment
	# A line so slow that a bundle takes seconds.
	"$farm/run" tc qdisc add dev w1 root tbf rate 16kbit burst 2kb latency 30s
	begin_link -Xthinlto-distributor=-j2
	while kill -0 $link 2>/dev/null; do
		cut_connections
		sleep 0.02
	done
	finish_link
	[[ $(wc -l <../cut) -ge $jobs ]]
	is_right "0 of $jobs remote \(icecream\), $jobs local: (a worker was gone|the connection was lost).*"
}

# Resets the connections to the worker on which bytes are on their way.
cut_connections() {
	local ours
	for ours in $("$farm/run" ss -tnH state established "dst 10.77.1.2 and sport != 8765" |
		awk '$2 > 0 { print $3 }'); do
		[[ -z $("$farm/run" ss -tKH "src $ours") ]] || echo "$ours" >>../cut
	done
}

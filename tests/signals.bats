#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# However a link is ended, nothing is left of it: no process, no file. A script stands in for a
# compiler that takes long; ninja is the real one, in four versions, and so is lld.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# A shell starts what it puts into the background with SIGINT and SIGQUIT ignored, and in its own
# process group.
background="setsid env --default-signal"

# Sets $ninja to one of that version: the system's, or one that "make ninjas" has fetched.
use_ninja() {
	local candidate
	for candidate in ninja "$root/build/ninjas/$1/ninja"; do
		ninja=$candidate
		[[ $("$candidate" --version 2>/dev/null) == "$1" ]] && return
	done
	[[ ${CI:-} != true ]] || return 1
	skip "there is no ninja $1 here; make ninjas fetches it"
}

# A compiler that writes a part of its output and then does not end. Its command line is unique.
slow_compiler() {
	nap="sleep 4242.$RANDOM$RANDOM"
	stand_in cc <<-EOF
		echo part >"\$2"
		echo part >"\${2%.o}-0123abcd.o.tmp"
		exec $nap
	EOF
	describe x.json ./cc a b c
}

# Starts dtlto-ninja on it in the background, in a session of its own, and waits for the compilers.
start() {
	$background "$dtlto" --ninja="$ninja" -j2 x.json >out 2>&1 3>&- &
	pid=$!
	wait_until runs "$nap"
	wait_until test -s b.o
}

# After it: status $1, no compiler, no file but the ones before.
ended() {
	local status=0
	wait "$pid" || status=$?
	[[ $status == "$1" ]] || {
		echo "status $status instead of $1"
		cat out
		return 1
	}
	none_runs "$nap"
	only_files cc x.json a.bc b.bc c.bc out
}

# Sends each signal to dtlto-ninja alone, and to its process group as a terminal does.
try_signals() {
	use_ninja "$1"
	slow_compiler
	local signal
	for signal in INT:2 TERM:15 HUP:1 QUIT:3; do
		start
		kill -s "${signal%:*}" "$pid"
		ended $((128 + ${signal#*:}))
		grep -q "^dtlto-ninja: ended by signal ${signal#*:} (.*), with all backend compilations" out
		start
		kill -s "${signal%:*}" -- "-$pid"
		ended $((128 + ${signal#*:}))
	done
}

@test "INT, TERM, HUP and QUIT, to it and to its group, with ninja 1.11.1" { try_signals 1.11.1; }
@test "INT, TERM, HUP and QUIT, to it and to its group, with ninja 1.12.1" { try_signals 1.12.1; }
@test "INT, TERM, HUP and QUIT, to it and to its group, with ninja 1.13.1" { try_signals 1.13.1; }
@test "INT, TERM, HUP and QUIT, to it and to its group, with ninja 1.13.2" { try_signals 1.13.2; }

try_kill() {
	use_ninja "$1"
	slow_compiler
	start
	kill -KILL "$pid"
	wait "$pid" || true
	wait_until none_runs "$nap"
	wait_until only_files cc x.json a.bc b.bc c.bc out 2>/dev/null
	none_runs "--ninja=$ninja -j2 x.json"
}

@test "SIGKILL: nothing is left, with ninja 1.11.1" { try_kill 1.11.1; }
@test "SIGKILL: nothing is left, with ninja 1.12.1" { try_kill 1.12.1; }
@test "SIGKILL: nothing is left, with ninja 1.13.1" { try_kill 1.13.1; }
@test "SIGKILL: nothing is left, with ninja 1.13.2" { try_kill 1.13.2; }

# The processes that run dtlto-ninja on x.json: it, and its guard.
ours() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		tr '\0' ' ' 2>/dev/null <"$file" | grep -qF -- "$dtlto --ninja=$ninja -j2 x.json" || continue
		file=${file#/proc/}
		echo "${file%/cmdline}"
	done
}

@test "SIGKILL of all its processes at once: no compiler is left" {
	use_ninja 1.11.1
	slow_compiler
	start
	# shellcheck disable=SC2046
	kill -KILL $(ours)
	wait "$pid" || true
	wait_until none_runs "$nap"
}

@test "SIGKILL of the guard alone: the link fails with a reason, and nothing is left" {
	use_ninja 1.11.1
	slow_compiler
	start
	kill -KILL "$(ours | grep -vx "$pid")"
	ended 3
	grep -qx 'dtlto-ninja: the process that looks after ninja was killed, or could not start it' out
}

@test "compilers that ignore signals are killed, at once at the second signal" {
	use_ninja 1.11.1
	nap="sleep 4242.$RANDOM$RANDOM"
	stand_in cc <<-EOF
		trap '' INT TERM HUP QUIT
		echo part >"\$2"
		$nap
	EOF
	describe x.json ./cc a b c
	start
	kill -INT "$pid"
	sleep 0.2
	runs "$nap"
	kill -INT "$pid"
	ended 130
	start
	kill -TERM "$pid"
	ended 143
}

@test "a signal while the manifest is written" {
	use_ninja 1.11.1
	slow_compiler
	rm x.json
	mkfifo x.json
	TMPDIR=$PWD $background "$dtlto" --ninja="$ninja" x.json >out 2>&1 3>&- &
	pid=$!
	# The head of a description, and then one job after the other as long as somebody reads.
	cat >writer <<-'EOF'
		printf '{"common":{"linker_output":"p","args":["cc"],"inputs":[]},"jobs":['
		while printf '{"args":[],"inputs":[],"outputs":["o%d"]},' $((++i)); do
			sleep 0.01
		done
	EOF
	$background bash writer >x.json 2>/dev/null 3>&- &
	wait_until compgen -G 'dtlto-ninja.*/build.ninja.*' >/dev/null
	sleep 0.1
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 130 ]]
	grep -qx 'dtlto-ninja: ended by signal 2 (Interrupt), with all backend compilations' out
	only_files cc x.json a.bc b.bc c.bc writer out
}

@test "a signal while the description is waited for" {
	use_ninja 1.11.1
	mkfifo x.json
	$background "$dtlto" --ninja="$ninja" -j2 x.json >out 2>&1 3>&- &
	pid=$!
	wait_until runs "$dtlto --ninja=$ninja -j2 x.json"
	sleep 0.1
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 143 ]]
	[[ $(cat out) == "dtlto-ninja: ended by signal 15 (Terminated), with all backend compilations" ]]
}

# A ninja that takes long to say its version, at the time that $asked is there.
slow_ninja() {
	slow_compiler
	stand_in slow-ninja <<-EOF
		if [ "\$1" = --version ]; then touch asked; $1; fi
		exec ninja "\$@"
	EOF
	ninja=./slow-ninja
}

@test "a signal while ninja is asked for its version: no compiler is started" {
	use_ninja 1.11.1
	slow_ninja "exec sleep 4242.3"
	$background "$dtlto" --ninja="$ninja" -j2 x.json >out 2>&1 3>&- &
	pid=$!
	wait_until test -e asked
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 130 ]]
	none_runs "sleep 4242.3"
	only_files cc slow-ninja asked x.json a.bc b.bc c.bc out
}

@test "lld dies before ninja was started: no compiler is started" {
	use_ninja 1.11.1
	slow_ninja "sleep 0.5"
	stand_in parent <<-EOF
		"$dtlto" --ninja=./slow-ninja -j2 x.json
	EOF
	sed -i 's/exec sleep.*/touch started/' cc
	$background ./parent >out 2>&1 3>&- &
	pid=$!
	wait_until test -e asked
	kill -KILL "$pid"
	wait "$pid" || true
	wait_until none_runs "$dtlto --ninja="
	only_files cc slow-ninja parent asked x.json a.bc b.bc c.bc out
	grep -qx 'dtlto-ninja: the program that started the link is gone: ended its backend compilations' out
}

@test "a reader of stderr that is stalled does not keep a link from being ended" {
	use_ninja 1.11.1
	mkfifo pipe
	exec 9<>pipe
	slow_compiler
	sed -i 's,^exec,head -c 1m /dev/zero | tr "\\0" x\nexec,' cc
	$background "$dtlto" --ninja="$ninja" -j2 -v x.json >pipe 2>&1 3>&- 9>&- &
	pid=$!
	wait_until runs "$nap"
	kill -TERM "$pid"
	wait_until none_runs "$dtlto --ninja=$ninja"
	exec 9>&-
	status=0
	wait "$pid" || status=$?
	[[ $status == 143 ]]
	only_files cc x.json a.bc b.bc c.bc pipe
}

@test "signals that are blocked when it starts" {
	use_ninja 1.11.1
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b
	timeout 20 env --block-signal=CHLD,INT,TERM,WINCH "$dtlto" -q --ninja="$ninja" x.json
	[[ -s a.o && -s b.o ]]
}

@test "signals that were ignored from the start stay ignored: nohup" {
	use_ninja 1.11.1
	slow_compiler
	$background nohup "$dtlto" --ninja="$ninja" -j2 x.json >out 2>&1 3>&- &
	pid=$!
	wait_until runs "$nap"
	wait_until test -s b.o
	kill -HUP "$pid"
	sleep 0.3
	runs "$nap"
	kill -TERM "$pid"
	ended 143
}

# A link by the real lld whose compiler is slow.
start_lld() {
	need clang-22 ld.lld-22 ninja
	echo 'int f(int); void _start(void) { f(1); __builtin_trap(); }' >start.c
	echo 'int f(int x) { return x + 1; }' >f.c
	compile -ffreestanding start.c f.c
	nap="sleep 4242.$RANDOM$RANDOM"
	stand_in cc <<-EOF
		for argument; do output=\$argument; done
		echo part >"\$output"
		exec $nap
	EOF
	$background ld.lld-22 start.o f.o -o prog --thinlto-distributor="$dtlto" \
		--thinlto-remote-compiler="$PWD/cc" >out 2>&1 3>&- &
	pid=$!
	wait_until runs "$nap"
}

@test "lld alone gets SIGTERM or SIGINT: its distributor notices, and nothing is left" {
	for signal in TERM INT; do
		start_lld
		kill -s $signal "$pid"
		wait "$pid" || true
		wait_until none_runs "$nap"
		wait_until none_runs "$dtlto prog."
		only_files start.c f.c start.o f.o cc out
	done
}

@test "lld is killed: its distributor notices, and leaves nothing of its own" {
	start_lld
	kill -KILL "$pid"
	wait "$pid" || true
	wait_until none_runs "$nap"
	wait_until none_runs "$dtlto prog."
	rm prog.*.dist-file.json ./*.native.o.thinlto.bc # lld's
	only_files start.c f.c start.o f.o cc out
	grep -qx 'dtlto-ninja: the program that started the link is gone: ended its backend compilations' out
}

# Other links may run on this machine; those of this folder are ours: none has an
# argument that $1 matches.
none_here() {
	local process
	for process in /proc/[0-9]*; do
		[[ $(readlink "$process/cwd") != "$PWD" ]] ||
			! tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -qE "$1" || return 1
	done
}

@test "Ctrl-C at random moments of a real link, twenty times" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	for ((i = 0; i < 20; i++)); do
		$background clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" "${demo_list[@]}" \
			-o numbers >../out 2>&1 3>&- &
		pid=$!
		sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
		kill -INT -- "-$pid" 2>/dev/null || true
		wait "$pid" || true
		wait_until none_runs "$dtlto "
		none_here thinlto-index
		# The driver does not wait for lld, which a signal ends too.
		wait_until none_here numbers
		# lld removes its index shards in its signal handler while it may be writing another one,
		# and does not yet know of an output that it has created just before.
		rm -f numbers numbers.tmp* ./*.native.o.thinlto.bc
		only_files "${demo_list[@]}" || {
			cat ../out
			return 1
		}
	done
}

@test "Ctrl-C at random moments leaves no half of a repro, a trace or a page" {
	need clang-22 ld.lld-22 ninja jq
	demo_objects
	for ((i = 0; i < 10; i++)); do
		$background clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" "${demo_list[@]}" \
			-o numbers "-Xthinlto-distributor=--repro=r.tar,--trace=t.json,--report=p.html" >../out 2>&1 3>&- &
		pid=$!
		sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
		kill -INT -- "-$pid" 2>/dev/null || true
		wait "$pid" || true
		wait_until none_runs "$dtlto "
		wait_until none_here numbers
		rm -f numbers numbers.tmp* ./*.native.o.thinlto.bc # lld's
		# What is there is whole.
		if [[ -e r.tar ]]; then
			tar -xOf r.tar r/README >/dev/null
			rm r.tar
		fi
		if [[ -e t.json ]]; then
			jq -e .traceEvents t.json >/dev/null
			rm t.json
		fi
		if [[ -e p.html ]]; then
			[[ $(tail -n 1 p.html) == '</html>' ]]
			rm p.html
		fi
		only_files "${demo_list[@]}" || {
			cat ../out
			return 1
		}
	done
}

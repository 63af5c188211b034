#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# Below GNU make with a jobserver. The fifo is set up by the test as make 4.4 and later do it; the
# pipe is that of the real make.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# A compiler that notes when it begins and ends, and takes a while.
timed_compiler() {
	stand_in cc <<-EOF
		echo "\$(date +%s%N) 1" >>"$PWD/times"
		sleep 0.1
		echo object >"\$2"
		echo "\$(date +%s%N) -1" >>"$PWD/times"
	EOF
}
# The most of them that ran at one time.
most_at_once() {
	sort -n times | awk '{ n += $2; if (n > most) most = n } END { print most }'
}

# A fifo with $1 tokens, as for a make of one more: descriptor 9 holds it open.
make_fifo() {
	mkfifo fifo
	exec 9<>fifo
	head -c "$1" /dev/zero | tr '\0' + >&9
	export MAKEFLAGS=" -j$(($1 + 1)) --jobserver-auth=fifo:$PWD/fifo"
}
# The fifo holds exactly $1 tokens.
tokens_are() {
	[[ $(dd bs=100 count=1 iflag=nonblock <&9 2>/dev/null) == "$(head -c "$1" /dev/zero | tr '\0' +)" ]]
}

# Two links at once, as two recipes of a make -j4: each holds one token by running, so two are left.
two_links() {
	local folder pids=()
	timed_compiler
	make_fifo 2
	for folder in one two; do
		mkdir $folder
		(
			cd $folder || exit
			describe x.json ../cc a b c d e f g h
		)
	done
	for folder in one two; do
		(
			cd $folder || exit
			exec "$dtlto" -v --ninja="$1" x.json >out 2>&1 3>&- 9>&-
		) &
		pids+=($!)
	done
	wait "${pids[0]}"
	wait "${pids[1]}"
	cat one/out two/out
	[[ $(grep -c . times) == 32 ]]
	[[ $(most_at_once) -le 4 ]]
	tokens_are 2
}

@test "a fifo and a ninja that is its client: no -j, and never more compilers than tokens" {
	ninja=$root/build/ninjas/1.13.2/ninja
	[[ -x $ninja || ${CI:-} == true ]] || skip "there is no ninja 1.13.2 here; make ninjas fetches it"
	run -0 two_links "$ninja"
	[[ $(grep -cx "dtlto-ninja: make's jobserver says how many of the 8 backend compilations run at a time" <<<"$output") == 2 ]]
}

@test "a fifo and a ninja that is not its client: tokens are taken for it, and put back" {
	need ninja taskset
	processors=$(nproc)
	run -0 two_links ninja
	grep -Eqx "dtlto-ninja: running up to [1-3] at a time: took [0-2] tokens? from make's jobserver, of which this ninja is no client" <<<"$output"
	[[ $processors -lt 2 ]] || grep -q "took [1-2] token" <<<"$output"
}

@test "tokens are put back after a failure, a signal, and SIGKILL" {
	need ninja
	make_fifo 1
	describe x.json false a b c
	run -1 "$dtlto" x.json
	tokens_are 1
	printf + >&9
	stand_in cc <<<'exec sleep 4242.5'
	describe x.json ./cc a b c
	for signal in TERM KILL; do
		"$dtlto" x.json >out 2>&1 3>&- 9>&- &
		pid=$!
		wait_until runs 'sleep 4242.5'
		kill -s $signal "$pid"
		wait "$pid" || true
		wait_until none_runs 'sleep 4242.5'
		wait_until none_runs "$dtlto x.json"
		tokens_are 1
		printf + >&9
	done
}

@test "-j wins over a jobserver" {
	need ninja
	make_fifo 1
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b c
	run -0 "$dtlto" -v -j3 x.json
	lacks jobserver <<<"$output"
	tokens_are 1
}

@test "a jobserver that is not there, or nonsense in MAKEFLAGS" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b
	for flags in ' -j4 --jobserver-auth=fifo:/no/fifo' ' -j4 --jobserver-auth=98,99' \
		' -j4 --jobserver-auth=0,1' ' -j4 --jobserver-auth=' ' --jobserver-fds=-2,-2' \
		" --jobserver-auth=fifo:$PWD/x.json" 'w -- CFLAGS=--jobserver-auth=x'; do
		MAKEFLAGS=$flags run -0 "$dtlto" -v x.json
		grep -q 'processors\? may be used' <<<"$output"
	done
}

@test "the pipe of the real make" {
	need ninja make
	timed_compiler
	describe x.json ./cc a b c d
	printf 'all:\n\t+%s -v x.json\n' "$dtlto" >Makefile
	run -0 env -u MAKEFLAGS -u MAKELEVEL make -j2
	[[ $(nproc) -lt 2 ]] ||
		grep -qx "dtlto-ninja: running up to 2 at a time: took 1 token from make's jobserver, of which this ninja is no client" <<<"$output"
	[[ $(most_at_once) -le 2 ]]
	# A recipe that make does not take for a make of its own gets no pipe.
	printf 'all:\n\t%s -v x.json\n' "$dtlto" >Makefile
	run -0 env -u MAKEFLAGS -u MAKELEVEL make -j2
	grep -q 'processors\? may be used' <<<"$output"
}

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # used, or set by bats
# Real compile farms on this machine, for the tests that need one.

# A port of 127.0.0.1 that nobody listens at.
free_port() {
	local port
	while port=$((20000 + RANDOM % 20000)); do
		(exec 5<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo "$port"
}

# Starts a distccd that runs dtlto-clang, $1 (4) jobs at a time; DISTCC_HOSTS names it then. Its log is
# $distccd_log, and what it may run stands in $distccd_list.
start_distccd() {
	need clang-22 ld.lld-22 ninja distcc distccd
	local folder=$BATS_TEST_TMPDIR/distccd jobs=${1:-4} port user
	user=$(id -un)
	[[ $user != root ]] || user=nobody # it does not run as root
	mkdir -p "$folder/bin" "$folder/tmp"
	chmod a+rx "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/here" "$(dirname "$BATS_TEST_TMPDIR")" \
		"$(dirname "$(dirname "$BATS_TEST_TMPDIR")")"
	chmod 1777 "$folder/tmp"
	distccd_log=$folder/tmp/log
	distccd_list=$folder/list
	ln -sf "$dtlto_clang" "$folder/bin/dtlto-clang"
	echo "$folder/bin/dtlto-clang" >"$distccd_list"
	port=$(free_port)
	env "PATH=$folder/bin:$PATH" "DISTCC_CMDLIST=$distccd_list" "TMPDIR=$folder/tmp" \
		distccd --daemon --no-detach --user "$user" --listen 127.0.0.1 --port "$port" \
		--allow 127.0.0.1 --jobs "$jobs" --log-file "$distccd_log" --log-level info 3>&- &
	farm_pids+=($!)
	export DISTCC_HOSTS=127.0.0.1:$port/$jobs DISTCC_DIR=$folder
	wait_until eval "(exec 5<>/dev/tcp/127.0.0.1/$port) 2>/dev/null"
}
farm_pids=()

# Without a daemon: distcc's hosts are $1, and its own files are not in the test's folder.
use_hosts() {
	need clang-22 ld.lld-22 ninja distcc
	mkdir -p "$BATS_TEST_TMPDIR/distcc"
	export DISTCC_HOSTS=$1 DISTCC_DIR=$BATS_TEST_TMPDIR/distcc
}

stop_farms() {
	local pid
	for pid in "${farm_pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		pkill -P "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	farm_pids=()
}

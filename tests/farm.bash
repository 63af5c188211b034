# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # used in tests; set in common.bash, or by bats
# Real compile farms on this machine: the daemons of distcc and icecream as processes of the test,
# or the test file, that starts them. Call stop_farms in teardown (teardown_file).

farm_pids=()
PATH=$PATH:/usr/sbin:/sbin

stop_farms() {
	local pid
	for pid in "${farm_pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	farm_pids=()
}

# A port of 127.0.0.1 that nobody listens at, nor at the nine behind it.
free_port() {
	local port i
	while :; do
		port=$((10000 + RANDOM % 20000))
		for ((i = 0; i < 10; i++)); do
			! listens $((port + i)) || continue 2
		done
		echo $port
		return
	done
}
listens() {
	(: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Starts a distccd that runs dtlto-clang, $1 (4) jobs at a time; DISTCC_HOSTS names it then. Its log
# is $distccd_log, and what it may run stands in $distccd_list.
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
	wait_until listens "$port"
}

# Without a daemon: distcc's hosts are $1, and its own files are not in the test's folder.
use_hosts() {
	need clang-22 ld.lld-22 ninja distcc
	mkdir -p "$BATS_TEST_TMPDIR/distcc"
	export DISTCC_HOSTS=$1 DISTCC_DIR=$BATS_TEST_TMPDIR/distcc
}

# ../bin/distcc, which stands in for distcc: it is the real one, and cuts off the end of the object.
cutting_distcc() {
	mkdir ../bin
	stand_in ../bin/distcc <<-EOF
		for word; do
			[ "\$previous" != -o ] || object=\$word
			previous=\$word
		done
		$(command -v distcc) "\$@" && truncate -s -100 "\$object"
	EOF
}

# Makes $folder, the folder NAME of this test (or test file), one that every user can reach.
make_farm_folder() { # NAME
	local above
	folder=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/$1
	mkdir "$folder"
	above=$folder
	while [[ $above == "$BATS_RUN_TMPDIR"* ]]; do
		chmod a+x "$above"
		above=${above%/*}
	done
}

# Whether it can be had as with need: on CI, what cannot is a failure.
need_for_farm() { # WHAT COMMAND ...
	"${@:2}" >/dev/null 2>&1 && return
	if [[ ${CI:-} == true ]]; then
		echo "$1, and on CI this test may not be skipped" >&2
		return 1
	fi
	skip "$1"
}

# Whether this user can have network namespaces, joined by veth, and mounts.
has_namespaces() {
	[[ -z ${FARM_LOOPBACK:-} ]] &&
		unshare -n -m sh -c 'ip link add v0 type veth peer name v1 && mount -t tmpfs tmpfs /run' \
			>/dev/null 2>&1
}

# As need, for all that start_icecream needs.
need_icecream() {
	need icecc iceccd icecc-scheduler setpriv nsenter ip &&
		need_for_farm "icecream's workers need root, or the right to chroot" chroot / true
}

# icecream's workers cannot have a sanitized dtlto-clang: that would need /proc, and more memory than
# icecream allows. Makes another for them, once a file.
plain_clang() {
	[[ $build == *-sanitize ]] || return 0
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u FLAGS -u SANITIZE -u TESTS make -s -C "$root" \
		BUILD="$BATS_FILE_TMPDIR/plain" "$BATS_FILE_TMPDIR/plain/dtlto-clang"
	export DTLTO_CLANG=$BATS_FILE_TMPDIR/plain/dtlto-clang
}

# Starts a farm, KIND-farm in tests/helpers, with the workers w1, w2, ... (two, or N of them). Sets
# $farm, the folder with its daemons' logs. The program "run" there runs a command on the farm's
# client, in the current folder, with its network and its mounts, if it has its own. Where
# the test is killed, the farm ends too.
start_farm() { # KIND [N]
	export farm farm_port='' farm_kind=$1
	local folder how=(unshare -n -m) pid
	make_farm_folder "$1${#farm_pids[@]}"
	farm=$folder
	if ! has_namespaces; then
		how=() farm_port=$(free_port)
	fi
	PORT=$farm_port DTLTO_CLANG=${DTLTO_CLANG:-$dtlto_clang} setpriv --pdeathsig TERM "${how[@]}" \
		"$root/tests/helpers/$1-farm" "$folder" "${2:-2}" >"$folder/farm.log" 2>&1 3>&- &
	pid=$!
	farm_pids+=("$pid")
	until [[ -e $folder/ready ]]; do
		kill -0 $pid 2>/dev/null || {
			tail -n 50 "$folder"/*.log >&2
			return 1
		}
		sleep 0.02
	done
	stand_in "$folder/run" < <(
		if [[ $farm_port ]]; then
			[[ $1 != icecream ]] ||
				echo "export ICECC_TEST_SOCKET='$folder/client.socket' ICECC_TEST_REMOTEBUILD=1"
			echo 'exec "$@"'
		else
			echo "exec nsenter -t $pid -n -m -- sh -c 'cd \"\$1\" && shift && exec \"\$@\"' sh \"\$PWD\" \"\$@\""
		fi
	)
}
start_icecream() { # [N]
	start_farm icecream "$@"
}

# DISTCC_HOSTS names the workers then.
start_distcc() { # [N]
	start_farm distcc "$@"
	DISTCC_HOSTS=$(<"$farm/hosts")
	export DISTCC_HOSTS DISTCC_DIR=$farm/client
	mkdir "$DISTCC_DIR"
}

# Sends a signal to a daemon of the farm, and to all that it has started.
signal_farm() { # NAME SIGNAL
	kill -s "$2" -- "-$(<"$farm/$1.pid")"
}

# How many compilations the workers of the farm, or those named, were given; of a distcc farm, have
# done.
farm_jobs() { # [NAME ...]
	[[ $# -gt 0 ]] || set -- w1 w2
	local logs=("${@/#/$farm/}") ending=.log text='remote compile for file'
	[[ $farm_kind != distcc ]] || ending=.distccd text=COMPILE_OK
	cat "${logs[@]/%/$ending}" | grep -c "$text" || :
}

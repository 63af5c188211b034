# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # for, and of, the program that sources this
# What distcc-farm and icecream-farm share: daemons, and the namespaces that they are in.
#
# As root of a network and a mount namespace of its own (unshare -n -m), this namespace is the
# client, and each worker wN is another, 10.77.N.2, joined to it by veth. With PORT in the
# environment there are no namespaces: everything is on the loopback interface, at PORT and the next.
#
# Each daemon gets the variables DTLTO_CLANG_* of the environment, and the worker wN also those that
# are there as wN_DTLTO_CLANG_*, under their proper names.
#
# The farm runs until it gets a TERM, and then ends all of them. In its folder, which every user must
# be able to reach, are then "ready", and NAME.pid and NAME.log of each daemon.

PATH=$PATH:/usr/sbin:/sbin
names=()

end_all() {
	local name
	trap '' TERM
	for name in "${names[@]}"; do
		kill -KILL -- "-$(<"$folder/$name.pid")" || :
	done
	wait
}

begin_farm() {
	trap end_all EXIT
	trap 'exit 0' TERM
	if [[ -z ${PORT:-} ]]; then
		mount -t tmpfs tmpfs /run
		ip link set lo up
	fi
}

# Says that all is there, and waits for the end.
farm_is_ready() {
	: >"$folder/ready"
	start idle sleep infinity
	wait -f $! # without it, a daemon that is stopped would end the waiting
}

# Starts the daemon $1 with a clean environment, as a system does.
start() { # NAME [VARIABLE=VALUE ...] COMMAND ...
	local daemon=$1 name variables=(PATH="$PATH")
	shift
	for name in $(compgen -e DTLTO_CLANG_); do
		variables+=("$name=${!name}")
	done
	for name in $(compgen -e "${daemon}_DTLTO_CLANG_"); do
		variables+=("${name#"${daemon}_"}=${!name}")
	done
	env -i "${variables[@]}" "$@" >"$folder/$daemon.log" 2>&1 &
	echo $! >"$folder/$daemon.pid"
	names+=("$daemon")
}

# Makes the namespace of worker $1, unless there are none. Sets $where, what is put in front of
# a command to have it run there.
join() {
	where=()
	[[ -z ${PORT:-} ]] || return 0
	ip netns add "w$1"
	ip link add "w$1" type veth peer name eth0 netns "w$1"
	ip address add "10.77.$1.1/24" dev "w$1"
	ip link set "w$1" up
	ip -n "w$1" address add "10.77.$1.2/24" dev eth0
	ip -n "w$1" link set eth0 up
	ip -n "w$1" link set lo up
	where=(nsenter "--net=/run/netns/w$1")
}

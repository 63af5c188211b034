#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# How memory bounds what runs at a time.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# Four jobs, and a ninja that only says which -j it got.
four_jobs() {
	describe x.json ./cc a b c d
	stand_in fake <<-'EOF'
		case "$*" in *--version*) echo 1.11.1; exit; esac
		while [ "$1" ] && [ "$1" != -j ]; do shift; done
		echo "got -j $2"
		for output in a.o b.o c.o d.o; do echo object >$output; done
	EOF
	export NINJA=./fake
}
got() {
	grep -qx "got -j $1" <<<"$output" || {
		echo "expected -j $1: $output"
		return 1
	}
}
short="the largest backend compilations may need more together than the"

@test "--memory lowers -j to what fits, and says so" {
	four_jobs
	run -0 "$dtlto" -j4 --memory=250M x.json
	got 3
	says "running 3 at a time instead of 4: $short 0.2 GiB of memory that were given; --memory says how much they may take"
	run -0 "$dtlto" -j4 --memory=1K x.json
	got 1
	run -0 "$dtlto" -j0 --memory=200M x.json
	got 2
	run -0 "$dtlto" -j4 --memory=8G x.json
	got 4
	lacks 'at a time' <<<"$output"
	run -0 "$dtlto" -j4 --memory=none x.json
	got 4
	# A module of 2 MiB may need 128 MiB more than one of nothing.
	truncate -s 2M b.bc
	run -0 "$dtlto" -j4 --memory=330M x.json
	got 2
	# -j is what people have chosen; without --memory it stands.
	run -0 "$dtlto" -j4 x.json
	got 4
}

@test "sizes, and what is none" {
	four_jobs
	for size in 314572800 307200K 300M 0.3G 0.0003T; do
		run -0 "$dtlto" -j4 "--memory=$size" x.json
		got 4
	done
	for size in '' much -1 0 5X 5MM none1 8GB; do
		run -2 "$dtlto" "--memory=$size" x.json
		[[ $output == "dtlto-ninja: --memory: expected a size such as 1500M or 8G, or none, found '$size'" ]]
	done
}

@test "what the kernel has to offer bounds the default" {
	need unshare taskset
	[[ $(nproc) -ge 2 ]] || skip "one processor runs one compilation at a time anyway"
	[[ $(id -u) == 0 ]] && unshare -m true || {
		[[ ${CI:-} != true ]] || return 1
		skip "no file may be put in the place of /proc/meminfo here"
	}
	four_jobs
	cat >with-memory <<-'EOF'
		echo "MemAvailable: $1 kB" >meminfo
		mount --bind meminfo /proc/meminfo
		shift
		exec "$@"
	EOF
	run -0 unshare -m sh with-memory 150000 taskset -c 0,1 "$dtlto" x.json
	got 1
	says "running 1 at a time instead of 2: $short 0.1 GiB of memory that are available; --memory says how much they may take"
	run -0 unshare -m sh with-memory 250000 taskset -c 0,1 "$dtlto" x.json
	got 2
	run -0 unshare -m sh with-memory 150000 taskset -c 0,1 "$dtlto" --memory=none x.json
	got 2
}

@test "below a jobserver, a ninja that cannot be held back is no client where memory is short" {
	four_jobs
	sed -i 's/1.11.1/1.13.2/' fake
	mkfifo fifo
	exec 9<>fifo
	printf +++ >&9
	MAKEFLAGS=" -j4 --jobserver-auth=fifo:$PWD/fifo" run -0 "$dtlto" -v --memory=8G x.json
	grep -q "make's jobserver says" <<<"$output"
	MAKEFLAGS=" -j4 --jobserver-auth=fifo:$PWD/fifo" run -0 "$dtlto" -v --memory=200M x.json
	got "[12]"
}

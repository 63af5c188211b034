#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# dtlto-clang --check, compared with what Debian's distcc does in namespaces of its own, whose changes
# to /usr, /etc and /var go away with them.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# What dtlto-clang --check says of $1 (compiler, folder, distccd), with the variables that follow.
verdict_of() {
	local what=$1
	shift
	env DTLTO_CLANG_COMPILER=/nowhere "$@" "$build/dtlto-clang" --check | sed -n "s/ \+$what: / /p"
}

@test "--check: compilers" {
	for version in 14.0.6 21.1.0 30.0.0git; do
		stand_in "clang-$version" <<<"echo 'clang version $version'; echo 'Target: x86_64-pc-linux-gnu'"
	done
	stand_in mute <<<'exit 1'
	ln -s clang-21.1.0 again
	run -1 env DTLTO_CLANG_COMPILER="$PWD/clang-14.0.6:$PWD/mute" "$build/dtlto-clang" --check
	diff <(head -n 3 <<<"$output") - <<-EOF
		note     compiler: $PWD/clang-14.0.6: clang version 14.0.6, older than DTLTO
		note     compiler: $PWD/mute does not say its version as clang does
		missing  compiler: no clang of LLVM 21 or later found; install the clang that links are made with at home, or name it in DTLTO_CLANG_COMPILER
	EOF
	compilers=$PWD/clang-30.0.0git:$PWD/clang-21.1.0:$PWD/again:$PWD/clang-21.1.0
	diff <(verdict_of compiler DTLTO_CLANG_COMPILER="$compilers") - <<-EOF
		ok $PWD/clang-30.0.0git: clang version 30.0.0git, for x86_64-pc-linux-gnu
		ok $PWD/clang-21.1.0: clang version 21.1.0, for x86_64-pc-linux-gnu
	EOF
}

@test "--check: the folder is the one that bundles are unpacked in" {
	[[ $(verdict_of folder TMPDIR="$PWD") == "ok bundles are unpacked in $PWD" ]]
	[[ $(verdict_of folder TMPDIR=here) == "ok bundles are unpacked in /tmp" ]]
	[[ $(verdict_of folder TMPDIR="$PWD/none") == "missing cannot write to $PWD/none: No such file or directory; set TMPDIR" ]]
}

@test "--check: the list of DISTCC_CMDLIST decides alone, and by the first line that fits" {
	stand_in dtlto-clang <<<'exit 0'
	list() {
		printf '%b' "$1" >list
		verdict_of distccd DISTCC_CMDLIST=list
	}
	mkdir masquerade
	stand_in masquerade/distcc <<<'exit 0'
	ln -s distcc masquerade/dtlto-clang
	[[ $(list "/usr/bin/gcc\n$PWD/dtlto-clang\n/none/dtlto-clang\n") == "ok list allows $PWD/dtlto-clang" ]]
	[[ $(list "$PWD/dtlto-clang") == "ok list allows $PWD/dtlto-clang" ]]
	[[ $(PATH=$PWD:$PATH list "/none/dtlto-clang\n") == "ok list allows $PWD/dtlto-clang" ]]
	[[ $(PATH=$PWD/masquerade:$PATH list "/none/dtlto-clang\n") == "missing it would run $PWD/masquerade/dtlto-clang, a link to distcc's client, not dtlto-clang" ]]
	[[ $(list "/none/dtlto-clang\n$PWD/dtlto-clang\n") == "missing list allows /none/dtlto-clang, which cannot be run: No such file or directory" ]]
	for content in "" "/usr/bin/gcc\n" "$PWD/dtlto-clang \n" "$PWD/dtlto-clang\r\n" "$PWD/my-dtlto-clang\n"; do
		[[ $(list "$content") == "missing list, the list of DISTCC_CMDLIST, has no line for dtlto-clang such as /usr/bin/dtlto-clang" ]]
	done
	[[ $(verdict_of distccd DISTCC_CMDLIST=none) == "missing cannot read none, the list of DISTCC_CMDLIST: No such file or directory; without it distccd runs whatever a client names" ]]
}

# Runs a shell's text as root of an own machine: own processes, network, and /run; and changes to /usr,
# /etc and /var go nowhere. distccd may write to /run/far.
own_machine() {
	need unshare ip ss distccd distcc clang-22 ld.lld-22 ninja
	[[ $(id -u) == 0 ]] || skip "needs root"
	mkdir -p layers
	cat >machine <<-EOF
		set -eu
		mount -t tmpfs none '$PWD/layers'
		for folder in usr etc var; do
			mkdir '$PWD/layers/'\$folder '$PWD/layers/'\$folder.work
			mount -t overlay -o lowerdir=/\$folder,upperdir='$PWD/layers/'\$folder,workdir='$PWD/layers/'\$folder.work none /\$folder || exit 77
		done
		mount -t tmpfs none /run
		install -d -o distccd /run/far
		ip link set lo up
		rm -f /usr/lib/distcc/dtlto-clang /usr/bin/dtlto-clang /usr/local/bin/dtlto-clang
		$1
	EOF
	run unshare -m -p -f -n --mount-proc bash machine
	[[ $status != 77 ]] || skip "no overlay file system here"
	[[ $status == 0 ]] || {
		echo "$output"
		return 1
	}
}

@test "--check says what distccd does" {
	demo_objects
	mkdir distcc-dir
	export DISTCC_DIR=$PWD/distcc-dir DTLTO_CLANG=$build/dtlto-clang DISTCC_HOSTS=127.0.0.1/4
	stand_in try <<-EOF
		# try EXPECTED-VERDICT EXPECTED-COUNT VARIABLE...
		verdict=\$1 count=\$2
		shift 2
		rm -rf distcc-dir/* # which hosts were bad
		env "\$@" '$build/dtlto-clang' --check | grep 'distccd:' | sed 's/^/check: /' | tee verdict
		grep -q "^check: \$verdict " verdict || exit
		env "\$@" /usr/bin/distccd --daemon --no-detach --user distccd --listen 127.0.0.1 --allow 127.0.0.1 \
			--log-file /run/far/log --log-level=debug &
		daemon=\$!
		until ss -ltn | grep -q :3632; do sleep 0.1; done
		clang-22 -O2 -flto=thin -fuse-ld=lld -fthinlto-distributor='$dtlto' \
			-Xthinlto-distributor=-j1,--template=distcc ${demo_list[*]} -o remote 2>&1 | grep remote | tee line
		kill \$daemon
		wait \$daemon
		grep -q "^dtlto-ninja: \$count of 5 remote" line || { tail -n 30 /run/far/log; exit 1; }
	EOF
	far=/run/bin
	own_machine "
		mkdir $far /run/lists
		cp '$build/dtlto-clang' $far
		printf '%s\n' $far/dtlto-clang >/run/lists/good
		printf '%s\r\n' $far/dtlto-clang >/run/lists/bad
		printf '%s\n' /none/dtlto-clang $far/dtlto-clang >/run/lists/first
		path=/usr/bin:/bin
		./try missing 0 PATH=$far:\$path             # no link
		./try ok 5 PATH=\$path DISTCC_CMDLIST=/run/lists/good
		./try missing 0 PATH=\$path DISTCC_CMDLIST=/run/lists/bad
		./try missing 0 PATH=\$path DISTCC_CMDLIST=/run/lists/first
		./try ok 5 PATH=$far:\$path DISTCC_CMDLIST=/run/lists/first
		ln -s ../../bin/distcc /usr/lib/distcc/dtlto-clang
		./try ok 5 PATH=$far:\$path
		./try ok 5 PATH=/none DISTCCD_PATH=$far:\$path
		./try missing 0 PATH=\$path                    # no program
		./try missing 0 PATH=/usr/lib/distcc:\$path    # the client
		./try missing 0 PATH=$far:\$path DISTCC_CMDLIST=/run/lists/bad
		ln -sf ../../bin/none /usr/lib/distcc/dtlto-clang
		./try missing 0 PATH=$far:\$path             # a link to nothing
		# This is not safe.
		./try missing 5 PATH=$far:\$path DISTCC_CMDLIST=/run/lists/none"
}

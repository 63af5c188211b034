#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# contrib/distcc/setup-node and dtlto-clang --check: on a made-up system below the folder "node", with
# a stand-in for dtlto-clang that prints its environment; and with Debian's distcc in namespaces of
# their own, whose changes to /usr, /etc and /var go away with them.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# A machine on which Debian's distcc and dtlto-ninja were installed.
make_node() {
	mkdir -p node/usr/{bin,lib/distcc,local/bin} node/etc/default node/proc/{1,55} bin
	ln -s ../../bin/distcc node/usr/lib/distcc/clang
	stand_in node/usr/bin/distccd <<<'exit 1'
	stand_in node/usr/local/bin/dtlto-clang <<-'EOF'
		case $1 in
		--version) echo dtlto-clang 0.1.0 ;;
		--check) env | grep -v '^PWD=' | sort; [ "$TMPDIR" != /full ] ;;
		esac
	EOF
	cat >node/etc/default/distcc <<-'EOF'
		# should distcc be started on boot?
		# STARTDISTCC="true"

		STARTDISTCC="false"

		ALLOWEDNETS="127.0.0.1"
		LISTENER="127.0.0.1"
		NICE="10"
	EOF
	echo init >node/proc/1/comm
	echo make >node/proc/55/comm
	stand_in bin/service <<-EOF
		echo "service \$*" >>'$PWD/services'
		$(declare -f make_daemon)
		cd '$PWD' && make_daemon
	EOF
}
# One whose distccd runs, with the arguments and, behind --, the environment given.
make_daemon() {
	mkdir -p node/proc/77
	echo distccd >node/proc/77/comm
	printf 'Name:\tdistccd\nUid:\t0\t%s\t0\t0\nGid:\t0\t%s\t0\t0\n' "$(id -u)" "$(id -g)" >node/proc/77/status
	printf '%s\0' /usr/bin/distccd --daemon --allow 192.168.7.0/24 --allow=10.0.0.0/8 >node/proc/77/cmdline
	printf '%s\0' PATH=/usr/bin:/bin "$@" >node/proc/77/environ
}

setup_node() {
	ROOT=$PWD/node PATH=$PWD/bin:$PATH "$root/contrib/distcc/setup-node" "$@"
}

# All that is there, with its times.
state() {
	find node -printf '%p %l %s %T@\n' | sort
}

@test "a node is set up, and found to be so" {
	make_node
	run --separate-stderr -0 setup_node --allow=192.168.7.0/24 --allow=10.0.0.0/8
	[[ -z $stderr ]]
	diff <(echo "$output") - <<-EOF
		done     program: linked $PWD/node/usr/bin/dtlto-clang to ../local/bin/dtlto-clang
		done     distccd: linked $PWD/node/usr/lib/distcc/dtlto-clang, so that it runs dtlto-clang
		done     daemon: ALLOWEDNETS="192.168.7.0/24 10.0.0.0/8" in $PWD/node/etc/default/distcc
		done     daemon: LISTENER="" in $PWD/node/etc/default/distcc
		done     daemon: STARTDISTCC="true" in $PWD/node/etc/default/distcc
		done     daemon: started it
		ok       daemon: distccd is running
		note     daemon: takes jobs from 192.168.7.0/24 10.0.0.0/8
		ok       program: $PWD/node/usr/bin/dtlto-clang, dtlto-clang 0.1.0
		PATH=/usr/bin:/bin
	EOF
	[[ $(<services) == "service distcc start" ]]
	[[ -x node/usr/lib/distcc/dtlto-clang ]]
	diff node/etc/default/distcc - <<-'EOF'
		# should distcc be started on boot?
		# STARTDISTCC="true"

		STARTDISTCC="true"

		ALLOWEDNETS="192.168.7.0/24 10.0.0.0/8"
		LISTENER=""
		NICE="10"
	EOF
	# Again, with and without what was asked for.
	before=$(state)
	for again in --allow="192.168.7.0/24 --allow=10.0.0.0/8" "" --check; do
		# shellcheck disable=SC2086 # words
		run -0 setup_node $again
		lacks '^done' <<<"$output"
	done
	[[ $(state) == "$before" && $(wc -l <services) == 1 ]]
}

@test "a daemon that runs takes up other networks" {
	make_node
	make_daemon
	sed -i 's/^STARTDISTCC=.*/STARTDISTCC=true/; /ALLOWEDNETS/d; s/^LISTENER=.*/LISTENER=192.168.7.5/' \
		node/etc/default/distcc
	run -0 setup_node
	lacks 'daemon: .*ed it' <<<"$output"
	[[ ! -e services ]]
	run -0 setup_node --allow=10.1.2.3
	grep -qx 'done     daemon: restarted it' <<<"$output"
	[[ $(<services) == "service distcc restart" ]]
	[[ $(tail -n 1 node/etc/default/distcc) == 'ALLOWEDNETS="10.1.2.3"' ]]
	grep -qx 'LISTENER=192.168.7.5' node/etc/default/distcc
}

@test "--check changes nothing and says what is missing" {
	make_node
	before=$(state)
	run -1 setup_node --check
	diff <(echo "$output") - <<-EOF
		missing  daemon: distccd is not running, and $PWD/node/etc/default/distcc does not have it started; run setup-node --allow=NETWORK
		missing  program: no $PWD/node/usr/bin/dtlto-clang; install dtlto-ninja on this node, or copy its dtlto-clang there
	EOF
	[[ $(state) == "$before" ]]
	# What would start it did not.
	sed -i 's/^STARTDISTCC=.*/STARTDISTCC=YES/' node/etc/default/distcc
	run -1 setup_node --check
	[[ ${lines[0]} == "missing  daemon: distccd is not running (service distcc start; $PWD/node/var/log/distccd.log may say why it is not)" ]]
	# One that has ended.
	make_daemon
	: >node/proc/77/cmdline
	run -1 setup_node --check
	[[ ${lines[0]} == "missing  daemon: distccd is not running "* ]]
	rm node/usr/bin/distccd
	run -1 setup_node --check
	[[ ${lines[0]} == "missing  daemon: no $PWD/node/usr/bin/distccd; install it (apt-get install distcc)" ]]
}

@test "what cannot be done is said" {
	make_node
	rm node/usr/local/bin/dtlto-clang
	run -1 setup_node
	grep -q "^missing  program: no $PWD/node/usr/bin/dtlto-clang; " <<<"$output"
	# Without the program the name is not allowed either: distccd would not find it.
	[[ ! -L node/usr/lib/distcc/dtlto-clang ]]
	echo text >node/usr/local/bin/dtlto-clang
	chmod +x node/usr/local/bin/dtlto-clang
	echo text >node/usr/bin/dtlto-clang
	run -1 setup_node
	[[ $output == "setup-node: $PWD/node/usr/bin/dtlto-clang is there, but cannot be run" ]]
	rm node/usr/bin/dtlto-clang node/etc/default/distcc
	run -1 setup_node --allow=10.0.0.0/8
	[[ ${lines[-1]} == "setup-node: there is no $PWD/node/etc/default/distcc, where Debian's distcc says who may send jobs; start distccd with --allow yourself" ]]
}

@test "a link to a program that is gone is put right" {
	make_node
	make_daemon
	ln -s ../../nowhere/dtlto-clang node/usr/bin/dtlto-clang
	ln -s ../../bin/nothing node/usr/lib/distcc/dtlto-clang
	run -0 setup_node
	[[ $(realpath node/usr/bin/dtlto-clang) == "$PWD/node/usr/local/bin/dtlto-clang" ]]
	[[ $(realpath node/usr/lib/distcc/dtlto-clang) == "$PWD/node/usr/local/bin/dtlto-clang" ]]
}

@test "dtlto-clang --check gets the environment of the daemon, and no other" {
	make_node
	make_daemon 'TMPDIR=/a b' DISTCC_CMDLIST=/list DISTCCD_PATH=/path DTLTO_CLANG_MLLVM='-a -b' HOME=/root OTHER=x
	DTLTO_CLANG_SECONDS=5 run -0 setup_node
	[[ ${output#*0.1.0$'\n'} == $'DISTCCD_PATH=/path\nDISTCC_CMDLIST=/list\nDTLTO_CLANG_MLLVM=-a -b\nPATH=/usr/bin:/bin\nTMPDIR=/a b' ]]
	# What it finds missing is missing.
	make_daemon TMPDIR=/full
	run -1 setup_node --check
}

@test "a program that is there and cannot start is missing" {
	need clang-22
	make_node
	make_daemon
	program=$PWD/node/usr/bin/dtlto-clang
	# As one that was copied from a machine with other libraries.
	echo 'int gone(void) { return 0; }' | clang-22 -shared -fPIC -o libgone.so -x c -
	echo 'int gone(void); int main(void) { return gone(); }' | clang-22 -o "$program" -x c - -L. -lgone
	rm libgone.so
	fails_with() { # PATTERN
		run --separate-stderr -1 setup_node --check
		# shellcheck disable=SC2053 # a pattern
		[[ -z $stderr && ${lines[-1]} == "missing  program: $program cannot be run: "$1 ]]
	}
	fails_with "error while loading shared libraries: libgone.so: *"
	# As one for a newer processor, another C library or another kind of machine.
	stand_in "$program" <<<'kill -ILL $$'
	fails_with "@(Illegal instruction*|status 132)"
	printf '#!/nowhere/ld-musl.so.1\n' >"$program"
	fails_with "*not found"
	{ printf '\177ELF\2\1\1'; head -c 300 /dev/zero; } >"$program"
	fails_with "*Exec format error"
	stand_in "$program" <<<'exit 3'
	fails_with "status 3"
	# A warning of the linker is no version.
	stand_in "$program" <<<'echo warning >&2; echo dtlto-clang 0.1.0'
	run -0 setup_node --check
	grep -qx "ok       program: $program, dtlto-clang 0.1.0" <<<"$output"
}

@test "setup-node explains itself, and refuses what it does not know" {
	run -0 setup_node --help
	[[ ${lines[0]} == "usage: setup-node [--check] [--allow=NETWORK ...]" ]]
	[[ $(wc -L <<<"$output") -le 100 ]]
	for network in '' 'a b' '1.2.3.4"' '$(x)' localhost; do
		run -2 setup_node --allow="$network"
		[[ $output == "setup-node: --allow: expected an address or a network such as 192.168.7.0/24, found '$network'" ]]
	done
	run -2 setup_node --chekc
	[[ $output == "setup-node: unknown option '--chekc'; --help lists the options" ]]
	run -2 setup_node --check --allow=10.0.0.0/8
	[[ $output == "setup-node: --check changes nothing, so --allow does not go with it" ]]
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

@test "Debian's distcc, set up by one command, compiles remotely" {
	demo_objects
	mkdir distcc-dir
	export DISTCC_DIR=$PWD/distcc-dir DTLTO_CLANG=$build/dtlto-clang DISTCC_HOSTS=127.0.0.1/4,lzo
	link "${demo_list[@]}" -o local -Xthinlto-distributor=-q
	own_machine "
		cp '$build/dtlto-clang' /usr/local/bin
		printf '\nSTARTDISTCC=false\nALLOWEDNETS=10.9.9.9\nexport TMPDIR=/run/far\n' >>/etc/default/distcc
		! '$root/contrib/distcc/setup-node' --check
		'$root/contrib/distcc/setup-node' --allow=127.0.0.1
		'$root/contrib/distcc/setup-node' --check
		clang-22 -O2 -flto=thin -fuse-ld=lld -fthinlto-distributor='$dtlto' \
			-Xthinlto-distributor=--template=distcc ${demo_list[*]} -o remote
		update-distcc-symlinks
		ls -l /usr/lib/distcc
		service distcc stop"
	cmp local remote
	grep -qxF 'dtlto-ninja: 5 of 5 remote (distcc)' <<<"$output"
	grep -qxF 'ok       folder: bundles are unpacked in /run/far' <<<"$output"
	# The init script's PATH has both.
	grep -qxE 'ok       distccd: /usr/lib/distcc/dtlto-clang allows /usr(/local)?/bin/dtlto-clang' <<<"$output"
	grep -qF 'dtlto-clang -> ../../bin/dtlto-clang' <<<"$output"
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

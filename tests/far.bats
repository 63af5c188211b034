#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2046,SC2154
# dtlto-clang on the far side of a farm, called as distccd and iceccd call it: what it takes, what it
# refuses, and that nothing is left. The compiler is the real one unless a test says otherwise.

load common
load far

setup_file() {
	bats_require_minimum_version 1.5.0
}

# A test that has failed may have left one that waits for its compiler.
teardown() {
	pkill -TERM -f "^$dtlto_clang -c x.i" || true
}

# Makes y.i of x.i with another head: a sed script for it.
change_head() {
	rm -rf ../parts
	mkdir ../parts
	tar xf x.i -C ../parts
	sed -i "$1" ../parts/dtlto-bundle
	tar -C ../parts --format=ustar -cf y.i $(tar tf x.i)
}

# It refuses y.i with status $1 and the message $2, and leaves nothing.
refuses() {
	rm -f y.o
	run -"$1" far -c y.i -o y.o
	[[ $output == "dtlto-clang: $2" ]] || {
		echo "expected: $2"
		echo "found: $output"
		return 1
	}
	[[ ! -e y.o ]]
	nothing_left
}

@test "an object that is wanted on another file system" {
	make_bundle
	elsewhere=$(mktemp -d /dev/shm/dtlto-test.XXXXXX 2>/dev/null) || skip "there is no /dev/shm"
	if [[ $(stat -c %d "$elsewhere") == "$(stat -c %d .)" ]]; then
		rmdir "$elsewhere"
		skip "/dev/shm is no other file system"
	fi
	far_environment=("TMPDIR=$elsewhere")
	run -0 far -c x.i -o y.o
	cmp y.o "$reference"
	[[ -z $(ls -d "$elsewhere"/dtlto-clang.* 2>/dev/null) ]]
	rm -r "$elsewhere"
	nothing_left
}

@test "as distccd calls it: the object of the link" {
	make_bundle
	far -c x.i -o y.o
	cmp y.o "$reference"
	nothing_left
}

@test "as iceccd calls it, the bundle on standard input" {
	make_bundle
	far -x c -Xclang -main-file-name -Xclang z.i -Xclang -fdebug-compilation-dir -Xclang /a/b -target \
		x86_64-pc-linux-gnu -c -fcolor-diagnostics - -o icecc-1.o -no-canonical-prefixes < <(cat x.i)
	cmp icecc-1.o "$reference"
	nothing_left
}

@test "a bundle is a tar archive, the same from another link in another folder" {
	make_bundle
	[[ $(tar tvf x.i | wc -l) -ge 4 ]]
	tar tvf x.i | while read -r mode owner _ date time _; do
		[[ $mode == -rw-r--r-- && $owner == 0/0 && $date == 1970-01-01 && $time == 00:00 ]]
	done
	[[ $(tar xOf x.i dtlto-bundle | head -n 1) == "dtlto-bundle 1" ]]
	lacks "$PWD" < <(strings x.i)
	mv x.i ../first.i
	objects=()
	mkdir -p "../another folder/with a longer name"
	cp "${demo_list[@]}" "../another folder/with a longer name"
	for object in "${demo_list[@]}"; do
		objects+=("$(realpath "../another folder/with a longer name/$object")")
	done
	PATH=$PWD/../bin:$PATH link "${objects[@]}" -o ../another -Xthinlto-distributor=-q,--template=distcc
	cmp x.i ../first.i
}

@test "modules travel without their symbol tables" {
	make_bundle
	need llvm-bcanalyzer-22
	mkdir parts
	tar -C parts -xf x.i
	for module in parts/m*; do
		llvm-bcanalyzer-22 --dump "$module" >blocks
		grep -q '<STRTAB_BLOCK' blocks
		lacks 'SYMTAB_BLOCK' <blocks
	done
	llvm-bcanalyzer-22 --dump main.o | grep -q '<SYMTAB_BLOCK'
	[[ $(cat parts/m* | wc -c) -lt $(cat "${demo_list[@]}" | wc -c) ]]
	far -c x.i -o y.o
	cmp y.o "$reference"
}

@test "options that are not allowed are refused" {
	make_bundle
	mark=$BATS_TEST_TMPDIR/mark
	for option in -fplugin=/x.so -Xclang -mllvm -fpass-plugin=/x.so @/etc/passwd --config=/etc/passwd \
		-ftime-trace "-ftime-trace=$mark" "-foptimization-record-file=$mark" -save-temps "-o$mark" \
		"--serialize-diagnostics" -B/tmp "-Wl,-x" "-Wa,-x" -gsplit-dwarf /etc/passwd -cc1 -emit-llvm; do
		change_head "s#^option -O2#option $option#"
		refuses 120 "the option '$option' is not allowed here"
	done
	[[ ! -e $mark ]]
	# What an administrator allows, and what lld itself writes.
	change_head 's,^option -O2,option -O2\noption -mllvm\noption -inline-threshold=5,'
	refuses 120 "the option '-mllvm' is not allowed here"
	far_environment=(DTLTO_CLANG_MLLVM="-a -inline-threshold=5")
	far -c y.i -o y.o
	[[ -s y.o ]]
}

@test "what is no bundle, or one of another format" {
	make_bundle
	echo 'int f(void) { return 0; }' >y.i
	run -120 far -c y.i -o y.o
	[[ $output == "dtlto-clang: not a bundle: "* ]]
	: >y.i
	run -120 far -c y.i -o y.o
	change_head 's,^dtlto-bundle 1,dtlto-bundle 2,'
	refuses 120 "a bundle of another format: 'dtlto-bundle 2' instead of 'dtlto-bundle 1'"
	head -c 5000 x.i >y.i
	run -120 far -c y.i -o y.o
	run -123 far -c none.i -o y.o
	[[ $output == "dtlto-clang: cannot open 'none.i': No such file or directory" ]]
	run -2 far -c x.c
	[[ $output == "dtlto-clang: expected a command as distccd and iceccd have it, "* ]]
	[[ ! -e y.o ]]
	nothing_left
}

@test "a compiler of another version or target is not used" {
	make_bundle
	change_head 's,^compiler .*,compiler Debian clang version 22.1.7,'
	run -121 far -c y.i -o y.o
	[[ $output == "dtlto-clang: the compiler is not here: Debian clang version 22.1.7 (x86_64-pc-linux-gnu); found "*" version 22."* ]]
	change_head 's,^target .*,target riscv64-unknown-linux-gnu,'
	run -121 far -c y.i -o y.o
	far_environment=(DTLTO_CLANG_COMPILER="$PWD/other")
	stand_in other <<<'echo "Debian clang version 1.2.3"; echo "Target: x"'
	run -121 far -c x.i -o y.o
	[[ $output == *"; found Debian clang version 1.2.3 (x)" ]]
	[[ ! -e y.o ]]
	nothing_left
}

# A compiler that says it is clang-22, and then does what standard input says: for faults.
bad_compiler() {
	stand_in bad-clang <<-EOF
		case \$1 in --version) exec clang-22 --version ;; esac
		$(cat)
	EOF
	far_environment=(DTLTO_CLANG_COMPILER="$PWD/bad-clang" "$@")
}

@test "compilers that fail, by stand-ins: none ends it by a signal" {
	make_bundle
	cp x.i y.i
	bad_compiler <<<'exit 0'
	refuses 124 "the compiler ended well, but its object is missing"
	bad_compiler <<<': >object'
	refuses 124 "the compiler ended well, but its object is empty"
	bad_compiler <<<'kill -SEGV $$'
	refuses 122 "the compiler was killed by signal 11 (Segmentation fault)"
	bad_compiler DTLTO_CLANG_SECONDS=1 <<<'sleep 4242.77'
	refuses 122 "the compilation was given up: it took too long"
	none_runs "sleep 4242.77"
	bad_compiler DTLTO_CLANG_OUTPUT=100000 <<<'exec head -c 1m /dev/zero >object 2>&1'
	refuses 122 "the compiler was killed by signal 25 (File size limit exceeded)"
	bad_compiler <<<'echo error: no good; exit 1'
	run -1 far -c y.i -o y.o
	[[ $output == "error: no good" ]]
	nothing_left
}

@test "limits of memory and input" {
	make_bundle
	for setting in MEMORY=1G SECONDS=soon OUTPUT=-1 INPUT=1e9; do
		far_environment=("DTLTO_CLANG_$setting")
		run -123 far -c x.i -o y.o
		unit=bytes
		[[ $setting != SECONDS=* ]] || unit=seconds
		[[ $output == "dtlto-clang: DTLTO_CLANG_${setting%=*}: expected a number of $unit, found '${setting#*=}'" ]]
	done
	far_environment=(DTLTO_CLANG_MEMORY=50000000)
	run -122 far -c x.i -o y.o
	[[ $output == *"dtlto-clang: the compiler ended with status 127" && ! -e y.o ]]
	far_environment=(DTLTO_CLANG_INPUT=1000)
	run -120 far -c x.i -o y.o
	[[ $output == "dtlto-clang: over the limits: "* ]]
	nothing_left
}

@test "signals: the compiler dies, it ends with a status, nothing is left" {
	make_bundle
	for signal in TERM INT HUP; do
		bad_compiler <<<'exec sleep 4242.78'
		setsid env --default-signal "TMPDIR=$BATS_TEST_TMPDIR" "${far_environment[@]}" \
			"$dtlto_clang" -c x.i -o y.o >out 2>&1 3>&- &
		pid=$!
		wait_until runs "sleep 4242.78"
		kill -s $signal "$(pgrep -f "^$dtlto_clang -c x.i")"
		status=0
		wait "$pid" || status=$?
		[[ $status == 122 ]] || { echo "status $status"; cat out; return 1; }
		wait_until none_runs "sleep 4242.78"
	done
	# Even when it is killed the compiler dies with it.
	setsid env "${far_environment[@]}" "$dtlto_clang" -c x.i -o y.o >out 2>&1 3>&- &
	wait_until runs "sleep 4242.78"
	pkill -KILL -f "^$dtlto_clang -c x.i"
	wait_until none_runs "sleep 4242.78"
}

@test "a signal while the bundle is still coming, and the client is gone" {
	make_bundle
	mkfifo pipe
	far -x c -c - -o y.o <pipe >log 2>&1 &
	# As iceccd does, it keeps its end open.
	exec 5>pipe
	head -c 5000 x.i >&5
	wait_until unpacking
	kill -TERM "$(pgrep -P $! || echo $!)"
	status=0
	wait $! || status=$?
	exec 5>&-
	[[ $status == 122 ]]
	grep -qx 'dtlto-clang: the compilation was given up: it was ended by a signal' log
	nothing_left
}
unpacking() {
	compgen -G '../tmp/dtlto-clang.*' >/dev/null
}

@test "the time limit counts from the start: also for a bundle that does not come" {
	make_bundle
	mkfifo pipe
	far_environment=(DTLTO_CLANG_SECONDS=1)
	exec 5<>pipe
	head -c 5000 x.i >&5
	run -122 far -x c -c - -o y.o <pipe
	exec 5>&-
	[[ $output == "dtlto-clang: the compilation was given up: it took too long" ]]
	nothing_left
}

@test "the time limit counts for a compiler that does not say who it is, by a stand-in" {
	make_bundle
	stand_in mute-clang <<<'exec sleep 4242.79'
	far_environment=(DTLTO_CLANG_SECONDS=1 DTLTO_CLANG_COMPILER="$PWD/mute-clang")
	cp x.i y.i
	refuses 122 "the compilation was given up: it took too long"
	none_runs "sleep 4242.79"
}

@test "the folder of one that was killed is removed by the next, and nobody else's" {
	make_bundle
	bad_compiler <<-'EOF'
		cp -r . "${0%/*}/saved"
		exec sleep 4242.80
	EOF
	far -c x.i -o y.o >killed 2>&1 3>&- &
	wait_until runs "sleep 4242.80"
	pkill -KILL -f "^$dtlto_clang -c x.i"
	wait_until none_runs "sleep 4242.80"
	abandoned=$(compgen -G '../tmp/dtlto-clang.*')
	[[ -s $abandoned/dtlto-bundle || -s $abandoned/index ]]
	# One that still lives, and others of such names that are none.
	rm -r saved
	far -c x.i -o y.o >living 2>&1 3>&- &
	wait_until runs "sleep 4242.80"
	[[ ! -e $abandoned ]]
	living=$(compgen -G '../tmp/dtlto-clang.*')
	mkdir ../tmp/dtlto-clang.longer99 ../elsewhere
	mkdir -m 755 ../tmp/dtlto-clang.source
	: >../tmp/dtlto-clang.a-file
	: >../elsewhere/file
	ln -s ../elsewhere ../tmp/dtlto-clang.a-link
	if [[ $(id -u) == 0 ]]; then
		mkdir -m 777 ../tmp/dtlto-clang.others
		chown nobody ../tmp/dtlto-clang.others
	fi
	far_environment=()
	far -c x.i -o z.o
	cmp z.o "$reference"
	[[ -s $living/index && -d ../tmp/dtlto-clang.longer99 && -e ../tmp/dtlto-clang.a-file ]]
	[[ -d ../tmp/dtlto-clang.source ]]
	[[ -L ../tmp/dtlto-clang.a-link && -e ../elsewhere/file ]]
	[[ $(id -u) != 0 || -d ../tmp/dtlto-clang.others ]]
	pkill -TERM -f "^$dtlto_clang -c x.i"
	wait_until none_runs "sleep 4242.80"
	wait_until not_there "$living"
}
not_there() {
	[[ ! -e $1 ]]
}

@test "many at once in one place: none takes the folder of another" {
	make_bundle
	bad_compiler <<<"cat '$PWD/$reference' >object"
	# Each removes what it takes for abandoned while the others begin.
	for i in {1..80}; do
		far -c x.i -o "y$i.o" >>failures 2>&1 || echo "status $?" >>failures &
		((i % 20)) || wait
	done
	wait
	cat failures
	[[ ! -s failures && $(cksum y*.o | cut -d ' ' -f 1-2 | sort -u | wc -l) == 1 ]]
	nothing_left
}

@test "no memory for itself: a status, and nothing is left" {
	[[ $build != *-sanitize ]] || skip "a sanitized program needs more memory than can be limited"
	make_bundle
	# The first member may have 16 MB. Enough to start with, and no more, is not enough for that.
	long=$(head -c 15000000 /dev/zero | tr '\0' a)
	rm -rf ../parts
	mkdir ../parts
	tar xf x.i -C ../parts
	sed -i "1q" ../parts/dtlto-bundle
	echo "compiler $long" >>../parts/dtlto-bundle
	tar -C ../parts --format=ustar -cf y.i $(tar tf x.i)
	need prlimit
	room=4000000
	until prlimit --as=$room "$dtlto_clang" --version >/dev/null 2>&1; do
		((room += 1000000))
	done
	mkdir -p ../tmp
	run -3 env TMPDIR="$(realpath ../tmp)" prlimit --as=$((room + 5000000)) "$dtlto_clang" -c y.i -o y.o
	[[ $output == "dtlto-clang: out of memory" && ! -e y.o ]]
	nothing_left
}

@test "what compilers answered is kept for a minute, and nobody else's folder is trusted" {
	make_bundle
	bad_compiler <<-EOF
		cp '$PWD/$reference' object
	EOF
	sed -i 's/--version) /&echo asked >>"${0%\/*}\/asked"; /' bad-clang
	far -c x.i -o y.o
	far -c x.i -o y.o
	[[ $(wc -l <asked) == 1 ]]
	touch bad-clang
	far -c x.i -o y.o
	[[ $(wc -l <asked) == 2 ]]
	chmod 777 ../tmp/dtlto-clang-*
	far -c x.i -o y.o
	[[ $(wc -l <asked) == 3 ]]
	rm -r ../tmp/dtlto-clang-*
	mkdir ../evil
	ln -s "$(realpath ../evil)" "../tmp/dtlto-clang-$(id -u)"
	far -c x.i -o y.o
	[[ $(wc -l <asked) == 4 && -z $(ls ../evil) ]]
}

@test "--check says what is there and what is missing" {
	need clang-22 pkg-config
	run "$dtlto_clang" --check
	grep -q '^ok       compiler: .*: .*clang version 22' <<<"$output"
	grep -qx "note     bundles: libarchive $(pkg-config --modversion libarchive) reads them" <<<"$output"
	DTLTO_CLANG_COMPILER=/nowhere run -1 "$dtlto_clang" --check
	grep -q '^missing  compiler: no clang of LLVM' <<<"$output"
	TMPDIR=/nowhere run -1 "$dtlto_clang" --check
	grep -q '^missing  folder: cannot write to /nowhere' <<<"$output"
}

@test "-dumpmachine, as icecc asks" {
	need clang-22
	[[ $("$dtlto_clang" -dumpmachine) == "$(clang-22 -dumpmachine)" ]]
}

@test "a client's arguments: no command of its choice is run, no second output or input taken" {
	make_bundle
	mark=$BATS_TEST_TMPDIR/mark
	run -2 far --through=distcc --inputs=/none -- /bin/sh -c ": >'$mark'" -c x.i -o y.o
	# How distccd leaves what its client has hidden behind -MF, which it does not look at.
	run -2 far -c x.i -oy.o -MF -o "$mark"
	run -2 far -c x.i -Xclang -o y.o -MF -o "$mark"
	run -2 far -MF x.i -c "$mark.i" -o y.o
	[[ ! -e $mark && ! -e y.o ]]
	nothing_left
}

@test "archives of other formats, with sparse files for instance, are refused" {
	make_bundle
	mkdir parts
	tar xf x.i -C parts
	for format in gnu v7; do
		tar -C parts --format=$format -cf y.i $(tar tf x.i)
		refuses 120 "not a bundle: a member is not in the format ustar"
	done
	tar -C parts --format=pax -cf y.i $(tar tf x.i)
	refuses 120 "not a bundle: a member is no regular file"
	sed -i 's/^members.*/members 1/; s/^bytes.*/bytes 1000000000/' parts/dtlto-bundle
	truncate -s 999999999 parts/m0000000
	echo >>parts/m0000000
	tar -C parts --format=gnu -S -cf y.i dtlto-bundle m0000000
	[[ $(wc -c <y.i) -lt 100000 ]]
	refuses 120 "not a bundle: a member is not in the format ustar"
}

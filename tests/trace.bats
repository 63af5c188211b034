#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# --trace, the line that sums up a run, and what the two have in common with --report: real links,
# with what is known of them afterwards. The page itself is in report.bats.

load common
load farm

setup_file() {
	bats_require_minimum_version 1.5.0
}

teardown() {
	stop_farms
}

# Links the demo with the options $2, with commas between, to numbers; the trace is $1.
traced_link() { # TRACE OPTIONS [WORD ...]
	local trace=$1 options=$2
	shift 2
	run -0 link "${demo_list[@]}" -o numbers "-Xthinlto-distributor=--trace=$trace$options" "$@"
}

# The trace is as the Trace Event Format has it: a JSON object with an array of events, each with the
# members that its phase must have, and of the right types. No two events of a lane overlap, but for
# the parts of dtlto-ninja's own.
valid_trace() { # TRACE
	jq -e '
		def is(t): type == t;
		.displayTimeUnit == "ms" and (.beginningOfTime | is("number")) and (.otherData | is("object"))
		and (.traceEvents | is("array"))
		and all(.traceEvents[];
			(.name | is("string")) and (.pid | is("number")) and (.tid | is("number")) and (.args | is("object"))
			and if .ph == "X" then (.ts | is("number")) and .ts >= 0 and (.dur | is("number")) and .dur >= 0
					and (.cat | is("string"))
				elif .ph == "M" then
					if .name == "thread_sort_index" then (.args.sort_index | is("number"))
					else (.name == "process_name" or .name == "thread_name") and (.args.name | is("string")) end
				else false end)
		and ([.traceEvents[] | select(.cat == "backend")] | group_by(.tid) | all(.[];
			sort_by(.ts) as $lane | all(range(1; length); $lane[. - 1].ts + $lane[. - 1].dur <= $lane[.].ts)))
		and ([.traceEvents[] | select(.cat == "backend") | .tid] - [.traceEvents[] | select(.name == "thread_name") | .tid]) == []
	' "$1" >/dev/null
}

# The sum of the times of all compilations in a trace, in milliseconds, and in ninja's log.
trace_sum() { # TRACE
	jq '[.traceEvents[] | select(.cat == "backend") | .dur] | add / 1000' "$1"
}
log_sum() {
	awk -F '\t' '!/^#/ { sum += $2 - $1 } END { print sum + 0 }' dtlto-ninja.*/.ninja_log
}

# What the trace says of the compilations: the values of these arguments, one line each.
said() { # TRACE NAME ...
	local trace=$1
	shift
	jq -r --args '.traceEvents[] | select(.cat == "backend") | [.name, .args[$ARGS.positional[]] // "-"] | join(" ")' \
		"$@" <"$trace" | sort
}

@test "a trace is valid, and its times are those of ninja's log, with each ninja" {
	need clang-22 ld.lld-22 ninja jq
	local ninja
	demo_objects
	for ninja in "$(command -v ninja)" "$root"/build/ninjas/*/ninja; do
		[[ -x $ninja ]] || continue
		rm -rf dtlto-ninja.*
		traced_link t.json ",-j2,--keep,--ninja=$ninja"
		valid_trace t.json
		[[ $(jq '[.traceEvents[] | select(.cat == "backend")] | length' t.json) == 5 ]]
		[[ $(jq '[.traceEvents[] | select(.cat == "backend").tid] | unique == [1, 2]' t.json) == true ]]
		[[ $(trace_sum t.json) == "$(log_sum)" ]]
		said t.json output result where | sed -E 's/\.[0-9]+\.[0-9]+\.native/.native/' | diff - <(
			for name in main prime square sum table; do
				echo "$name.o $name.native.o done here"
			done
		)
	done
}

@test "beside lld's own time trace, times line up" {
	need clang-22 ld.lld-22 ninja jq
	demo_objects
	traced_link t.json "" -Wl,--time-trace=lld.json
	# What the manual says to bring the two together with.
	jq -s '(map(.beginningOfTime) | min) as $first | {traceEvents: map(
		(.beginningOfTime - $first) as $late | .traceEvents[] | if .ph == "X" then .ts += $late else . end)}' \
		lld.json t.json >both.json
	jq -e '[.traceEvents[] | select(.name == "Execute DTLTO distributor")][0] as $lld
		| [.traceEvents[] | select(.cat == "link" or .cat == "backend")]
		| length == 9 and all(.[]; .ts >= $lld.ts and .ts + .dur <= $lld.ts + $lld.dur)' both.json
}

@test "memory is known, of a warm compiler too" {
	need clang-22 ld.lld-22 ninja jq
	can_warm || skip "this system has no warm compilers, or has them for another processor than ours"
	local option
	demo_objects
	for option in --no-warm --warm; do
		traced_link t.json ",$option"
		# clang itself has some 80 MiB.
		jq -e 'all(.traceEvents[] | select(.cat == "backend").args.peak_memory_bytes; . > 40e6 and . < 1e9)' t.json
	done
	[[ $(said t.json where | grep -c ' warm$') == 5 ]]
}

@test "where compilations ran is known without dtlto-warm, of those that failed too" {
	need clang-22 ld.lld-22 ninja jq
	demo_objects
	mkdir alone
	cp "$dtlto" alone
	dtlto=$PWD/alone/dtlto-ninja
	traced_link t.json ,-j2
	[[ $(said t.json result where | cut -d ' ' -f 2- | uniq -c | xargs) == "5 done here" ]]
	clang-22 -O2 -flto=thin -c -x c - -o odd.o <<<'void odd(void) { __asm__("no such instruction"); }'
	run -1 link "${demo_list[@]}" odd.o -o numbers -Wl,-u,odd -Xthinlto-distributor=--report=r.html,-k0
	grep -qE '^\["odd\.o",2,null,null,null,"here",' r.html
	# Of somebody's own template nothing is known.
	sed 's/\$dtlto_warm//' "$root/templates/local.ninja" >own.ninja
	traced_link t.json ",--template=$PWD/own.ninja"
	[[ $(said t.json result where | cut -d ' ' -f 2- | uniq -c | xargs) == "5 done" ]]
}

@test "a trace changes neither the objects nor what compilers say" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	use_oracle
	link "${demo_list[@]}" -o numbers "-Xthinlto-distributor=--trace=../t.json,--report=../r.html"
	verdict "works: 5 objects the same"
	only_files "${demo_list[@]}" numbers
	dtlto=$build/dtlto-ninja
	stand_in cc <<<'echo "a warning" >&2; exec clang-22 "$@"'
	run -0 link "${demo_list[@]}" -o numbers "-Xthinlto-distributor=--trace=t.json,-q" "-Wl,--thinlto-remote-compiler=$PWD/cc"
	[[ $(grep -c '^a warning$' <<<"$output") == 5 ]]
}

@test "times of a ninja whose log has none are measured" {
	need clang-22 ld.lld-22 ninja jq
	has_warm || skip "this system cannot measure them"
	# A stand-in for samurai, which writes zeros.
	stand_in samu <<-'EOF'
		ninja "$@" || exit
		case "$*" in *--version*) exit ;; esac
		sed -i -E 's/^[0-9]+\t[0-9]+\t/0\t0\t/' dtlto-ninja.*/.ninja_log
	EOF
	demo_objects
	traced_link t.json ",-j2,--ninja=./samu"
	valid_trace t.json
	[[ $(said t.json result | grep -c ' done$') == 5 ]]
	[[ $(trace_sum t.json) != 0 ]]
}

@test "a link that fails leaves a trace and a report of what ran" {
	need clang-22 ld.lld-22 ninja jq
	demo_objects
	stand_in cc <<-'EOF'
		case "$*" in *prime.o*) echo "no primes today" >&2; exit 3 ;; esac
		exec clang-22 "$@"
	EOF
	run -1 link "${demo_list[@]}" -o numbers "-Xthinlto-distributor=-k0,--trace=t.json,--report=r.html" \
		"-Wl,--thinlto-remote-compiler=$PWD/cc"
	valid_trace t.json
	if has_warm; then
		[[ $(said t.json result) == $'main.o done\nprime.o failed\nsquare.o done\nsum.o done\ntable.o done' ]]
	else
		[[ $(said t.json result) == $'main.o done\nsquare.o done\nsum.o done\ntable.o done' ]]
	fi
	[[ $(jq -r .otherData.failed t.json) == 1 ]]
	grep -q '^"failed":1,$' r.html
	only_files "${demo_list[@]}" cc t.json r.html
}

@test "a failure of a job with two outputs is known without a note of it" {
	need ninja jq
	stand_in cc <<<'[ "$2" != a.o ] || exit 3; echo object >"$2"; echo more >"$2.more"'
	describe x.json ./cc a b
	sed -i 's/"outputs":\["\(.\)\.o"\]/"outputs":["\1.o","\1.o.more"]/g' x.json
	printf 'rule backend\n  command = $compiler $args\n' >plain.ninja
	run -1 "$dtlto" --template=./plain.ninja -k0 --trace=t.json x.json
	[[ $(jq -r '.otherData | "\(.done) \(.failed)"' t.json) == "1 1" ]]
}

@test "an object that is empty or cut short is a failure in the trace" {
	need clang-22 ld.lld-22 ninja jq
	local bad
	demo_objects
	stand_in_clang clang
	for bad in empty half; do
		echo $bad >bad
		run -1 link "${demo_list[@]}" -o numbers "-Xthinlto-distributor=-k0,--trace=t.json" \
			"-Wl,--thinlto-remote-compiler=$PWD/clang"
		[[ $(said t.json result | grep -c ' failed$') == 5 ]]
	done
}

@test "--generate tells what is known without a run" {
	need clang-22 ld.lld-22 ninja jq
	demo_objects
	link "${demo_list[@]}" -o numbers -Wl,--save-temps 2>/dev/null
	run -0 "$dtlto" --generate --trace=t.json --report=r.html numbers.*.dist-file.json
	valid_trace t.json
	[[ $(said t.json result) == "" ]]
	[[ $(jq -r .otherData.jobs t.json) == 5 ]]
	grep -q '^"started":0,$' r.html
	grep -q '^\["square.o",[0-9]*,4\]' r.html
	test -s numbers.*.dist-file.ninja
}

@test "all options together" {
	need clang-22 ld.lld-22 ninja jq
	demo_objects
	traced_link t.json ",--report=r.html,--keep,-v,-j2"
	valid_trace t.json
	ninja -f dtlto-ninja.*/build.ninja -t targets all | grep -q native.o
	tail -n 1 r.html | grep -qx '</html>'
	./numbers | grep -qx 'squares to 10 sum to 385'
}

@test "a description without jobs has a trace too" {
	need jq
	echo '{"common":{"linker_output":"prog","args":["cc"],"inputs":[]},"jobs":[]}' >x.json
	run -0 "$dtlto" --trace=t.json --report=r.html x.json
	valid_trace t.json
	[[ $(jq -r .otherData.jobs t.json) == 0 ]]
	tail -n 1 r.html | grep -qx '</html>'
}

@test "a trace or report in the place of a file of the link is refused" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b
	local option place
	for option in --trace --report; do
		for place in a.bc:input ./b.bc:input a.o:output x.json:input prog:output; do
			run -2 "$dtlto" "$option=${place%:*}" x.json
			says "$option: expected a file of its own, found an ${place#*:} of this link: '${place%:*}'"
			run -2 "$dtlto" --generate "$option=${place%:*}" x.json
		done
	done
	run -2 "$dtlto" --generate --output=x.ninja --trace=x.ninja x.json
	run -2 "$dtlto" --trace=t.json --report=./t.json x.json
	says "--trace and --report: expected two places, found './t.json' for both"
	run -2 "$dtlto" --repro=r.tar --report="$PWD/r.tar" x.json
	says "--report and --repro: expected two places, found 'r.tar' for both"
	run -2 "$dtlto" --repro=./prog x.json
	says "--repro: expected a file of its own, found an output of this link: './prog'"
	run -2 "$dtlto" --trace=t.json --repro=b.o x.json
	only_files cc x.json a.bc b.bc
	[[ $(<a.bc) == "module a" ]]
}

@test "a trace or report that cannot be written is a warning" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b
	run -0 "$dtlto" --trace=no/t.json --report=no/r.html x.json
	says "warning: --trace: cannot write 'no/t.json': No such file or directory"
	says "warning: --report: cannot write 'no/r.html': No such file or directory"
	mkdir t.json
	run -0 "$dtlto" --trace=t.json x.json
	says "warning: --trace: cannot write 't.json': Is a directory"
	[[ -c /dev/full ]] || skip "this system has no /dev/full"
	run -0 "$dtlto" --trace=/dev/full --report=/dev/full/x x.json
	says "warning: --trace: cannot write '/dev/full': No space left on device"
	says "warning: --report: cannot write '/dev/full/x': Not a directory"
	only_files cc x.json a.bc b.bc a.o b.o t.json
}

@test "a full disk: the link works, and nothing half-made is left" {
	need ninja
	need_namespace
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b
	mkdir disk
	cat >fill <<-EOF
		set -eu
		mount -t tmpfs -o size=16k none disk
		"$dtlto" --trace=disk/t.json --report=disk/r.html x.json
		ls disk
	EOF
	run -0 "${namespace[@]}" sh fill
	says "warning: --report: cannot write 'disk/r.html': No space left on device"
	[[ ${lines[-1]} == t.json ]]
}

@test "a farm: where each ran, on which host, and why not elsewhere" {
	need jq
	demo_objects
	start_distccd 2
	traced_link t.json ",--report=r.html,--template=distcc"
	valid_trace t.json
	[[ $(said t.json where host | cut -d ' ' -f 2- | sort -u) == "remote ${DISTCC_HOSTS%/*}" ]]
	stop_farms
	traced_link t.json ",--template=distcc"
	[[ $(said t.json where reason | cut -d ' ' -f 2- | sort -u) == "back no host took it" ]]
	jq -e 'all(.traceEvents[] | select(.cat == "backend").args.peak_memory_bytes; . > 40e6)' t.json
}

# The line that sums up.

@test "-v sums up each link, and -q none" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	line="^dtlto-ninja: 5 of 5 modules in [0-9.]+ s, [0-9.]+ of [0-9]+ processors? kept busy, the slowest took [0-9.]+ s: '(main|prime|square|sum|table).o'$"
	run -0 link "${demo_list[@]}" -o numbers -Xthinlto-distributor=-v
	[[ $(grep -cE "$line" <<<"$output") == 1 ]]
	run -0 link "${demo_list[@]}" -o numbers
	lacks 'modules in' <<<"$output"
	run -0 link "${demo_list[@]}" -o numbers -Xthinlto-distributor=-q
	[[ -z $output ]]
}

@test "the processors kept busy are those of the compilations, not of what came before" {
	need ninja
	# A stand-in for a compiler whose version takes a second of the processor, for the repro.
	stand_in cc <<-'EOF'
		[ "$1" = --version ] || { echo object >"$2"; exit; }
		awk 'BEGIN { for (i = 0; i < 3e7; i++) x += i }'
	EOF
	describe x.json ./cc a
	run -0 "$dtlto" -v --no-warm --repro=r x.json
	grep -qE '[ ,]0\.[0-9] of [0-9]+ processors? kept busy' <<<"$output" ||
		grep -qE ' 1\.[0-9] of ([2-9]|[0-9]{2,}) processors? kept busy' <<<"$output"
}

@test "a link of more than a few seconds is summed up, unless -q is given" {
	need ninja
	# A stand-in for a compiler that is slow.
	stand_in cc <<<'sleep 5.1; echo object >"$2"'
	describe x.json ./cc a
	"$dtlto" -q x.json >quiet 2>&1 &
	cp -r . ../other
	cd ../other
	run -0 "$dtlto" x.json
	grep -qE "^dtlto-ninja: 1 of 1 module in [5-9]\.[0-9] s, [0-9.]+ of [0-9]+ processors? kept busy, the slowest took [0-9.]+ s: 'a.bc'$" <<<"$output"
	wait $!
	[[ ! -s ../here/quiet ]]
}

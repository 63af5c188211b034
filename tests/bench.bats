#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# The tools of make bench are right; nothing here measures a time.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

@test "synthetic descriptions: the same each time, as large as asked, and valid" {
	"$build/bench-describe" 300 20 >a.json
	"$build/bench-describe" 300 20 >b.json
	"$build/bench-describe" 300 20 2 >c.json
	cmp a.json b.json
	run -1 cmp -s a.json c.json
	run -0 "$dtlto" --generate -o a.ninja a.json
	[[ $(grep -c '^build ' a.ninja) == 300 ]]
	# a module and an index shard for each job, and the imports
	[[ $(grep -oE '"inputs":\["[^]]*\]' a.json | grep -oE '[^,]+' | wc -l) == $((300 * (2 + 20))) ]]
	"$build/bench-tree" a.json
}

@test "descriptions that cannot be: usage" {
	run -2 "$build/bench-describe" 3 3
	run -2 "$build/bench-describe" 0 0
	run -2 "$build/bench-describe" 3
	run -0 "$build/bench-describe" 1 0
}

@test "the measure of a command: its status, and a line" {
	run -0 "$build/bench-measure" log true
	run -7 "$build/bench-measure" log sh -c 'exit 7'
	run -127 "$build/bench-measure" log ./missing
	[[ $(grep -cE '^[0-9.]+ [0-9.]+ [0-9]+ [0-9.]+$' log) == 3 ]]
}

# Three jobs of 10, 5 and 5 fit two cores exactly; of 5, 5 and then 10 they take half as long again.
@test "the makespan over its bound, and over longest first" {
	[[ $(printf '0 10\n0 5\n5 10\n' | "$build/bench-schedule" 2) == "1.0000 1.0000" ]]
	[[ $(printf '0 5\n0 5\n5 15\n' | "$build/bench-schedule" 2) == "1.5000 1.5000" ]]
	# one long job: no schedule is shorter than it
	[[ $(printf '0 10\n10 11\n' | "$build/bench-schedule" 2) == "1.1000 1.1000" ]]
	# three of 2 on two cores: the bound is 3, which no schedule reaches
	[[ $(printf '0 2\n0 2\n2 4\n' | "$build/bench-schedule" 2) == "1.3333 1.0000" ]]
}

@test "the memory of each backend compilation, and the objects" {
	need clang-22 ld.lld-22
	demo_objects
	BENCH_PEAKS=$PWD/peaks
	export BENCH_PEAKS
	dtlto=$build/bench-peaks
	link "${demo_list[@]}" -o numbers
	[[ $(./numbers) == *"squares to 10 sum to 385"* ]]
	[[ $(wc -l <peaks) == 5 ]]
	# module, imports, number of them, seconds, peak and the own part of it
	awk '$1 <= 0 || $5 < $6 || $6 < 0 || ($2 > 0) != ($3 > 0) { exit 1 }' peaks
	grep -q ' main\.o$' peaks
}

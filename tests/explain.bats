#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# --explain: what is said of one compilation of a real link that was kept, or packed.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

@test "a job of a kept link, with its times" {
	demo_apart
	link "${apart[@]}" -o out/numbers -Wl,--save-temps -Xthinlto-distributor=-q,--keep
	description=$(echo out/numbers.*.dist-file.json)
	run -0 "$dtlto" --explain=prime.o "$description"
	pid=${description#out/numbers.}
	pid=${pid%.dist-file.json}
	grep -q "^module 'out/libparts.a(prime.o at [0-9]*)" <<<"$output"
	grep -q "^  jobs\[[0-4]\] of 5, in the link of out/numbers$" <<<"$output"
	grep -Eq "KiB  object        'out/libparts.a\(prime.o at [0-9]+\)\..*\.$pid\.native\.o'$" <<<"$output"
	grep -Eq "^ +[0-9.]+ (B|KiB)  index shard   'out/libparts.a\(prime.o .*thinlto.bc'$" <<<"$output"
	grep -Eq "^ +[0-9.]+ (B|KiB)  imported from 'out/libparts.a\(square.o .*\.o'$" <<<"$output"
	grep -A1 '^who imports from it' <<<"$output" | grep -qx '  objs/main.o'
	grep -Eq '^  number [1-5] of 5 in the order of the manifest' <<<"$output"
	grep -Eq '^  it ran for [0-9.]+ s, from [0-9.]+ s to [0-9.]+ s of [0-9.]+ s; as number [1-5] to start and [1-5] to end of 5' <<<"$output"
	# Its command, from elsewhere, makes the object.
	object=$(echo out/libparts.a\(prime.o*.native.o)
	mv "$object" ../expected
	command=$(sed -n '/^command$/{n;p}' <<<"$output")
	(cd / && sh -c "$command")
	cmp "$object" ../expected
	# Without a log.
	rm -r out/dtlto-ninja.*
	run -0 "$dtlto" --explain=objs/main.o "$description"
	grep -A1 '^who imports from it' <<<"$output" | grep -qx '  nobody'
	grep -qx "  no log of ninja's that knows it is beside the description" <<<"$output"
}

@test "a repro, before and after it is run" {
	demo_apart
	link "${apart[@]}" -o out/numbers -Xthinlto-distributor=-q,--repro=r
	run -0 "$dtlto" --explain=sum.o r
	grep -q "^ *not there  object " <<<"$output"
	grep -q "module        'out/libparts.a(sum.o at " <<<"$output"
	ninja -C r >/dev/null
	mkdir away
	mv r away
	for name in objs/main.o main.o modules/0000001-main.o 0000001-main.o; do
		run -0 "$dtlto" --explain=$name away/r
		[[ ${lines[0]} == "module objs/main.o" ]]
		grep -qx '  says .ninja_log' <<<"$output"
	done
	tar -cf r.tar -C away r
	run -2 "$dtlto" --explain=main.o r.tar
	says "'r.tar' is an archive; unpack it first"
	run -2 "$dtlto" --explain=main.o objs
	says "'objs' is no repro: it has no description.json"
}

@test "several modules that fit, and none" {
	stand_in cc </dev/null
	mkdir x y
	echo '{"common":{"linker_output":"p","args":["./cc"],"inputs":[]},"jobs":[{"args":[],"inputs":["x/a.o"],"outputs":["1"]},{"args":[],"inputs":["y/a.o"],"outputs":["2"]},{"args":[],"inputs":["y/ab.o"],"outputs":["3"]}]}' >x.json
	run -2 "$dtlto" --explain=a.o x.json
	[[ $output == "dtlto-ninja: x.json: 'a.o' fits 2 modules; more of the name tells them apart:
dtlto-ninja:   x/a.o
dtlto-ninja:   y/a.o" ]]
	run -2 "$dtlto" --explain=ba.o x.json
	says "x.json: no module is called 'ba.o'; near to it are 'x/a.o', 'y/a.o', 'y/ab.o'"
	run -0 "$dtlto" --explain=ab x.json
	[[ ${lines[0]} == "module y/ab.o" ]]
	run -0 "$dtlto" --explain=x/ x.json
	[[ ${lines[0]} == "module x/a.o" ]]
	run -2 "$dtlto" --explain=a
	says "expected a job description as the last argument, found none; --help tells more"
	run -2 "$dtlto" --explain=a none.json
	says "cannot open the job description 'none.json': No such file or directory"
}

@test "a repro in which modules have the paths of the link" {
	need ninja
	mkdir sub
	echo module >sub/a.bc
	echo 'not bitcode' >index
	stand_in cc <<<'echo object >"$4"'
	echo "{\"common\":{\"linker_output\":\"prog\",\"args\":[\"$PWD/cc\"],\"inputs\":[]},\"jobs\":[{\"args\":[\"sub/a.bc\",\"-fthinlto-index=index\",\"-o\",\"a.o\"],\"inputs\":[\"sub/a.bc\",\"index\"],\"outputs\":[\"a.o\"]}]}" >x.json
	"$dtlto" -q --repro=r x.json
	ninja -C r
	run -0 "$dtlto" --explain=a.bc r
	grep -q 'module        sub/a.bc$' <<<"$output"
	grep -q 'B  object        a.o$' <<<"$output"
	grep -qx '  says ../.ninja_log' <<<"$output"
}

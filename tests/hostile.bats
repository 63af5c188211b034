#!/usr/bin/env bats
# shellcheck disable=SC2154
# Hostile bundles for the far side: each is refused with its status and one message, and leaves all
# as it was. tests/helpers/hostile.c makes them of a real bundle; each differs from it in one thing.

load common
load far

setup_file() {
	bats_require_minimum_version 1.5.0
}

# The bundles are made once, by the first test that is run. Each test is in a folder of its own, as
# a daemon has it, with a file that is not to change. $mark is what bundles try to read and write: a
# path that is not there, short enough for the name of a member.
prepare() {
	bundles=$BATS_FILE_TMPDIR/bundles
	if [[ ! -e $bundles/list ]]; then
		make_bundle
		mkdir ../parts "$bundles"
		tar xf x.i -C ../parts
		cp "$reference" "$bundles/reference"
		echo "/tmp/dtlto-hostile.$$" >"$bundles/mark"
		"$build/hostile" ../parts "$bundles" "$(<"$bundles/mark")"
		rm -r ../bin ../parts ./*
	fi
	echo secret >secret
	mark=$(<"$bundles/mark")
	[[ ! -e $mark ]]
}

# All around the worker but what compilers have answered: names, kinds, modes, sizes, contents.
everything() {
	tar -C .. --exclude='./tmp/dtlto-clang-[0-9]*' --sort=name --mtime=@0 -cf - . | cksum
}

# The worker refuses the bundle FILE with STATUS and one message, MESSAGE. "..." at the end of it
# stands for anything.
refused() { # FILE STATUS MESSAGE
	local status=0 expected="dtlto-clang: $3"
	far -c "$bundles/$1" -o y.o >"$BATS_FILE_TMPDIR/output" 2>&1 || status=$?
	mapfile -t lines <"$BATS_FILE_TMPDIR/output"
	[[ $status == "$2" && ${#lines[@]} == 1 ]] || return
	if [[ $expected == *... ]]; then
		[[ ${lines[0]} == "${expected%...}"* && ${#lines[0]} -lt 1500 ]]
	else
		[[ ${lines[0]} == "$expected" ]]
	fi
}

# All bundles of the KIND are refused, and these are at least COUNT.
refuses_all() { # KIND COUNT
	local before file kind title status message ran=0 bad=0
	prepare
	mkdir ../tmp
	before=$(everything)
	while IFS=$'\t' read -r file kind title status message; do
		[[ $kind == "$1" ]] || continue
		if ! refused "$file" "$status" "$message" || [[ $(everything) != "$before" || -e $mark ]]; then
			echo "$kind: $title: expected status $status: $message" && ((bad += 1))
			echo "found:" && cat "$BATS_FILE_TMPDIR/output" && find ..
		fi
		((ran += 1))
	done <"$bundles/list"
	[[ $bad == 0 && $ran -ge $2 ]]
}

@test "without anything hostile in it, the bundle is taken" {
	prepare
	far -c "$bundles/$(awk -F '\t' '$2 == "good" { print $1 }' "$bundles/list")" -o y.o
	cmp y.o "$bundles/reference"
	nothing_left
}

@test "options that load, run, read or write what they name" {
	refuses_all option 150
}

@test "options of two words, and options with members" {
	refuses_all pair 20
}

@test "texts that are not a bundle's to the letter" {
	refuses_all head 80
}

@test "members with other names" {
	refuses_all name 50
}

@test "links, devices, folders, and what else is no regular file" {
	refuses_all type 27
}

@test "sizes, sums and magics in other forms" {
	refuses_all field 23
}

@test "extensions of pax, GNU, Sun and others" {
	refuses_all extension 32
}

@test "members that are too many or too few, or come in another order" {
	refuses_all member 12
}

@test "another end, and what comes behind it" {
	refuses_all end 9
}

@test "what is large, or says so" {
	refuses_all large 12
}

@test "bundles that are cut off" {
	refuses_all cut 20
}

@test "archives of other formats, compressed ones, and what is none" {
	refuses_all format 38
}

@test "there are sixty bundles at least, all different, and a test for each kind" {
	prepare
	[[ $(cut -f 1 "$bundles/list" | xargs -I{} cksum "$bundles/{}" | cut -d ' ' -f 1,2 | sort -u | wc -l) -ge 60 ]]
	[[ -z $(cut -f 2,3 "$bundles/list" | sort | uniq -d) ]]
	tested=$(sed -n 's/^\trefuses_all \([a-z]*\) .*/\1/p' "$BATS_TEST_FILENAME" | sort)
	[[ $(cut -f 2 "$bundles/list" | grep -v '^good$' | sort -u) == "$tested" ]]
}

#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154
# The environment archives for icecream; of small stand-ins for clang, except in the last test.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# As in common.bash; and the archives are kept in $BATS_TEST_TMPDIR/cache.
setup() {
	mkdir "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/tmp"
	cd "$BATS_TEST_TMPDIR/here" || return
	unset ICECC_ENV_COMPRESSION
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache TMPDIR=$BATS_TEST_TMPDIR/tmp
	folder=$XDG_CACHE_HOME/dtlto-ninja/icecream
}

# A program $1 that says it is clang $2, with a library of its own, libfake.so, beside it.
fake_clang() { # PROGRAM VERSION
	echo "const char *version(void) { return \"clang version $2\"; }" >fake.c
	cc -shared -fPIC -o libfake.so fake.c
	printf '#include <stdio.h>\nconst char *version(void);\n%s\n' \
		'int main(void) { puts(version()); puts("Target: t"); return 0; }' >main.c
	cc -o "$1" main.c -L. -lfake -Wl,-rpath,\$ORIGIN
	rm fake.c main.c
}

environment() {
	"$build/icecream-environment" "$@"
}

# The members of an archive.
members() {
	tar --zstd -tf "$1"
}

count() { # PATTERN
	find "$folder" -name "$1" | wc -l
}

@test "what is in an archive" {
	need zstd
	fake_clang clang 1
	run -0 --separate-stderr environment ./clang "$dtlto_clang"
	archive=$output
	[[ $archive == "$folder"/dtlto-clang-????????????????????????????????.tar.zst ]]
	[[ $stderr == "dtlto-ninja: making the icecream environment of ./clang (once per compiler)" ]]
	members "$archive" >list
	for name in bin/true usr/bin/as usr/bin/clang usr/lib/dtlto-clang/{clang,identity,libfake.so} tmp/; do
		grep -qx "$name" list
	done
	# No member twice; libc is there for both programs, which may be of two processors.
	[[ -z $(sort list | uniq -d) ]]
	linkers=$(readelf -lW clang "$dtlto_clang" | grep -o '/[^]]*ld-linux[^]]*' | sort -u | wc -l)
	[[ $(grep -c '/libc\.so\.6' list) == "$linkers" && $(grep -c '/ld-linux[^/]*$' list) == "$linkers" ]]
	# Regular files and directories of nobody and no time, which all can read.
	tar --zstd --numeric-owner -tvf "$archive" >long
	run -1 grep -vE '^(-rwxr-xr-x|-rw-r--r--|drwxr-xr-x) 0/0 .* 1970-01-01 ' long
	mkdir unpacked
	tar --zstd -C unpacked -xf "$archive"
	cmp unpacked/bin/true "$dtlto_clang"
	cmp unpacked/usr/lib/dtlto-clang/clang clang
	[[ $(<unpacked/usr/lib/dtlto-clang/identity) == $'clang version 1\nTarget: t' ]]
}

@test "its programs run in a chroot" {
	need zstd
	chroot / true || skip "this user has no right to chroot"
	fake_clang clang 1
	mkdir unpacked
	tar --zstd -C unpacked -xf "$(environment --quiet ./clang "$dtlto_clang")"
	if [[ $build != *-sanitize ]]; then
		run -0 chroot unpacked /usr/bin/clang --version
		[[ $output == dtlto-clang* ]]
		run -0 chroot unpacked /bin/true
		[[ $output == $'clang version 1\nTarget: t' ]]
	fi
	run -0 env LD_LIBRARY_PATH=/usr/lib/dtlto-clang chroot unpacked /usr/lib/dtlto-clang/clang
	# Only dtlto-clang's libraries are found without help.
	run -127 chroot unpacked /usr/lib/dtlto-clang/clang
}

@test "/bin/true fails in one whose compiler does not run" {
	need zstd
	[[ $build != *-sanitize ]] || skip "a sanitized program needs /proc"
	chroot / true || skip "this user has no right to chroot"
	fake_clang clang 1
	mkdir unpacked
	tar --zstd -C unpacked -xf "$(environment --quiet ./clang "$dtlto_clang")"
	rm unpacked/usr/lib/dtlto-clang/libfake.so
	run ! chroot unpacked /bin/true
}

@test "equal files make an equal archive" {
	need zstd
	fake_clang clang 1
	first=$(environment --quiet ./clang "$dtlto_clang")
	mkdir elsewhere
	cp -r clang libfake.so elsewhere
	touch -d 2001-01-01 elsewhere/*
	cd elsewhere
	umask 000
	second=$(XDG_CACHE_HOME=$PWD/cache environment --quiet "$PWD/clang" "$dtlto_clang")
	[[ ${first##*/} == "${second##*/}" ]]
	cmp "$first" "$second"
}

@test "it is found again, and made anew when a file has changed" {
	need zstd
	fake_clang clang 1
	run -0 environment ./clang "$dtlto_clang"
	first=${lines[1]}
	run -0 environment ./clang "$dtlto_clang"
	[[ $output == "$first" ]]
	# A new library, but the same program.
	cp clang kept
	fake_clang clang 2
	mv kept clang
	run -0 environment ./clang "$dtlto_clang"
	[[ $output == *"making the icecream environment"* && ${lines[1]} != "$first" ]]
	# As before, but younger: the old archive is right.
	touch clang
	run -0 environment ./clang "$dtlto_clang"
	[[ $output == *"making the icecream environment"* ]]
	[[ $(count '*.tar.zst') == 2 ]]
}

@test "an archive that is gone, or was cut short, is made anew" {
	need zstd
	fake_clang clang 1
	archive=$(environment --quiet ./clang "$dtlto_clang")
	cp "$archive" whole
	head -c 1000 whole >"$archive"
	[[ $(environment --quiet ./clang "$dtlto_clang") == "$archive" ]]
	cmp "$archive" whole
	rm "$archive"
	[[ $(environment --quiet ./clang "$dtlto_clang") == "$archive" ]]
	cmp "$archive" whole
}

@test "started many times at once, it makes one" {
	need zstd flock
	fake_clang clang 1
	for i in 1 2 3 4 5 6; do
		environment ./clang "$dtlto_clang" >"out$i" 2>"err$i" &
	done
	wait
	[[ $(cat err? | wc -l) == 1 && $(sort -u out? | wc -l) == 1 && $(cat out? | wc -l) == 6 ]]
	[[ $(count '*.tar.zst') == 1 && $(count 'work.*') == 0 ]]
}

@test "one that was killed leaves nothing that stands in the way" {
	need zstd flock
	fake_clang clang 1
	mkdir bin
	stand_in bin/zstd <<<'echo $$ >compressing; exec sleep 60'
	PATH=$PWD/bin:$PATH setsid "$build/icecream-environment" ./clang "$dtlto_clang" 2>/dev/null &
	pid=$!
	wait_until test -s compressing
	kill -KILL -- -$pid
	[[ $(count 'work.*') == 1 ]]
	run -0 environment --quiet ./clang "$dtlto_clang"
	[[ -s $output && $(count 'work.*') == 0 ]]
}

@test "the last four archives are kept" {
	need zstd
	for version in 1 2 3 4 5 6; do
		fake_clang "clang" $version
		archive=$(environment --quiet ./clang "$dtlto_clang")
		[[ $version != 1 ]] || first=$archive
	done
	[[ $(count '*.tar.zst') == 4 && -e $archive && ! -e $first ]]
	[[ $(count '*.files') == 1 ]]
}

@test "without zstd, or where the user wants it, gzip" {
	need zstd
	fake_clang clang 1
	archive=$(ICECC_ENV_COMPRESSION=gzip environment --quiet ./clang "$dtlto_clang")
	[[ $archive == *.tar.gz ]]
	tar -tzf "$archive" >list
	grep -qx usr/bin/clang list
	[[ $(environment --quiet ./clang "$dtlto_clang") == *.tar.zst ]]
}

@test "a compiler by its name, behind a link, and with a subcommand" {
	need zstd
	mkdir bin
	fake_clang bin/clang 1
	mv libfake.so bin
	ln -s bin/clang link
	archive=$(PATH=$PWD/bin:$PATH environment --quiet clang "$dtlto_clang")
	[[ $(environment --quiet ./link "$dtlto_clang") == "$archive" ]]
	[[ $(environment --quiet ./link "$dtlto_clang" clang) == "$archive" ]]
}

@test "folders that icecream would misread, or that others may write to, are not used" {
	need zstd
	fake_clang clang 1
	for bad in a=b a,b a:b open; do
		mkdir -p "$bad/dtlto-ninja"
		mkdir -m 777 "$bad/dtlto-ninja/icecream"
	done
	ln -s "$PWD" linked
	mkdir linked/dtlto-ninja
	ln -s "$TMPDIR" linked/dtlto-ninja/icecream
	for bad in a=b a,b a:b open linked; do
		run -0 --separate-stderr env XDG_CACHE_HOME="$PWD/$bad" "$build/icecream-environment" ./clang "$dtlto_clang"
		[[ $output == "$TMPDIR/dtlto-ninja-icecream-$(id -u)"/* ]]
	done
	run -0 --separate-stderr env -u XDG_CACHE_HOME -u HOME "$build/icecream-environment" ./clang "$dtlto_clang"
	[[ $output == "$TMPDIR"/* ]]
	run -0 env -u XDG_CACHE_HOME HOME="$PWD/home" "$build/icecream-environment" --quiet ./clang "$dtlto_clang"
	[[ $output == "$PWD/home/.cache/dtlto-ninja/icecream"/* ]]
	[[ $(stat -c %a home/.cache/dtlto-ninja/icecream) == 700 ]]
}

@test "why an archive cannot be made" {
	need zstd
	run -1 environment no-such-clang "$dtlto_clang"
	says "cannot make the icecream environment of no-such-clang: found no program 'no-such-clang'"
	stand_in script <<<'echo "clang version 1"; echo "Target: t"'
	run -1 environment ./script "$dtlto_clang"
	says "cannot make the icecream environment of ./script: '$PWD/script' is a script; name the program that it runs"
	run -1 environment "$dtlto_clang" "$dtlto_clang"
	says "cannot make the icecream environment of $dtlto_clang: it does not answer to --version as clang does"
	fake_clang clang '1\nConfiguration file: /etc/x.cfg'
	run -1 environment ./clang "$dtlto_clang"
	says "cannot make the icecream environment of ./clang: it has options from '/etc/x.cfg', which would not be there"
	fake_clang clang 1
	mv libfake.so elsewhere.so
	run -1 environment ./clang "$dtlto_clang"
	says "cannot make the icecream environment of ./clang: it does not answer to --version as clang does"
	mv elsewhere.so libfake.so
	mkdir bin
	stand_in bin/zstd <<<'echo "zstd: no space" >&2; exit 1'
	run -1 env PATH="$PWD/bin:$PATH" "$build/icecream-environment" ./clang "$dtlto_clang"
	grep -qx 'zstd: no space' <<<"$output"
	says "cannot make the icecream environment of ./clang: cannot write it to '$folder'"
	[[ $(count '*.tar.zst') == 0 && $(count 'work.*') == 0 ]]
	run -2 environment ./clang
	[[ $output == "usage: icecream-environment [--quiet] COMPILER DTLTO_CLANG [SUBCOMMAND]" ]]
}

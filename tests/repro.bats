#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# --repro: what is packed in a real link makes the same objects elsewhere.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# Packs what is in $1 elsewhere, without what it was made from, and compiles it there: the objects are
# those that the link, in out/, has left. There are $2 of them.
same_objects() {
	local here=$PWD away=$BATS_TEST_TMPDIR/away name path count=0
	mkdir -p "$away"
	mv "$1" "$away/moved"
	mv objs "$BATS_TEST_TMPDIR/hidden"
	ninja -C "$away/moved" >/dev/null
	while IFS=$'\t' read -r name path; do
		[[ $name == objects/* ]] || continue
		cmp "$away/moved/$name" "$here/$path"
		count=$((count + 1))
	done <"$away/moved/names"
	mv "$BATS_TEST_TMPDIR/hidden" objs
	[[ $count == "$2" ]]
	[[ $(find "$away/moved/objects" -name '*.o' | wc -l) == "$2" ]]
}

@test "a repro in a folder, moved elsewhere, makes the same objects" {
	demo_apart
	run -0 link "${apart[@]}" -o out/numbers -Wl,--save-temps -Xthinlto-distributor=--repro=r
	says "wrote a repro of 5 backend compilations; run it with: ninja -C r"
	[[ $(find r/modules -type f | wc -l) == 5 && $(find r/shards -type f | wc -l) == 5 ]]
	[[ $(cat r/compiler) == "$(/usr/lib/llvm-22/bin/clang --version)" ]]
	grep -q '^compiler = /usr/lib/llvm-22/bin/clang$' r/build.ninja
	grep -q "^  link of:  out/numbers$" r/README
	# Nothing but the names, and modules for people, says where it is from.
	grep -v '^  module = ' r/build.ninja | lacks "$PWD\|out/"
	sed 's,"linker_output":"out/numbers",,' r/description.json | lacks "$PWD\|out/"
	same_objects r 5
	out/numbers >/dev/null
}

@test "a repro in an archive, and one that replaces another" {
	demo_apart
	link "${apart[@]}" -o out/numbers -Wl,--save-temps -Xthinlto-distributor=-q,--repro=r.tar
	tar -xf r.tar
	rm -f out/*
	run -0 link "${apart[@]}" -o out/numbers -Wl,--save-temps -Xthinlto-distributor=--repro=r.tar
	says "wrote a repro of 5 backend compilations: r.tar; unpack it, and run ninja in it"
	[[ $(tar -tf r.tar | grep -vc '^r/') == 0 ]]
	rm -r r
	tar -xf r.tar
	same_objects r 5
	link "${apart[@]}" -o out/numbers -Xthinlto-distributor=-q,--repro=r2
	run -0 link objs/{main,table,square,prime,sum}.o -o out/numbers -Xthinlto-distributor=--repro=r2
	grep -q ' objs/sum.o$' <(tr '\t' ' ' <r2/names)
	[[ $(echo r2*) == r2 ]]
}

@test "a repro is made of links that fail, with all or with what failed" {
	demo_apart
	# clang makes an empty object where a module that it imports from is damaged.
	truncate -s 800 objs/square.o
	echo 'int square(int x) { return x * x; }' >square.c
	compile square.c
	stand_in fails <<-'EOF'
		case "$*" in *prime.o*" -o "*prime*) echo "prime is bad" >&2; exit 1; esac
		exec /usr/lib/llvm-22/bin/clang "$@"
	EOF
	list=(objs/{main,table,sum,prime}.o square.o)
	run -1 ld.lld-22 -shared "${list[@]}" -o out/n --thinlto-distributor="$dtlto" --save-temps \
		--thinlto-remote-compiler="$PWD/fails" --thinlto-distributor-arg=-k0 --thinlto-distributor-arg=--repro=all
	says "wrote a repro of 5 backend compilations; run it with: ninja -C all"
	run -1 ld.lld-22 -shared "${list[@]}" -o out/n --thinlto-distributor="$dtlto" \
		--thinlto-remote-compiler="$PWD/fails" --thinlto-distributor-arg=-k0 \
		--thinlto-distributor-arg=--repro=failed --thinlto-distributor-arg=--repro-failed
	says "wrote a repro of 1 backend compilation; run it with: ninja -C failed"
	grep -A2 '^These modules failed' failed/README | grep -qx '  objs/prime.o'
	[[ $(grep -c '^build' failed/build.ninja) == 1 && $(grep -c '^build' all/build.ninja) == 5 ]]
	# It fails there too, and with a compiler that works makes what the other repro makes.
	run -1 ninja -C failed
	grep -q 'prime is bad' <<<"$output"
	sed -i 's,^compiler = .*,compiler = /usr/lib/llvm-22/bin/clang,' failed/build.ninja all/build.ninja
	ninja -C failed
	ninja -C all
	cmp failed/objects/*prime*.o all/objects/*prime*.o
	# Where nothing fails there is none.
	link objs/main.o objs/table.o objs/sum.o objs/prime.o square.o -o out/n \
		-Xthinlto-distributor=-q,--repro=none,--repro-failed
	[[ ! -e none ]]
}

@test "a repro of a link with a profile, which all jobs read" {
	need clang-22 ninja
	echo 'int x;' >m.c
	compile m.c
	: >index
	echo profile >my.profdata
	stand_in cc <<<'cat "${1#-p=}" "$2" "${3#-fthinlto-index=}" >"$5"'
	echo '{"common":{"linker_output":"prog","args":["./cc","-p=my.profdata"],"inputs":["my.profdata"]},"jobs":[{"args":["m.o","-fthinlto-index=index","-o","a.o"],"inputs":["m.o","index"],"outputs":["a.o"]}]}' >x.json
	"$dtlto" -q --repro=r x.json
	mkdir away
	mv r away
	mv m.o my.profdata index away/.. 2>/dev/null || true
	ninja -C away/r
	cmp a.o away/r/objects/0000000-a.o
	grep -q '^common_args = -p=files/0000000-my.profdata$' away/r/build.ninja
	# It is a description too.
	rm away/r/objects/*.o
	(cd away/r && "$dtlto" -q description.json)
	cmp a.o away/r/objects/0000000-a.o
}

@test "a shard that cannot be rewritten: modules keep relative paths, or there is a warning" {
	need ninja
	mkdir sub
	echo module >sub/a.bc
	echo 'not bitcode' >index
	stand_in cc <<<'cat "$1" "${2#-fthinlto-index=}" >"$4"'
	description() {
		echo "{\"common\":{\"linker_output\":\"prog\",\"args\":[\"$PWD/cc\"],\"inputs\":[]},\"jobs\":[{\"args\":[\"$1\",\"-fthinlto-index=index\",\"-o\",\"a.o\"],\"inputs\":[\"$1\",\"index\"],\"outputs\":[\"a.o\"]}]}"
	}
	description sub/a.bc >x.json
	"$dtlto" -q --repro=r x.json
	[[ -f r/tree/sub/a.bc ]]
	grep -q '^  index: it is not LLVM bitcode$' r/README
	mkdir away
	mv r away
	ninja -C away/r
	cmp a.o away/r/objects/0000000-a.o
	rm away/r/objects/*.o
	(cd away/r/tree && "$dtlto" -q description.json)
	cmp a.o away/r/objects/0000000-a.o
	description "$PWD/sub/a.bc" >x.json
	run -0 "$dtlto" -q --repro=r x.json
	says "warning: the repro will not make all objects: the index shard 'index: it is not LLVM bitcode', and its modules have no relative paths that they could keep"
	[[ -f r/modules/0000000-a.bc ]]
}

@test "what stands in the place of a repro is not replaced, and the link goes on" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a
	mkdir mine
	echo precious >mine/file
	run -0 "$dtlto" -q --repro=mine x.json
	says "warning: no repro was made in 'mine': it is there already and holds something else"
	[[ $(ls mine) == file && -s a.o ]]
	run -0 "$dtlto" -q --repro=x.json x.json
	says "warning: no repro was made in 'x.json': it is there already and is no folder"
	mkdir r.tar empty
	run -0 "$dtlto" -q --repro=r.tar x.json
	says "warning: no repro was made in 'r.tar': it is there already and is no regular file"
	run -0 "$dtlto" -q --repro=no/r x.json
	says "warning: no repro was made in 'no/r': No such file or directory"
	"$dtlto" -q --repro=empty x.json
	[[ -s empty/build.ninja ]]
	only_files cc x.json a.bc a.o mine mine/file r.tar empty empty/{README,build.ninja,compiler,description.json,names} \
		empty/objects empty/objects/README empty/modules empty/modules/0000000-a.bc
}

@test "an input that cannot be read is missing from the repro, and the rest is there" {
	need ninja
	stand_in cc <<<'exit 1'
	describe x.json ./cc a b c
	rm b.bc c.bc
	run -0 "$dtlto" --generate -o x.ninja --repro=r x.json
	says "warning: the repro lacks 2 inputs that cannot be read; the first is b.bc: No such file or directory"
	grep -A2 '^These inputs could not be read' r/README | tail -2 | diff - <(printf '  b.bc\n  c.bc\n')
	[[ $(ls r/modules) == 0000000-a.bc ]]
}

@test "-n, --generate, --keep and --repro go together" {
	demo_apart
	link "${apart[@]}" -o out/n -Wl,--save-temps -Xthinlto-distributor=-q,--keep,--repro=r1
	description=$(echo out/n.*.dist-file.json)
	[[ -s r1/build.ninja && -s $(echo out/dtlto-ninja.*/build.ninja) ]]
	rm out/*.native.o
	"$dtlto" -q -n --repro=r2 "$description"
	"$dtlto" -q --generate -o x.ninja --repro=r3 "$description"
	[[ -z $(find out -name '*.native.o') ]]
	diff -r r1 r2
	diff -r r1 r3
	# Under the linker nothing is compiled either, which it does not like.
	run -1 link "${apart[@]}" -o out/n "-Xthinlto-distributor=-n,-q,--repro=r4"
	[[ $(grep -c ^build r4/build.ninja) == 5 ]]
	run -1 link "${apart[@]}" -o out/n "-Xthinlto-distributor=--generate,-o,y.ninja,--repro=r5"
	[[ -s y.ninja && $(grep -c ^build r5/build.ninja) == 5 ]]
}

@test "a full disk costs the repro, not the link, and nothing half-made stays" {
	need ninja
	need_namespace
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b c
	for name in a b c; do head -c 20000 /dev/urandom >$name.bc; done
	mkdir disk
	cat >fill <<-EOF
		set -eu
		for size in 4 48 200; do
			mount -t tmpfs -o size=\${size}k none disk
			for place in disk/r disk/r.tar; do
				"$dtlto" -q --repro=\$place x.json 2>message
				if [ -e \$place ]; then
					[ ! -s message ]
					echo made
				else
					grep -q "^dtlto-ninja: warning: no repro was made in '\$place': .*No space left on device" message
				fi
				[ "\$(ls disk)" = "" ] || [ "disk/\$(ls disk)" = \$place ]
				rm -rf \$place
				[ "\$(cat a.o)" = object ]
			done
			umount disk
		done
	EOF
	run -0 "${namespace[@]}" sh fill
	[[ $output == $'made\nmade' ]]
}

@test "a link that is interrupted while its repro is made leaves none" {
	need ninja
	stand_in cc <<-'EOF'
		[ "$1" = --version ] && exec sleep 4242.6
		echo object >"$2"
	EOF
	describe x.json ./cc a
	"$dtlto" -q --repro=r x.json 2>message &
	pid=$!
	wait_until runs 'sleep 4242.6'
	kill -INT $pid || true
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[[ $status == 143 ]]
	grep -q 'ended by signal 15' message
	only_files cc x.json a.bc message
}

#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154
# Links of a larger program through a real distcc farm and a real icecream farm, two workers each, on
# network namespaces of this machine: every job runs on a worker, and every object is the one that
# the job's command makes here.

load common
load farm

count=34 # modules, and main.o

setup_file() {
	bats_require_minimum_version 1.5.0
	export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache programs=$BATS_FILE_TMPDIR/programs
	(CI=true need clang-22 llvm-ar-22) >/dev/null 2>&1 || return 0
	mkdir "$programs"
	make_program plain &
	make_program debug -g &
	wait
}

teardown() {
	stop_farms
}

# The sources of modules that import from each other: loops call functions of the neighbours.
make_sources() {
	local i next last
	for ((i = 1; i <= count; i++)); do
		next=$((i % count + 1)) last=$(((i + count - 2) % count + 1))
		cat >"m$i.c" <<-END
			struct pair { unsigned first, second; };
			unsigned small$next(struct pair), small$last(struct pair), large$next(unsigned);
			static unsigned calls$i;
			const char *name$i = "module $i";
			unsigned small$i(struct pair p) { return p.first * $i + p.second + calls$i++; }
			unsigned large$i(unsigned x) {
				unsigned sum = x;
				for (unsigned k = 0; k < x; k++)
					sum += small$next((struct pair){k, sum}) ^ small$last((struct pair){sum, k});
				return x > 0 ? sum + large$next(x - 1) : sum;
			}
		END
	done
	echo 'unsigned large1(unsigned); int main(void) { return large1(60) & 127; }' >main.c
}

# The folder NAME in $programs, with the program's objects in all kinds of places: the link runs in
# "link".
make_program() { # NAME [OPTION ...]
	local folder=$programs/$1
	mkdir -p "$folder/link/with blank/s" "$folder/other" "$folder/far" "$folder/archives"
	cd "$folder/link" || return
	make_sources
	compile "${@:2}" main.c m*.c
	rm ./*.c
	mv m[1-5].o "with blank/s"
	mv m[6-9].o m1[0-2].o ../other
	mv m1[3-9].o ../far
	llvm-ar-22 rcs ../archives/libfat.a m2[0-4].o
	rm m2[0-4].o
	llvm-ar-22 rcs "with blank/fat.a" m2[5-7].o
	rm m2[5-7].o
	mv m2[89].o m3[0-1].o ../archives
	(cd ../archives && llvm-ar-22 rcs --thin libthin.a m28.o m29.o m30.o m31.o)
}

# A copy of the program NAME in PLACE, to whose folder "link" this goes; what the linker gets is in
# $objects.
use_program() { # NAME PLACE
	need clang-22 ld.lld-22 ninja llvm-ar-22
	mkdir -p "$(dirname "$2")"
	cp -R "$programs/$1" "$2"
	cd "$2/link" || return
	objects=(main.o "with blank"/s/*.o ../other/*.o "$(realpath ../far)"/*.o ../archives/libfat.a
		"with blank/fat.a" ../archives/libthin.a m32.o ./m33.o ../link/m34.o)
}

# Links it on the farm's client, with the options given.
link_there() { # OUTPUT [OPTION ...]
	"$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" "${@:2}" \
		"${objects[@]}" -o "$1" "-Xthinlto-distributor=--template=$farm_kind"
}

# All is done by the workers, both of them, and every object is the same as that of a serial run here.
# The daemons' logs say so, and the oracle.
all_is_remote() { # [OPTION ...]
	local jobs=$((count + 1)) before
	before=$(farm_jobs)
	use_oracle
	run -0 link_there "the program" "$@"
	says "$jobs of $jobs remote ($farm_kind)"
	[[ $(($(farm_jobs) - before)) == "$jobs" ]]
	some_jobs w1
	some_jobs w2
	verdict "works: $jobs objects the same"
	clang-22 -O2 -flto=thin -fuse-ld=lld "$@" "${objects[@]}" -o here
	[[ $("./the program"; echo $?) == $(./here; echo $?) ]]
}
some_jobs() { # WORKER
	[[ $(farm_jobs "$1") -gt 0 ]]
}

need_distcc_farm() {
	need distcc distccd setpriv nsenter ip
}

@test "distcc: all objects of a program from everywhere" {
	need_distcc_farm
	use_program plain here
	start_distcc
	all_is_remote
}

@test "distcc: all objects of a program from everywhere, with debugging information" {
	need_distcc_farm
	use_program debug here
	start_distcc
	all_is_remote -g
}

@test "icecream: all objects of a program from everywhere" {
	need_icecream
	plain_clang
	use_program plain here
	start_icecream
	all_is_remote
}

@test "icecream: all objects of a program from everywhere, with debugging information" {
	need_icecream
	plain_clang
	use_program debug here
	start_icecream
	all_is_remote -g
}

# The hashes of the bundles that the daemons got, which are theirs to keep (SAVE).
take_bundles() { # FILE
	local bundles
	bundles=$(compgen -G "$farm/w?/tmp/distccd_*.i" | wc -l)
	[[ $bundles == $((count + 1)) ]]
	cat "$farm"/w?/tmp/distccd_*.i | strings | lacks "$BATS_TEST_TMPDIR"
	sha256sum "$farm"/w?/tmp/distccd_*.i | cut -d ' ' -f 1 | sort >"$1"
	[[ $(uniq "$1" | wc -l) == "$bundles" ]]
	rm "$farm"/w?/tmp/distccd_*
}

@test "the same program from two folders, under two names, makes the same bundles" {
	need_distcc_farm
	SAVE=1 start_distcc
	use_program plain "$BATS_TEST_TMPDIR/one"
	run -0 link_there one
	take_bundles "$BATS_TEST_TMPDIR/first"
	use_program plain "$BATS_TEST_TMPDIR/a folder with a longer name/below it"
	run -0 link_there "the same program"
	take_bundles "$BATS_TEST_TMPDIR/second"
	cmp "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
	cmp "$BATS_TEST_TMPDIR/one/link/one" "the same program"
}

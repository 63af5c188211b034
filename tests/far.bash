# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # used, or set by those who load it
# What the tests of the far side share: a real bundle, and dtlto-clang called as a daemon calls it.

# A real bundle "x.i", as a carrier is given it: the one of main.o of the demo program. A carrier that
# only looks stands in for a farm's client.
make_bundle() {
	need clang-22 ld.lld-22 ninja
	demo_objects
	mkdir -p ../bin
	stand_in ../bin/distcc <<-EOF
		if [ "\$1" = -j ]; then echo 2; exit; fi
		tar tf "\$3" | grep -q 'm0000003' && cp "\$3" '$PWD/x.i'
		exit 116
	EOF
	PATH=$PWD/../bin:$PATH link "${demo_list[@]}" -o numbers "-Wl,--save-temps" \
		-Xthinlto-distributor=-q,--template=distcc 2>/dev/null
	[[ -s x.i ]]
	reference=$(echo main.*.native.o)
}

# Runs it in a small environment, as a daemon does.
far() {
	mkdir -p ../tmp
	env -i PATH="$PATH" TMPDIR="$(realpath ../tmp)" "${far_environment[@]}" "$dtlto_clang" "$@"
}
far_environment=()

# Nothing is left of it but what is kept of compilers' answers.
nothing_left() {
	[[ -z $(find ../tmp -mindepth 1 -maxdepth 1 ! -name 'dtlto-clang-[0-9]*') ]]
	[[ -z $(compgen -G '*.o.??????') ]]
}

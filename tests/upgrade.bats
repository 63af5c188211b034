#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# Templates that people wrote for a past release go on working: tests/fixtures/templates-VERSION has
# those of that release, as they were then. Each links a real program, the same as without them.

load common
load farm

setup_file() {
	bats_require_minimum_version 1.5.0
}

teardown() {
	stop_farms
}

# Calls the function once for each kept release, with its folder.
each_release() { # FUNCTION
	local folder count=0
	for folder in "$root"/tests/fixtures/templates-*/; do
		echo "# ${folder%/}"
		"$1" "${folder%/}"
		((count += 1))
	done
	[[ $count -ge 1 ]]
}

# Links the demo with the template $1, through a command where that follows; what is said is $output.
link_with() { # TEMPLATE [COMMAND ...]
	[[ -e plain ]] || { demo_objects && clang-22 -O2 -flto=thin -fuse-ld=lld "${demo_list[@]}" -o plain; }
	rm -f linked
	run -0 "${@:2}" clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" \
		"-Xthinlto-distributor=--template=$1" "${demo_list[@]}" -o linked
	cmp plain linked
}

use_cache() {
	need ccache
	export CCACHE_DIR=$BATS_TEST_TMPDIR/cache CCACHE_CONFIGPATH=$BATS_TEST_TMPDIR/ccache.conf
	rm -rf "$CCACHE_DIR"
}

@test "each template of each release is among those tested here" {
	for template in "$root"/tests/fixtures/templates-*/*.ninja; do
		grep -qF "/$(basename "$template")\"" "$BATS_TEST_FILENAME" || {
			echo "no test links with $template"
			return 1
		}
	done
}

on_this_machine() {
	link_with "$1/local.ninja"
	[[ $output == *"ThinLTO [5/5] "* ]]
	link_with "$1/nice.ninja"
	use_cache
	link_with "$1/ccache.ninja"
	says "0 of 5 from the cache (ccache), 5 compiled"
	link_with "$1/ccache.ninja"
	says "5 of 5 from the cache (ccache)"
}
@test "templates of past releases: on this machine" {
	need clang-22 ld.lld-22 ninja
	each_release on_this_machine
}

with_distcc() {
	link_with "$1/distcc.ninja"
	says "5 of 5 remote (distcc)"
	use_cache
	link_with "$1/ccache-distcc.ninja"
	says "0 of 5 from the cache (ccache-distcc), 5 remote"
	link_with "$1/ccache-distcc.ninja"
	says "5 of 5 from the cache (ccache-distcc)"
}
@test "templates of past releases: with distcc" {
	start_distccd
	each_release with_distcc
}

with_icecream() {
	link_with "$1/icecream.ninja" "$farm/run"
	says "5 of 5 remote (icecream)"
	use_cache
	link_with "$1/ccache-icecream.ninja" "$farm/run"
	says "0 of 5 from the cache (ccache-icecream), 5 remote"
}
@test "templates of past releases: with icecream" {
	need clang-22 ld.lld-22 ninja zstd
	need_icecream
	[[ $build != *-sanitize ]] || skip "a worker has no /proc, which a sanitized dtlto-clang needs"
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/environments
	start_icecream 1
	each_release with_icecream
}

with_execution_servers() {
	link_with "$1/recc.ninja"
	link_with "$1/reclient.ninja"
	[[ $(wc -l <ran) == 10 ]]
	rm ran
}
@test "templates of past releases: with stand-ins for the clients of execution servers" {
	need clang-22 ld.lld-22 ninja
	mkdir bin
	stand_in bin/recc <<<'echo >>ran; exec "$@"'
	stand_in bin/rewrapper <<<'echo >>ran; while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
	PATH=$PWD/bin:$PATH
	each_release with_execution_servers
}

@test "templates of past releases: they are as they were" {
	# Whoever changes one changes what this test is for.
	cd "$root/tests/fixtures"
	cat >"$BATS_TEST_TMPDIR/sums" <<-'END'
		9cbb5c5a64c88f0b70b5d2ea27b97d75597c1b78083768ec709f8bca9a2e1995  templates-0.1.0/ccache-distcc.ninja
		5b43629144b7ae06d8798c047abbe761ef1a9bff13f278f396a829e617e6d881  templates-0.1.0/ccache-icecream.ninja
		561f91ab71089857ece66f4d4c328d76e557020961d480b3ca249673dcd21865  templates-0.1.0/ccache.ninja
		5e9044366ae32e1767a079c6557aa72b5b9a13e0f7f3e8daf9659c877b8c9454  templates-0.1.0/distcc.ninja
		49d5b0988eefee7b858176eb36f98c66564ac4f17dc4bd04eafea96cfbfb901c  templates-0.1.0/icecream.ninja
		d50faa709dcfec2b4869300f71748e1c41b5eaffdc4bbf4e8e69acd8daf0d57b  templates-0.1.0/local.ninja
		8748846e63b334cc7fe96c86c23957612e3b8800b1692d1609a904fb0c4878f1  templates-0.1.0/nice.ninja
		98351ee3f1c7b35aa68043b69440ecc390dbb662ee9e06f84f611b297b7722f2  templates-0.1.0/recc.ninja
		3cb6d9f975264e1719d1a1baa24703a597734e34d239f4111251ea90bed59186  templates-0.1.0/reclient.ninja
	END
	sha256sum -c --quiet "$BATS_TEST_TMPDIR/sums"
	# Each that is there is in the list.
	diff <(sed 's/.*  //' "$BATS_TEST_TMPDIR/sums") <(find templates-* -type f | LC_ALL=C sort)
}

@test "templates of past releases: each release has some" {
	# The first section is of the version in work, which has its own when the next one is begun, or before.
	mapfile -t versions < <(sed -n 's/^## \([0-9.]*\).*/\1/p' "$root/NEWS.md")
	[[ ${#versions[@]} -ge 1 ]]
	for version in "${versions[@]:1}"; do
		[[ -d $root/tests/fixtures/templates-$version ]] || {
			echo "there is no templates-$version"
			return 1
		}
	done
	# And there are none of what was no release.
	for folder in "$root"/tests/fixtures/templates-*; do
		[[ " ${versions[*]} " == *" ${folder##*/templates-} "* ]]
	done
}

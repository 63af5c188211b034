#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154
# Index shards with other module paths, as LLVM's own tools see them. The shards come from real links;
# reshard, our helper, gives their modules the names m0000000, m0000001 and so on.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

reshard=$build/reshard

# Links the modules given to the program numbers. Shards, objects and manifest stay here.
link_and_keep() {
	link -Xthinlto-distributor=--keep,--quiet -Wl,--save-temps "$@" -o numbers
}

# What the manifest of the last link sets $1 to.
setting() {
	sed -n "s/^$1 = //p" dtlto-ninja.*/build.ninja
}

# Makes the object $1 of the last link again, of nothing but its shard and modules under other names
# in another folder; it must be the same.
make_again() {
	local object=$1 name path self compiler options bundle=$BATS_TEST_TMPDIR/bundle
	local module=${object%.*.*.native.o}.o
	rm -rf "$bundle"
	mkdir "$bundle"
	"$reshard" "$object.thinlto.bc" "$bundle/shard" >"$bundle/names"
	while IFS=$'\t' read -r name path; do
		cp "$path" "$bundle/$name"
		[[ ${path##*/} != "$module" ]] || self=$name
	done <"$bundle/names"
	compiler=$(setting compiler)
	read -ra options < <(setting common_args)
	(cd "$bundle" && "$compiler" "${options[@]}" "$self" -fthinlto-index=shard -o object)
	cmp "$bundle/object" "$object"
}

make_all_again() {
	local object count=0
	for object in *.native.o; do
		make_again "$object"
		((count += 1))
	done
	[[ $count == 5 ]]
}

# Rewrites all shards of the last link into the folder $1, each under the name of its module.
reshard_all() {
	local shard module
	mkdir -p "$1"
	for shard in *.native.o.thinlto.bc; do
		module=${shard%%.[0-9]*}
		"$reshard" "$shard" "$1/$module" >"$1/$module.names"
		# The members of archives have more in their names, and all have a folder in front.
		sed -i 's,\t.*/,\t,; s/ at .*//' "$1/$module.names"
	done
}

# What llvm-bcanalyzer says about the shard $1.
dump() {
	llvm-bcanalyzer-22 --dump "$1" | sed '/^Summary of/,$d'
}

# The module paths that it finds in the shard $1.
paths_in() {
	local codes escapes
	while read -ra codes; do
		printf -v escapes '\\x%02x' "${codes[@]}"
		printf '%b\n' "$escapes"
	done < <(dump "$1" | sed -n 's,/>.*,,; s/op[0-9]*=//g; s/.*<ENTRY \(abbrevid=[0-9]* \)*[0-9]* //p')
}

# What it finds there but for the paths, how they are encoded and how long that is.
rest_of() {
	dump "$1" | sed -E '/<ENTRY /d; s/ NumWords=[0-9]+//; s/<HASH abbrevid=[0-9]+/<HASH/'
}

@test "the same objects from other names in another folder" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link_and_keep "${demo_list[@]}"
	make_all_again
}

@test "the same objects with debug information" {
	need clang-22 ld.lld-22 ninja
	demo_objects -g
	link_and_keep -g "${demo_list[@]}"
	make_all_again
}

@test "the same objects of modules with absolute paths" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link_and_keep "${demo_list[@]/#/$PWD/}"
	make_all_again
}

@test "the same objects of members of an archive" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	demo_objects
	llvm-ar-22 rc libnumbers.a square.o prime.o sum.o
	link_and_keep main.o table.o libnumbers.a
	make_all_again
}

@test "llvm-bcanalyzer finds the new names, and all else as it was" {
	need clang-22 ld.lld-22 llvm-bcanalyzer-22 ninja
	local shard
	demo_objects
	link_and_keep "${demo_list[@]}"
	for shard in *.native.o.thinlto.bc; do
		"$reshard" "$shard" rewritten >names
		diff <(paths_in "$shard") <(cut -f 2 names)
		diff <(paths_in rewritten) <(cut -f 1 names)
		diff <(rest_of "$shard") <(rest_of rewritten)
		rest_of rewritten | grep -q '<HASH '
	done
	"$reshard" main.*.thinlto.bc rewritten >names
	paths_in rewritten | diff - <(printf 'm000000%d\n' 0 1 2 3 4)
}

@test "the same shards from folders of other lengths" {
	need clang-22 ld.lld-22 ninja
	local folder
	demo_objects
	for folder in "$PWD"/{a,b-b,"another folder/with one below it"}; do
		mkdir -p "$folder"
		cp "${demo_list[@]}" "$folder"
		(
			cd "$folder"
			link_and_keep "${demo_list[@]/#/$folder/}"
			reshard_all shards
		)
		cut -f 2 "$folder/shards/main.names" | diff - <(printf '%s\n' "${demo_list[@]}" | sort)
		diff -r a/shards "$folder/shards"
	done
}

# lld calls them after the archive and its own process id.
@test "the same shards for members of archives" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	local folder
	demo_objects
	llvm-ar-22 rc libnumbers.a square.o prime.o sum.o
	for folder in "$PWD"/{a,another}; do
		mkdir "$folder"
		cp main.o table.o libnumbers.a "$folder"
		(
			cd "$folder"
			link_and_keep "$folder"/{main.o,table.o,libnumbers.a}
			reshard_all shards
			"$reshard" main.*.thinlto.bc rewritten >names
		)
	done
	grep -q 'libnumbers\.a(square\.o at ' a/names
	run ! diff a/names another/names
	diff -r a/shards another/shards
}

@test "a damaged shard is refused, an empty one stays" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link_and_keep "${demo_list[@]}"
	head -c 100 main.*.thinlto.bc >part
	run -1 "$reshard" part out
	[[ $output == "reshard: part: it is damaged or cut off" && ! -e out ]]
	run -1 "$reshard" main.o out
	[[ $output == "reshard: main.o: this layout of an index shard is not known" && ! -e out ]]
	: >empty
	"$reshard" empty out
	[[ -e out && ! -s out ]]
}

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
	rm -rf dtlto-ninja.* ./*.native.o*
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

# Makes all objects of the last link again, $1 of them.
make_all_again() {
	local object count=0
	for object in *.native.o; do
		make_again "$object"
		((count += 1))
	done
	[[ $count == "$1" ]]
}

# A program of main.o and the 15 modules in libparts.a, with so many functions, variables and aliases
# that some share a place in lld's hash tables, and modules that import the same ones.
many_objects() {
	local i j other
	echo 'int x; int main(void) {' >main.c
	for ((i = 0; i < 15; i++)); do
		{
			echo "int v$i = $i; const int c$i = $i + 7; int n$i(void) { static int n; return n++; }"
			for ((j = 0; j < 20; j++)); do
				echo "int f${i}_$j(int x) { return x * $j + c$i; }"
				other=f$(((i + j) % 15))_$(((j + 1) % 20))
				echo "int $other(int); int g${i}_$j(int x) { return $other(x); }"
			done
			echo "int a$i(int x) __attribute__((alias(\"f${i}_1\")));"
		} >part$i.c
		echo "extern int v$i, a$i(int), n$i(void); extern const int c$i;" >>main.c
		echo "x += v$i + c$i + a$i(x) + n$i();" >>main.c
		for ((j = 0; j < 20; j++)); do
			echo "int f${i}_$j(int), g${i}_$j(int); x += f${i}_$j(x) + g${i}_$j(x);" >>main.c
		done
	done
	echo 'return x; }' >>main.c
	compile main.c part*.c
	llvm-ar-22 rc libparts.a part*.o
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

# What else it finds there, sorted: of values their GUIDs instead of their numbers, and nothing of
# abbreviations and lengths.
meaning_of() {
	dump "$1" | sed -E 's/ (NumWords|abbrevid)=[0-9]+//g; s,/>.*,,; s/op[0-9]+=//g; /<ENTRY /d' | awk '
		$1 == "<VALUE_GUID" { guid[$2] = $3 "/" $4; $2 = "" }
		/<COMBINED_/ { $2 = guid[$2] }
		$1 == "<COMBINED_ALIAS" { $5 = guid[$5] }
		$1 == "<COMBINED_GLOBALVAR_INIT_REFS" { for (i = 6; i <= NF; i++) $i = guid[$i] }
		$1 == "<COMBINED_PROFILE" {
			calls = 11 + $8
			for (i = 11; i <= NF; i++)
				if (i < calls || (i - calls) % 2 == 0)
					$i = guid[$i]
		}
		{ print }' | sort
}

@test "the same objects from other names in another folder" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link_and_keep "${demo_list[@]}"
	make_all_again 5
}

@test "the same objects with debug information" {
	need clang-22 ld.lld-22 ninja
	demo_objects -g
	link_and_keep -g "${demo_list[@]}"
	make_all_again 5
}

@test "the same objects of modules with absolute paths" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	link_and_keep "${demo_list[@]/#/$PWD/}"
	make_all_again 5
}

@test "the same objects of members of an archive" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	demo_objects
	llvm-ar-22 rc libnumbers.a square.o prime.o sum.o
	link_and_keep main.o table.o libnumbers.a
	make_all_again 5
}

# The shards of the last link say the same before and after.
same_meaning() {
	local shard
	for shard in *.native.o.thinlto.bc; do
		"$reshard" "$shard" rewritten >names
		diff <(paths_in "$shard") <(cut -f 2 names)
		diff <(paths_in rewritten) <(cut -f 1 names)
		meaning_of rewritten >after
		meaning_of "$shard" | diff - after
		grep -q '<HASH ' after
		grep -q '<COMBINED_PROFILE ' after
	done
}

@test "llvm-bcanalyzer finds the new names, and all else as it was" {
	need clang-22 ld.lld-22 llvm-bcanalyzer-22 ninja
	demo_objects
	link_and_keep "${demo_list[@]}"
	same_meaning
	"$reshard" main.*.thinlto.bc rewritten >names
	paths_in rewritten | diff - <(printf 'm000000%d\n' 0 1 2 3 4)
}

@test "llvm-bcanalyzer finds the same in a larger program" {
	need clang-22 ld.lld-22 llvm-ar-22 llvm-bcanalyzer-22 ninja
	many_objects
	link_and_keep main.o libparts.a
	same_meaning
	"$reshard" ./*'(part3.o '*.thinlto.bc rewritten
	meaning_of rewritten | grep -q '<COMBINED_ALIAS '
	[[ $("$reshard" main.*.thinlto.bc rewritten | wc -l) == 16 ]]
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

# So many values that they come in another order when their modules are called otherwise, as they are
# in each link.
@test "the same shards of a larger program" {
	need clang-22 ld.lld-22 llvm-ar-22 ninja
	local i
	many_objects
	for i in 1 2 3 4; do
		link_and_keep main.o libparts.a
		reshard_all "shards$i"
		diff -r shards1 "shards$i"
	done
	make_all_again 16
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

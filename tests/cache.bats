#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2054,SC2154
# Links whose backend compilations are kept in a real ccache, each test with a cache of its own, and
# with the real ld.lld-22, clang-22 and, where there is a farm, distccd. Where something stands in
# for one of them, the test says so.

load common
load farm

setup_file() {
	bats_require_minimum_version 1.5.0
}

teardown() {
	stop_farms
}

# A cache and settings of this test's own. They are in no folder that a test looks at.
use_cache() {
	need clang-22 ld.lld-22 ninja ccache
	local name
	for name in $(compgen -e CCACHE_); do
		unset "$name"
	done
	export CCACHE_DIR=$BATS_TEST_TMPDIR/cache CCACHE_CONFIGPATH=$BATS_TEST_TMPDIR/ccache.conf
	template=ccache
}

# Links the list as usual, once.
plain_link() {
	[[ -e plain ]] || link "$@" -o plain 2>/dev/null
}

# Links the list, options and objects, through the cache. The summary must be $1, and the program
# the same as that of a link without it.
cached_link() {
	local summary=$1
	shift
	plain_link "$@"
	run -0 link "$@" -o cached "-Xthinlto-distributor=--template=$template"
	says "$summary"
	cmp plain cached
}

# Modules m0 to m$1-1; each calls the function of the next, so that it imports from those behind it,
# and none from those before.
chain_modules() {
	local i
	modules=()
	for ((i = 0; i < $1; i++)); do
		echo "int f$((i + 1))(int); int f$i(int x) { return f$((i + 1))(x * 3) ^ $i; }" >"m$i.c"
		modules+=("m$i.o")
	done
	echo "int f$1(int x) { return x; } int f0(int); int main(void) { return f0(9) & 1; }" >last.c
	modules+=(last.o)
	compile last.c m*.c
}

# A compiler that notes the modules that it compiles in the file "compiled", and is the real one
# otherwise. Sets $noting, the option that has it used.
note_modules() {
	stand_in noting-clang <<-EOF
		case \$1 in --version) exec clang-22 --version ;; esac
		for word; do
			case \$word in
			-*.o | -*.bc) ;;
			*.native.o | *.job-*.o) ;;
			*.o) echo "\$word" >>'$PWD/compiled' ;;
			esac
		done
		exec clang-22 "\$@"
	EOF
	noting=-Wl,--thinlto-remote-compiler=$PWD/noting-clang
}

# The modules that read module $1: itself, and those that import from it, as the kept
# manifests of this folder have it.
readers_of() {
	sed -n 's/^build [^:]*: backend \([^ ]*\) | [^ ]*\(.*\)/\1 \1\2 /p' dtlto-ninja.*/build.ninja |
		grep -F " $1 " | cut -d ' ' -f 1 | sort -u
}

@test "cold, warm, and warm under another name from another directory" {
	use_cache
	demo_objects -g
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
	only_files "${demo_list[@]}" plain cached
	mkdir -p "$BATS_TEST_TMPDIR/another folder/cache_hit/below"
	mv "${demo_list[@]}" "$BATS_TEST_TMPDIR/another folder/cache_hit"
	cd "$BATS_TEST_TMPDIR/another folder/cache_hit"
	run -0 link "${demo_list[@]}" -o below/another -Xthinlto-distributor=--template=ccache \
		-Wl,--save-temps
	says "5 of 5 from the cache (ccache)"
	cmp below/another "$BATS_TEST_TMPDIR/here/plain"
	link "${demo_list[@]}" -o below/local -Wl,--save-temps
	for module in "${demo_list[@]%.o}"; do
		# There is one of either link, named by its process id.
		cmp below/"$module".*.native.o
	done
	# What a farm has compiled is found without it, and the other way round.
	rm -r "$CCACHE_DIR"
	use_hosts 127.0.0.1:1
	run -0 link "${demo_list[@]}" -o again -Xthinlto-distributor=--template=ccache
	says "0 of 5 from the cache (ccache), 5 compiled"
	run -0 link "${demo_list[@]}" -o again -Xthinlto-distributor=--template=ccache-distcc
	says "5 of 5 from the cache (ccache-distcc)"
	# As all is in the cache, no environment is needed; without this one would be made.
	export ICECC_VERSION=/none.tar.zst
	run -0 link "${demo_list[@]}" -o again -Xthinlto-distributor=--template=ccache-icecream
	says "5 of 5 from the cache (ccache-icecream)"
}

@test "from archives, whose extracted members are named after the process, and by absolute paths" {
	need llvm-ar-22
	use_cache
	demo_objects
	mkdir thin "sub dir"
	mv square.o "sub dir/squ are.o"
	mv prime.o thin
	llvm-ar-22 rcs "an archive.a" "sub dir/squ are.o" sum.o
	llvm-ar-22 rcs --thin thin.a thin/prime.o
	list=("$PWD/main.o" table.o -Wl,--whole-archive "an archive.a" thin.a -Wl,--no-whole-archive)
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${list[@]}"
	mkdir ../elsewhere
	cp -r . ../elsewhere
	cd ../elsewhere
	list[0]=$PWD/main.o
	run -0 link "${list[@]}" -o other -Xthinlto-distributor=--template=ccache
	says "5 of 5 from the cache (ccache)"
	cmp plain other
	# The same modules, all by absolute paths, in two places.
	rm -r "$CCACHE_DIR"
	for folder in "$PWD" "$(realpath ../here)"; do
		objects=("$folder"/{main,table,sum}.o "$folder/sub dir/squ are.o" "$folder/thin/prime.o")
		run -0 link "${objects[@]}" -o other -Xthinlto-distributor=--template=ccache
	done
	says "5 of 5 from the cache (ccache)"
	link "${objects[@]}" -o local 2>/dev/null
	cmp local other
}

@test "a changed module is compiled again with those that import from it, and no others" {
	use_cache
	note_modules
	chain_modules 12
	cached_link "0 of 13 from the cache (ccache), 13 compiled" "$noting" "${modules[@]}"
	for changed in m7 m0 last; do
		sed -i 's/return/return 1 +/' "$changed.c"
		compile "$changed.c"
		rm -rf plain compiled dtlto-ninja.*
		link "$noting" "${modules[@]}" -o plain -Xthinlto-distributor=--keep 2>/dev/null
		mapfile -t readers < <(readers_of "$changed.o")
		((${#readers[@]} >= 1 && ${#readers[@]} < 13))
		[[ $changed != m7 ]] || ((${#readers[@]} > 1))
		rm compiled
		cached_link "$((13 - ${#readers[@]})) of 13 from the cache (ccache), ${#readers[@]} compiled" \
			"$noting" "${modules[@]}"
		[[ $(sort compiled) == "$(printf '%s\n' "${readers[@]}")" ]]
	done
}

@test "another option or another profile is a miss" {
	need llvm-profdata-22
	use_cache
	for count in 10 20; do
		printf 'square:100:10\n 0: %d\nis_prime:500:50\n 1: 100\n' $count >text
		llvm-profdata-22 merge --sample --extbinary text -o "prof$count"
	done
	demo_objects -gmlt -fprofile-sample-use=prof10
	list=("${demo_list[@]}")
	cached_link "0 of 5 from the cache (ccache), 5 compiled" -fprofile-sample-use=prof10 "${list[@]}"
	cached_link "5 of 5 from the cache (ccache)" -fprofile-sample-use=prof10 "${list[@]}"
	# The name of a profile does not count, its content does.
	mv prof10 renamed
	cached_link "5 of 5 from the cache (ccache)" -fprofile-sample-use=renamed "${list[@]}"
	rm plain
	cached_link "0 of 5 from the cache (ccache), 5 compiled" -fprofile-sample-use=prof20 "${list[@]}"
	rm plain
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${list[@]}"
	rm plain
	cached_link "0 of 5 from the cache (ccache), 5 compiled" -Wl,--lto-O1 "${list[@]}"
	cached_link "5 of 5 from the cache (ccache)" -Wl,--lto-O1 "${list[@]}"
}

@test "another clang, by a stand-in that says another version: a miss" {
	use_cache
	demo_objects
	stand_in next-clang <<-'EOF'
		case $1 in --version) clang-22 --version | sed '1s/22\.[0-9.]*/22.9.9/'; exit ;; esac
		exec clang-22 "$@"
	EOF
	other=-Wl,--thinlto-remote-compiler=$PWD/next-clang
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$other" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "$other" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
}

@test "a clang that was built anew and says the same, by a stand-in: a miss" {
	use_cache
	demo_objects
	stand_in next-clang <<<'exec clang-22 "$@"'
	touch -d '2020-01-01' next-clang
	next=-Wl,--thinlto-remote-compiler=$PWD/next-clang
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$next" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "$next" "${demo_list[@]}"
	touch -d '2020-01-02' next-clang
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$next" "${demo_list[@]}"
	# As a bare name, too.
	PATH=$PWD:$PATH cached_link "5 of 5 from the cache (ccache)" \
		-Wl,--thinlto-remote-compiler=next-clang "${demo_list[@]}"
	echo >>next-clang
	touch -d '2020-01-02' next-clang
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$next" "${demo_list[@]}"
	# A library of it is for the user to name.
	export CCACHE_EXTRAFILES=$PWD/library
	echo 1 >library
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$next" "${demo_list[@]}"
	touch library
	cached_link "5 of 5 from the cache (ccache)" "$next" "${demo_list[@]}"
	echo 2 >library
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$next" "${demo_list[@]}"
}

@test "the same clang from another place is a hit" {
	use_cache
	demo_objects
	stand_in clang-here <<<'exec clang-22 "$@"'
	mkdir elsewhere
	cp -p clang-here elsewhere/clang-there
	cached_link "0 of 5 from the cache (ccache), 5 compiled" \
		-Wl,--thinlto-remote-compiler="$PWD/clang-here" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" \
		-Wl,--thinlto-remote-compiler="$PWD/elsewhere/clang-there" "${demo_list[@]}"
	touch -d '2020-01-01' elsewhere/clang-there
	CCACHE_COMPILERCHECK=none cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	CCACHE_COMPILERCHECK=none cached_link "5 of 5 from the cache (ccache)" \
		-Wl,--thinlto-remote-compiler="$PWD/elsewhere/clang-there" "${demo_list[@]}"
}

@test "compilations that may not travel are not cached, and the reason is counted" {
	use_cache
	demo_objects
	argument=--thinlto-remote-compiler-arg
	cached_link \
		"0 of 5 from the cache (ccache), 5 local: option '-mllvm -inline-threshold=7' is not allowed" \
		"-Wl,$argument=-mllvm,$argument=-inline-threshold=7" "${demo_list[@]}"
}

# Two machines that share the remote storage $1: what one has compiled the other finds.
share() {
	demo_objects
	export CCACHE_REMOTE_STORAGE=$1
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	rm -r "$CCACHE_DIR"
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
	[[ $(ccache --print-stats | sed -n 's/^remote_storage_hit\t//p') == 5 ]]
}

@test "remote storage: a folder, and when it is gone or corrupt" {
	use_cache
	share "file:$BATS_TEST_TMPDIR/remote"
	rm -r "$CCACHE_DIR"
	find "$BATS_TEST_TMPDIR/remote" -type f -size +100c -exec truncate -s 100 {} +
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	rm -r "$CCACHE_DIR" "$BATS_TEST_TMPDIR/remote"
	: >"$BATS_TEST_TMPDIR/remote"
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
}

# Debian's redis-tools has the server too, which goes by the name that it is called by; the package
# redis-server would start one for the whole machine.
@test "remote storage: Redis, and when it is gone" {
	need redis-check-rdb
	use_cache
	port=$(free_port)
	(exec -a redis-server redis-check-rdb --port "$port" --bind 127.0.0.1 --save '' \
		--dir "$BATS_TEST_TMPDIR") >"$BATS_TEST_TMPDIR/redis.log" 3>&- &
	farm_pids+=($!)
	wait_until eval "(exec 5<>/dev/tcp/127.0.0.1/$port) 2>/dev/null"
	share "redis://127.0.0.1:$port"
	stop_farms
	rm -r "$CCACHE_DIR"
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
}

@test "a cache that is full, by its own limit" {
	use_cache
	demo_objects
	export CCACHE_MAXSIZE=1k
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	run -0 link "${demo_list[@]}" -o cached -Xthinlto-distributor=--template=ccache
	[[ $output == *" of 5 from the cache (ccache), "*" compiled"* ]]
	cmp plain cached
}

# Runs the linker with the cache's folder mounted in the way $1 has it; what follows is as for
# cached_link.
mounted_link() {
	local mount=$1 summary=$2
	shift 2
	plain_link "$@"
	[[ $(id -u) == 0 ]] || skip "needs root"
	need unshare
	run unshare -m bash -c "$mount || exit 77"'; exec "$@"' - clang-22 -O2 -flto=thin -fuse-ld=lld \
		"-fthinlto-distributor=$dtlto" "$@" -o cached -Xthinlto-distributor=--template=ccache
	[[ $status != 77 ]] || skip "cannot mount here"
	[[ $status == 0 ]]
	says "$summary"
	cmp plain cached
}

@test "a disk that is full" {
	use_cache
	demo_objects
	mkdir "$CCACHE_DIR"
	mounted_link 'mount -t tmpfs -o size=4k none "$CCACHE_DIR"' \
		"0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
}

@test "a cache that cannot be written: nothing in it, and all in it" {
	use_cache
	demo_objects
	mkdir "$CCACHE_DIR"
	mounted_link 'mount --bind "$CCACHE_DIR" "$CCACHE_DIR" && mount -o remount,bind,ro "$CCACHE_DIR"' \
		"0 of 5 from the cache (ccache), 5 fell back: the cache failed" "${demo_list[@]}"
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	mounted_link 'mount --bind "$CCACHE_DIR" "$CCACHE_DIR" && mount -o remount,bind,ro "$CCACHE_DIR"' \
		"0 of 5 from the cache (ccache), 5 fell back: the cache failed" "${demo_list[@]}"
	export CCACHE_READONLY=1 CCACHE_NOSTATS=1 CCACHE_TEMPDIR=$BATS_TEST_TMPDIR/temporary
	mounted_link 'mount --bind "$CCACHE_DIR" "$CCACHE_DIR" && mount -o remount,bind,ro "$CCACHE_DIR"' \
		"5 of 5 from the cache (ccache)" "${demo_list[@]}"
}

@test "a file in the place of the cache" {
	use_cache
	demo_objects
	: >"$CCACHE_DIR"
	cached_link "0 of 5 from the cache (ccache), 5 fell back: the cache failed" "${demo_list[@]}"
	only_files "${demo_list[@]}" plain cached
}

@test "entries that are corrupt" {
	use_cache
	demo_objects
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	results() {
		find "$CCACHE_DIR" -type f -name '*R' -size +0
	}
	[[ $(results | wc -l) == 5 ]]
	results | xargs truncate -s -20
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	for file in $(results); do
		# in the middle, where the object is
		printf 'XXXXXXXX' |
			dd of="$file" bs=1 seek=$(($(stat -c %s "$file") / 2)) conv=notrunc status=none
	done
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	results | xargs truncate -s 0
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
}

@test "an object that is none never enters the cache, by a stand-in that leaves some" {
	use_cache
	demo_objects
	stand_in_clang bad-clang
	bad=-Wl,--thinlto-remote-compiler=$PWD/bad-clang
	plain_link "${demo_list[@]}"
	for kind in empty half other; do
		echo $kind >bad
		run link "$bad" "${demo_list[@]}" -o cached -Xthinlto-distributor=--template=ccache,-k0
		[[ $status == 1 && ! -e cached ]]
		says "0 of 5 from the cache (ccache), 5 fell back: no good object came of it"
		grep -qE "^dtlto-ninja: jobs\[0\]: .* is (empty|cut short|for another machine): " <<<"$output"
		[[ $(ccache --print-stats | sed -n 's/^files_in_cache\t//p') == 0 ]]
	done
	rm bad
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "$bad" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "$bad" "${demo_list[@]}"
}

@test "what a farm's client leaves is checked before the cache has it, by a stand-in for distcc" {
	use_cache
	start_distccd
	template=ccache-distcc
	cutting_distcc
	demo_objects
	PATH=$(realpath ../bin):$PATH cached_link \
		"0 of 5 from the cache (ccache-distcc), 5 fell back: no good object came of it there" \
		"${demo_list[@]}"
	[[ $(ccache --print-stats | sed -n 's/^files_in_cache\t//p') == 0 ]]
	cached_link "0 of 5 from the cache (ccache-distcc), 5 remote" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache-distcc)" "${demo_list[@]}"
}

@test "no ccache: everything is compiled here" {
	use_cache
	demo_objects
	mkdir ../bin
	for tool in clang-22 ld.lld-22 ninja sh env; do
		ln -s "$(command -v $tool)" ../bin
	done
	plain_link "${demo_list[@]}"
	PATH=$PWD/../bin run -0 link "${demo_list[@]}" -o cached -Xthinlto-distributor=--template=ccache
	says "0 of 5 from the cache (ccache), 5 fell back: ccache cannot be run: No such file or directory"
	cmp plain cached
}

@test "the user's settings: none of them is in the way" {
	use_cache
	demo_objects
	CCACHE_DISABLE=1 cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	cat >"$CCACHE_CONFIGPATH" <<-EOF
		compiler = /bin/false
		compiler_type = msvc
		compiler_check = mtime
		base_dir = /
		hard_link = true
		stats = false
		temporary_dir = $BATS_TEST_TMPDIR/temporary
		prefix_command = /bin/false
	EOF
	CCACHE_PREFIX=/bin/false cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
	CCACHE_READONLY=1 cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
	CCACHE_RECACHE=1 cached_link "0 of 5 from the cache (ccache), 5 compiled" "${demo_list[@]}"
	only_files "${demo_list[@]}" plain cached
}

@test "a compiler that is itself called through ccache, which must not go round in a circle" {
	use_cache
	link() {
		timeout 60 clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" "$@"
	}
	demo_objects
	mkdir ../bin ../masked
	ln -s "$(command -v ccache)" ../masked/clang-22
	list=("-Wl,--thinlto-remote-compiler=$(realpath ../masked)/clang-22" "${demo_list[@]}")
	cached_link "0 of 5 from the cache (ccache), 5 compiled" "${list[@]}"
	cached_link "5 of 5 from the cache (ccache)" "${list[@]}"
	# A cache that fails.
	stand_in ../bin/ccache <<<'exit 1'
	PATH=$(realpath ../bin):$PATH cached_link \
		"0 of 5 from the cache (ccache), 5 fell back: the cache failed" "${list[@]}"
}

@test "an error of the code: its message once, status 1, and the same again" {
	use_cache
	echo 'int f(int); int main(void) { return f(1); }' >main.c
	printf '__attribute__((noinline)) int f(int x) { __asm__("nonsense"); return x; }' >f.c
	compile main.c f.c
	for options in -k1 -k0 -k0; do
		run -1 link main.o f.o -o prog "-Xthinlto-distributor=--template=ccache,$options"
		[[ $(grep -c "invalid instruction mnemonic 'nonsense'" <<<"$output") == 1 ]]
		grep -q "^dtlto-ninja: jobs\[.\]: the backend compilation of 'f.o' failed" <<<"$output"
		only_files main.c f.c main.o f.o
	done
}

@test "a warning of the code is shown, from the cache too" {
	use_cache
	echo 'int main(void) { __asm__(".warning \"beware\""); return 0; }' >main.c
	compile main.c
	said=$(link main.o -o other 2>&1 | grep 'beware')
	cached_link "0 of 1 from the cache (ccache), 1 compiled" main.o
	[[ $(grep 'beware' <<<"$output") == "$said" ]]
	cached_link "1 of 1 from the cache (ccache)" main.o
	[[ $(grep 'beware' <<<"$output") == "$said" ]]
}

@test "in front of distcc: remote, then from the cache, and the server is not missed" {
	use_cache
	start_distccd
	template=ccache-distcc
	# distccd has links for compilers that are called by a name, and takes no paths then.
	mkdir ../bin
	stand_in ../bin/distcc <<-EOF
		echo "\$1" >>'$PWD/noted'
		exec $(command -v distcc) "\$@"
	EOF
	PATH=$(realpath ../bin):$PATH
	demo_objects
	cached_link "0 of 5 from the cache (ccache-distcc), 5 remote" "${demo_list[@]}"
	[[ $(grep -c '^dtlto-clang$' noted) == 5 ]]
	rm noted
	cached_link "5 of 5 from the cache (ccache-distcc)" "${demo_list[@]}"
	[[ $(grep -c "COMPILE_OK" "$distccd_log") == 5 ]]
	stop_farms
	cached_link "5 of 5 from the cache (ccache-distcc)" "${demo_list[@]}"
	rm -r "$CCACHE_DIR"
	cached_link "0 of 5 from the cache (ccache-distcc), 5 fell back: no host took it" "${demo_list[@]}"
	DISTCC_HOSTS=localhost/2 cached_link \
		"0 of 5 from the cache (ccache-distcc), 5 local: the farm ran it here" "${demo_list[@]}"
	cached_link "5 of 5 from the cache (ccache-distcc)" "${demo_list[@]}"
	rm noted
	only_files "${demo_list[@]}" plain cached
}

@test "an error of the code in front of distcc: its message once" {
	use_cache
	start_distccd
	printf 'int main(void) { __asm__("nonsense"); return 0; }' >f.c
	compile f.c
	run -1 link f.o -o prog -Xthinlto-distributor=--template=ccache-distcc
	[[ $(grep -c "invalid instruction mnemonic 'nonsense'" <<<"$output") == 1 ]]
}

@test "signals: nothing is left" {
	use_cache
	demo_objects
	stand_in slow-clang <<-'EOF'
		case $1 in --version) exec clang-22 --version ;; esac
		exec sleep 4242.84
	EOF
	for signal in INT TERM; do
		setsid env --default-signal clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" \
			"-Wl,--thinlto-remote-compiler=$PWD/slow-clang" "${demo_list[@]}" -o far \
			-Xthinlto-distributor=--template=ccache,-j2 >../out 2>&1 3>&- &
		pid=$!
		wait_until runs "sleep 4242.84"
		kill -s $signal -- "-$pid"
		wait "$pid" || true
		wait_until none_runs "$dtlto "
		wait_until none_runs "$dtlto_clang --through"
		wait_until none_runs "sleep 4242.84"
		rm -f far ./*.native.o.thinlto.bc
		only_files slow-clang "${demo_list[@]}"
	done
}

@test "in front of icecream: remote, then from the cache, and the farm is not missed" {
	need_icecream
	need zstd
	[[ $build != *-sanitize ]] || skip "a worker has no /proc, which a sanitized dtlto-clang needs"
	use_cache
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/environments
	start_icecream 1
	demo_objects
	plain_link "${demo_list[@]}"
	run -0 "$farm/run" clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" \
		"${demo_list[@]}" -o cached -Xthinlto-distributor=--template=ccache-icecream
	says "0 of 5 from the cache (ccache-icecream), 5 remote"
	cmp plain cached
	[[ $(farm_jobs w1) == 5 ]]
	stop_farms
	template=ccache-icecream
	cached_link "5 of 5 from the cache (ccache-icecream)" "${demo_list[@]}"
	template=ccache
	cached_link "5 of 5 from the cache (ccache)" "${demo_list[@]}"
}

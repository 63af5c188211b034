#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# Links whose backend compilations go to a real distccd on this machine, with the real distcc,
# ld.lld-22 and clang-22. Where something stands in for one of them, the test says so.

load common
load farm

setup_file() {
	bats_require_minimum_version 1.5.0
}

teardown() {
	stop_farms
}

# Links the list as usual and through the farm, with the options given, and compares. The summary
# must be $1.
compare_links() {
	local summary=$1
	shift
	DTLTO_NINJA_OPTIONS=--no-warm link "$@" -o plain 2>/dev/null
	run -0 link "$@" -o far -Xthinlto-distributor=--template=distcc
	says "$summary"
	cmp plain far
}

@test "an ELF program, from objects" {
	start_distccd
	demo_objects
	compare_links "5 of 5 remote (distcc)" "${demo_list[@]}"
	[[ $(grep -c "COMPILE_OK" "$distccd_log") == 5 ]]
	only_files "${demo_list[@]}" plain far
}

@test "debug information, position-independent code, sections, other levels" {
	start_distccd
	demo_objects -g -fPIC
	compare_links "5 of 5 remote (distcc)" -g -shared "${demo_list[@]}"
	compare_links "5 of 5 remote (distcc)" -O3 -Wl,--lto-O1 -ffunction-sections "${demo_list[@]}"
}

@test "archives, thin archives, absolute paths, names that are strange" {
	need llvm-ar-22
	start_distccd
	demo_objects
	mkdir "sub dir" thin
	mv square.o "sub dir/squ \$are;\"'.o"
	mv prime.o thin
	llvm-ar-22 rcs "an archive.a" "sub dir/squ \$are;\"'.o"
	llvm-ar-22 rcs --thin thin.a thin/prime.o
	mv table.o -- -table.o
	mkdir sub
	compare_links "5 of 5 remote (distcc)" "$PWD/main.o" ./-table.o sub/../sum.o \
		-Wl,--whole-archive "an archive.a" thin.a -Wl,--no-whole-archive
}

@test "profiles travel along" {
	need llvm-profdata-22
	start_distccd
	cat >prof.txt <<-'EOF'
		square:100:10
		 0: 10
		is_prime:500:50
		 1: 100
	EOF
	llvm-profdata-22 merge --sample --extbinary prof.txt -o "my prof"
	demo_objects -gmlt -fprofile-sample-use=prof.txt
	compare_links "5 of 5 remote (distcc)" -fprofile-sample-use="my prof" "${demo_list[@]}"
}

@test "COFF" {
	need lld-link-22
	start_distccd
	echo 'int f(int); __declspec(dllexport) int g(int x) { return f(x) + 1; }' >g.c
	echo 'int f(int x) { return x * 2; }' >f.c
	compile --target=x86_64-pc-windows-msvc g.c f.c
	lld=(lld-link-22 -dll -noentry -Brepro g.o f.o "-thinlto-distributor:$dtlto"
		"-thinlto-remote-compiler:$(command -v clang-22)"
		-thinlto-remote-compiler-arg:-mno-incremental-linker-compatible)
	"${lld[@]}" -out:g.dll
	mv g.dll plain.dll
	DTLTO_NINJA_OPTIONS=--template=distcc run -0 "${lld[@]}" -out:g.dll
	says "2 of 2 remote (distcc)"
	cmp plain.dll g.dll
}

@test "COFF with CodeView, which records the command: made here, unless one does not mind" {
	need lld-link-22
	start_distccd
	echo 'int f(int); __declspec(dllexport) int g(int x) { return f(x) + 1; }' >g.c
	echo 'int f(int x) { return x * 2; }' >f.c
	echo '__declspec(dllexport) int h(int x) { return x; }' >h.c
	compile --target=x86_64-pc-windows-msvc -g f.c
	# g imports from f, and gets CodeView so; h does not.
	compile --target=x86_64-pc-windows-msvc g.c h.c
	use_oracle
	export DTLTO_NINJA_OPTIONS=--template=distcc
	lld=(lld-link-22 -dll -noentry -Brepro -debug g.o f.o h.o "-thinlto-distributor:$dtlto"
		"-thinlto-remote-compiler:$(command -v clang-22)" -out:g.dll
		-thinlto-remote-compiler-arg:-mno-incremental-linker-compatible)
	run -0 "${lld[@]}"
	says "1 of 3 remote (distcc), 2 local: CodeView records its command"
	verdict "works: 3 objects the same"
	DTLTO_CLANG_CODEVIEW=1 run -0 "${lld[@]}"
	says "3 of 3 remote (distcc)"
	[[ $(tail -n 1 "$ORACLE_LOG") == DIFFERENT:* ]]
}

# Modules m0 to m$1-1, all of which call functions of others.
many_modules() {
	local i j
	modules=()
	for ((i = 0; i < $1; i++)); do
		for j in 1 2 3 5 8; do
			echo "int f$(((i + j) % $1))(int);"
		done >"m$i.c"
		echo "int f$i(int x) { if (x <= 0) return $i; return f$(((i + 1) % $1))(x - 1) + f$(((i + 2) % $1))(x - 2) + f$(((i + 3) % $1))(x - 3) + f$(((i + 5) % $1))(x - 5) * f$(((i + 8) % $1))(x - 8); }" >>"m$i.c"
		modules+=("m$i.o")
	done
	echo 'int f0(int); int main(void) { return f0(9) & 1; }' >main.c
	modules+=(main.o)
	compile main.c m*.c
}

@test "forty modules that import from each other" {
	start_distccd
	many_modules 40
	compare_links "41 of 41 remote (distcc)" "${modules[@]}"
}

@test "no server: everything runs here, and the link is good" {
	use_hosts 127.0.0.1:1
	demo_objects
	compare_links "0 of 5 remote (distcc), 5 fell back: no host took it" "${demo_list[@]}"
	unset DISTCC_HOSTS
	compare_links "0 of 5 remote (distcc), 5 fell back: no host took it" "${demo_list[@]}"
	only_files "${demo_list[@]}" plain far
}

@test "no distcc at all" {
	need clang-22 ld.lld-22 ninja
	demo_objects
	mkdir ../bin
	for tool in clang-22 ld.lld-22 ninja sh env; do
		ln -s "$(command -v $tool)" ../bin
	done
	link "${demo_list[@]}" -o plain 2>/dev/null
	PATH=$PWD/../bin run -0 link "${demo_list[@]}" -o far -Xthinlto-distributor=--template=distcc
	says "0 of 5 remote (distcc), 5 fell back: distcc cannot be run: No such file or directory"
	cmp plain far
}

@test "a server that does not allow dtlto-clang" {
	start_distccd
	: >"$distccd_list"
	demo_objects
	compare_links "0 of 5 remote (distcc), 5 fell back: no host took it" "${demo_list[@]}"
}

@test "a server with another clang, by a stand-in: nothing is compiled there" {
	need clang-22
	stand_in other-clang <<<'echo "Debian clang version 22.1.7"; echo "Target: x86_64-pc-linux-gnu"'
	chmod a+rx . ..
	DTLTO_CLANG_COMPILER=$PWD/other-clang start_distccd
	demo_objects
	compare_links "0 of 5 remote (distcc), 5 fell back: another clang there" "${demo_list[@]}"
}

@test "a server whose compiler leaves what is no object, by a stand-in" {
	need clang-22
	stand_in_clang bad-clang
	DTLTO_CLANG_COMPILER=$PWD/bad-clang start_distccd
	demo_objects
	for kind in empty half other; do
		echo $kind >bad
		compare_links "0 of 5 remote (distcc), 5 fell back: no good object came of it there" \
			"${demo_list[@]}"
	done
	rm bad
	compare_links "5 of 5 remote (distcc)" "${demo_list[@]}"
}

@test "objects that come back cut short, by a stand-in for distcc" {
	start_distccd
	cutting_distcc
	demo_objects
	PATH=$(realpath ../bin):$PATH
	compare_links "0 of 5 remote (distcc), 5 fell back: no good object came back" "${demo_list[@]}"
	DTLTO_NINJA_OPTIONS=--verbose run -0 link "${demo_list[@]}" -o far \
		-Xthinlto-distributor=--template=distcc
	grep -qE "^dtlto-clang: the object of 'square.o' is cut short: .* of [0-9]+$" <<<"$output"
}

@test "localhost among the hosts: what distcc runs here counts as local" {
	use_hosts localhost/2
	demo_objects
	compare_links "0 of 5 remote (distcc), 5 local: the farm ran it here" "${demo_list[@]}"
}

@test "a compiler that is itself called through distcc or icecc" {
	use_hosts localhost/2
	need icecc
	demo_objects
	mkdir ../masked
	ln -s "$(command -v distcc)" ../masked/clang-22
	compare_links "0 of 5 remote (distcc), 5 local: the farm ran it here" "${demo_list[@]}" \
		"-Wl,--thinlto-remote-compiler=$(realpath ../masked)/clang-22"
	ln -sf "$(command -v icecc)" ../masked/clang-22
	export ICECC_VERSION=/nonexistent
	run -0 link "${demo_list[@]}" -o far -Xthinlto-distributor=--template=icecream \
		"-Wl,--thinlto-remote-compiler=$(realpath ../masked)/clang-22"
	cmp plain far
}

@test "the server is killed in the middle" {
	start_distccd
	stand_in slow-clang <<-'EOF'
		case $1 in --version) exec clang-22 --version ;; esac
		sleep 3
		exec clang-22 "$@"
	EOF
	stop_farms
	DTLTO_CLANG_COMPILER=$PWD/slow-clang start_distccd
	demo_objects
	link "${demo_list[@]}" -o plain 2>/dev/null
	link "${demo_list[@]}" -o far -Xthinlto-distributor=--template=distcc,-j2 >out 2>&1 3>&- &
	pid=$!
	wait_until runs "slow-clang"
	stop_farms
	wait "$pid"
	cmp plain far
	grep -qE '^dtlto-ninja: [0-4] of 5 remote \(distcc\), [1-5] fell back: ' out
}

@test "options that are not allowed: the compilation stays here, and the reason is counted" {
	start_distccd
	demo_objects
	compare_links "0 of 5 remote (distcc), 5 local: option '-mllvm -inline-threshold=7' is not allowed" \
		-Wl,--thinlto-remote-compiler-arg=-mllvm,--thinlto-remote-compiler-arg=-inline-threshold=7 "${demo_list[@]}"
	DTLTO_CLANG_MLLVM=-inline-threshold=7 compare_links \
		"0 of 5 remote (distcc), 5 fell back: refused there" \
		-Wl,--thinlto-remote-compiler-arg=-mllvm,--thinlto-remote-compiler-arg=-inline-threshold=7 "${demo_list[@]}"
}

@test "an error of the code: its message once, and the same status" {
	start_distccd
	echo 'int f(int); int main(void) { return f(1); }' >main.c
	printf '__attribute__((noinline)) int f(int x) { __asm__("nonsense"); return x; }' >f.c
	compile main.c f.c
	run link main.o f.o -o prog -Xthinlto-distributor=--template=distcc
	[[ $status == 1 && ! -e prog ]]
	[[ $(grep -c "invalid instruction mnemonic 'nonsense'" <<<"$output") == 1 ]]
	grep -q "^dtlto-ninja: jobs\[.\]: the backend compilation of 'f.o' failed" <<<"$output"
	only_files main.c f.c main.o f.o
}

@test "a warning of the code is shown" {
	start_distccd
	echo 'int main(void) { __asm__(".warning \"beware\""); return 0; }' >main.c
	compile main.c
	compare_links "1 of 1 remote (distcc)" main.o
	grep -q 'beware' <<<"$output"
}

@test "at home no more run at a time than there are processors, whatever -j says" {
	need taskset
	use_hosts 127.0.0.1:1
	clang-22 -x c -c /dev/null -o real.o
	# Notes how many of it run.
	stand_in cc <<-'EOF'
		case $1 in --version) exec clang-22 --version ;; esac
		mkdir "at-once.$$"
		ls -d at-once.* | wc -l >>counts
		sleep 0.05
		rmdir "at-once.$$"
		for argument; do output=$argument; done
		cp real.o "$output"
	EOF
	local name jobs=()
	for name in a b c d e f g h; do
		echo module >$name.bc
		jobs+=("{\"args\":[\"$name.bc\",\"-fthinlto-index=/dev/null\",\"-o\",\"$name.o\"],\"inputs\":[\"$name.bc\",\"/dev/null\"],\"outputs\":[\"$name.o\"]}")
	done
	local IFS=,
	echo "{\"common\":{\"linker_output\":\"p\",\"args\":[\"./cc\",\"-c\",\"--target=x86_64-pc-linux-gnu\"],\"inputs\":[]},\"jobs\":[${jobs[*]}]}" >x.json
	unset IFS
	run -0 taskset -c 0 "$dtlto" --template=distcc -j8 x.json
	[[ $(sort -n counts | tail -n 1) == 1 && $(wc -l <counts) == 8 ]]
	says "0 of 8 remote (distcc), 8 fell back: no host took it"
}

@test "templates of one's own: the program in a variable, and one that only mentions it" {
	start_distccd
	demo_objects
	link "${demo_list[@]}" -o plain 2>/dev/null
	cat >../far.ninja <<-'EOF'
		go = $dtlto_clang --through=distcc
		rule backend
		  command = $go --inputs=$inputs_file -- $compiler $common_args $args
	EOF
	run -0 link "${demo_list[@]}" -o far -Xthinlto-distributor=--template=../far.ninja
	says "5 of 5 remote (distcc)"
	cmp plain far
	# Where the program is not the first word, a shell would take "NAME=1" for a program.
	cat >../nice.ninja <<-'EOF'
		rule backend
		  command = nice -n 1 $dtlto_clang --through=distcc --inputs=$inputs_file -- $compiler $common_args $args
	EOF
	run -0 link "${demo_list[@]}" -o nice -Xthinlto-distributor=--template=../nice.ninja
	says "5 of 5 remote (distcc)"
	cmp plain nice
	# Where it is, nothing else is started for that.
	stand_in cc <<<''
	describe x.json ./cc a
	for template in ../far.ninja ../nice.ninja distcc; do
		"$dtlto" --generate -q -o - --template=$template x.json 2>/dev/null | grep '^dtlto_clang = '
	done >setters
	[[ $(cut -d ' ' -f 3 setters | xargs) == "/usr/bin/env /usr/bin/env DTLTO_CLANG_HOME=1" ]]
	cat >../here.ninja <<-'EOF'
		# neither $dtlto_clang --through=distcc nor $dtlto_warm
		rule backend
		  command = $compiler $common_args $args
	EOF
	run -0 link "${demo_list[@]}" -o here -Xthinlto-distributor=--template=../here.ninja,-v,--warm
	lacks 'remote' <<<"$output"
	says "cannot keep the compiler warm: the template '../here.ninja' has no \$dtlto_warm"
	cmp plain here
}

@test "-j: what distcc says its hosts take, unless it is given" {
	start_distccd 7
	describe x.json ./cc a b
	stand_in cc <<<'echo object >"$2"'
	run -0 "$dtlto" --template=distcc -v x.json
	stand_in fake <<-'EOF'
		case $1 in --version) echo 1.11.1; exit ;; esac
		printf '%s\n' "$@" >arguments
	EOF
	run "$dtlto" --template=distcc --ninja=./fake x.json
	[[ $(xargs <arguments) == *" -j 7"* ]]
	run "$dtlto" --template=distcc -j 3 --memory=1 --ninja=./fake x.json
	[[ $(xargs <arguments) == *" -j 3"* ]]
}

@test "signals: nothing is left, here or there" {
	need clang-22
	stand_in slow-clang <<-'EOF'
		case $1 in --version) exec clang-22 --version ;; esac
		exec sleep 4242.81
	EOF
	DTLTO_CLANG_COMPILER=$PWD/slow-clang start_distccd
	demo_objects
	for signal in INT TERM; do
		setsid env --default-signal clang-22 -O2 -flto=thin -fuse-ld=lld "-fthinlto-distributor=$dtlto" \
			"${demo_list[@]}" -o far -Xthinlto-distributor=--template=distcc,-j2 >../out 2>&1 3>&- &
		pid=$!
		wait_until runs "sleep 4242.81"
		kill -s $signal -- "-$pid"
		wait "$pid" || true
		wait_until none_runs "$dtlto "
		wait_until none_runs "$dtlto_clang --through"
		wait_until none_runs "sleep 4242.81"
		rm -f far ./*.native.o.thinlto.bc
		only_files slow-clang "${demo_list[@]}"
	done
}

@test "a kept manifest runs by hand, with the farm" {
	start_distccd
	demo_objects
	run -0 link "${demo_list[@]}" -o far -Xthinlto-distributor=--template=distcc,--keep -Wl,--save-temps
	mkdir ../objects
	mv ./*.native.o ../objects
	ninja -f dtlto-ninja.*/build.ninja >/dev/null
	for object in *.native.o; do
		cmp "$object" "../objects/$object"
	done
	[[ $(grep -c "^remote" dtlto-ninja.*/where) == 10 ]]
}

@test "a command too long for the system, and names that cannot be said" {
	start_distccd
	many_modules 3
	long=$(printf -- '-Wno-%0120d,' {1..1200} | sed 's/,$//; s/,/,--thinlto-remote-compiler-arg=/g')
	echo "-Wl,--thinlto-remote-compiler-arg=$long" >long.rsp
	compare_links "4 of 4 remote (distcc)" @long.rsp "${modules[@]}"
	mv m1.o $'m\n1.o'
	# All but this one import from that.
	echo 'int lone(void) { return 3; }' >lone.c
	compile lone.c
	compare_links "1 of 5 remote (distcc), 4 local: its inputs cannot be named" main.o m0.o m2.o $'m\n1.o' lone.o
}

@test "a compiler with a configuration file is another one than that without" {
	start_distccd
	real=$(realpath "$(command -v clang-22)")
	mkdir cc
	cp "$real" cc/clang
	echo "-mllvm -align-all-nofallthru-blocks=6" >cc/clang.cfg
	LD_LIBRARY_PATH=$(dirname "$(dirname "$real")")/lib
	export LD_LIBRARY_PATH
	./cc/clang --version | grep -q '^Configuration file' || skip "this clang reads no such file"
	echo 'int main(int c, char **v) { int s = 0; for (int i = 0; i < c; i++) s += v[i][0]; return s; }' >a.c
	compile a.c
	compare_links "0 of 1 remote (distcc), 1 fell back: another clang there" \
		"-Wl,--thinlto-remote-compiler=$PWD/cc/clang" a.o
}

#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# --warm: everything is as without it, the compiler is loaded once, and nothing of it is left.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

need_warm() {
	need clang-22 ninja "$@"
	can_warm && return
	[[ ${CI:-} != true ]] || return 1
	skip "this system has no warm compilers, or has them for another processor than ours"
}

# A compiler $1 made of the C statements on standard input, with further options for clang. It has
# "in" and "out", the names of the input and the output, and "warm": whether a warm compiler runs
# it, its own parent then.
program() {
	local name=$1
	shift
	{
		cat <<-'END'
			#define _GNU_SOURCE
			#include <dirent.h>
			#include <errno.h>
			#include <fcntl.h>
			#include <pthread.h>
			#include <sched.h>
			#include <signal.h>
			#include <stdio.h>
			#include <stdlib.h>
			#include <string.h>
			#include <sys/prctl.h>
			#include <sys/resource.h>
			#include <sys/stat.h>
			#include <unistd.h>
			extern char **environ;
			static int is_warm(void)
			{
				char path[64], mine[4096] = "", parents[4096] = "";
				snprintf(path, sizeof path, "/proc/%d/exe", getppid());
				(void)!readlink(path, parents, sizeof parents - 1);
				(void)!readlink("/proc/self/exe", mine, sizeof mine - 1);
				return strcmp(mine, parents) == 0;
			}
			static void put(const char *name, const char *text)
			{
				FILE *file = fopen(name, "w");
				fputs(text, file);
				fclose(file);
			}
		END
		[[ ! -e functions.c ]] || cat functions.c
		cat <<-'END'
			int main(int argc, char **argv)
			{
				const char *in = argv[argc - 2], *out = argv[argc - 1], *warm = is_warm() ? "warm" : "plain";
				(void)in, (void)out, (void)warm;
		END
		cat
		echo 'return 0; }'
	} >"$name.c"
	clang-22 -w -o "$name" "$name.c" "$@"
	rm "$name.c"
}

# A compiler whose objects say how they were made.
simple_program() {
	program cc "$@" <<<'put(out, warm);'
}

# The objects a.o and b.o were made in this way.
made() {
	[[ $(cat a.o) == "$1" && $(cat b.o) == "$1" ]] || {
		echo "expected it $1, found: $(cat a.o) $(cat b.o)" >&2
		return 1
	}
}

# A compiler that cannot but be warm: clang, whose file is made unfit to be run once the warm
# compiler is there. $warm_clang is its name.
only_warm_clang() {
	mkdir -p ../llvm/bin ../client
	warm_clang=$(realpath ../llvm)/bin/clang
	cp "$(readlink -f "$(command -v clang-22)")" "$warm_clang"
	ln -sf "$(readlink -f "$(command -v clang-22)" | sed 's,/bin/clang.*,/lib,')" ../llvm/lib
	ln -sf "$build/dtlto-warm.so" ../client
	stand_in ../client/dtlto-warm <<-END
		until readlink /proc/[0-9]*/exe | grep -qxF '$warm_clang'; do sleep 0.01; done
		chmod a-x '$warm_clang'
		echo x >>'$BATS_TEST_TMPDIR/calls'
		exec '$build/dtlto-warm' "\$@"
	END
	export DTLTO_NINJA_WARM=$BATS_TEST_TMPDIR/client DTLTO_NINJA_OPTIONS=--warm
}

# Links with ld.lld and the options given, plainly and warm, and compares.
compare_links() {
	DTLTO_NINJA_OPTIONS=--no-warm ld.lld-22 --thinlto-distributor="$dtlto" \
		--thinlto-remote-compiler="$(command -v clang-22)" "$@" -o plain
	only_warm_clang
	ld.lld-22 --thinlto-distributor="$dtlto" --thinlto-remote-compiler="$warm_clang" "$@" -o warm
	[[ ! -x $warm_clang ]]
	cmp plain warm
	none_runs "$warm_clang"
}

@test "an ELF program, from objects" {
	need_warm ld.lld-22
	demo_objects
	compare_links -shared "${demo_list[@]}"
	[[ $(wc -l <../calls) == 5 ]]
	only_files "${demo_list[@]}" plain warm
}

@test "debug information" {
	need_warm ld.lld-22
	demo_objects -g
	compare_links -shared "${demo_list[@]}"
}

@test "an archive, and names that are strange" {
	need_warm ld.lld-22 llvm-ar-22
	demo_objects
	mv sum.o $'su m\n$;"\'.o'
	llvm-ar-22 rcs lib.a square.o prime.o
	compare_links -shared main.o $'su m\n$;"\'.o' table.o --whole-archive lib.a
}

@test "COFF" {
	need_warm lld-link-22
	echo 'int f(int); __declspec(dllexport) int g(int x) { return f(x) + 1; }' >g.c
	echo 'int f(int x) { return x * 2; }' >f.c
	compile --target=x86_64-pc-windows-msvc g.c f.c
	lld=(lld-link-22 -dll -noentry -Brepro g.o f.o "-thinlto-distributor:$dtlto")
	DTLTO_NINJA_OPTIONS=--no-warm "${lld[@]}" -out:g.dll "-thinlto-remote-compiler:$(command -v clang-22)"
	mv g.dll plain.dll
	only_warm_clang
	"${lld[@]}" -out:g.dll "-thinlto-remote-compiler:$warm_clang"
	cmp plain.dll g.dll
}

@test "objects as from a serial run, with the oracle" {
	need_warm ld.lld-22
	demo_objects -g
	use_oracle
	DTLTO_NINJA_OPTIONS=--warm link -g "${demo_list[@]}" -o numbers
	verdict "works: 5 objects the same"
}

@test "llvm clang: the compiler's first argument is a subcommand" {
	need_warm
	program cc <<<'FILE *f = fopen(out, "w"); for (int i = 1; i < argc; i++) fprintf(f, "%s ", argv[i]); fputs(warm, f); fclose(f);'
	describe x.json ./cc a
	sed -i 's,"args":\["./cc"\],"args":["./cc"\,"clang"\,"x y"],' x.json
	"$dtlto" -q --warm x.json
	[[ $(cat a.o) == "clang x y a.bc a.o warm" ]]
}

@test "a compiler of PATH, through a symbolic link, and a long path to the folder" {
	need_warm
	long=$(printf 'x%.0s' {1..120})
	mkdir "$long" bin
	cd "$long"
	program tool <<<'put(out, strcmp(argv[0], "my-cc") ? argv[0] : program_invocation_short_name); if (!is_warm()) return 1;'
	mv tool ../bin
	ln -s tool ../bin/my-cc
	describe x.json my-cc a b
	PATH=$PWD/../bin:$PATH "$dtlto" -q --warm x.json
	made my-cc
}

# What a compilation can know of its surroundings.
look_around() {
	program cc <<-'END'
		FILE *f = fopen(out, "w"), *h = fopen("/tmp/../proc/self/status", "r");
		char line[4096];
		for (int i = 0; i < argc; i++)
			fprintf(f, "arg %s\n", argv[i]);
		for (int i = 0; environ[i]; i++)
			if (strncmp(environ[i], "_=", 2))
				fprintf(f, "env %s\n", environ[i]);
		fprintf(f, "cwd %s\n", getcwd(line, sizeof line));
		fprintf(f, "umask %o\n", umask(0));
		for (int i = 0; i < RLIM_NLIMITS; i++) {
			struct rlimit r;
			getrlimit(i, &r);
			fprintf(f, "limit %d %ld %ld\n", i, (long)r.rlim_cur, (long)r.rlim_max);
		}
		fprintf(f, "nice %d, ours %d\n", getpriority(PRIO_PROCESS, 0), getpgid(0) == getpgid(getppid()));
		while (fgets(line, sizeof line, h))
			if (!strncmp(line, "Sig", 3) || !strncmp(line, "Shd", 3) || !strncmp(line, "Cpus", 4) ||
			    !strncmp(line, "Groups", 6) || !strncmp(line, "Uid", 3) || !strncmp(line, "Threads", 7))
				if (strncmp(line, "SigQ", 4)) {
					/* glibc's own signals, which posix_spawn ignores, and which no program can. */
					if (!strncmp(line, "SigIgn:", 7))
						sprintf(line, "SigIgn: %lx\n", strtol(line + 7, 0, 16) & ~0x180000000);
					fputs(line, f);
				}
		fclose(h);
		for (int i = 0; i < 100; i++) {
			char path[64], target[4096] = "";
			snprintf(path, sizeof path, "/proc/self/fd/%d", i);
			if (i != fileno(f) && readlink(path, target, sizeof target - 1) > 0)
				fprintf(f, "fd %d %s\n", i, strncmp(target, "pipe:", 5) ? target : "pipe");
		}
		fclose(f);
		snprintf(line, sizeof line, "%s.how", out);
		put(line, warm);
	END
}

# Runs it plainly and warm with the template on standard input and compares; warm, it is run $1.
compare_surroundings() {
	cat >t.ninja
	describe x.json "$PWD/cc" a
	sed -i "s,\"a.o\",\"$PWD/a.o\",g" x.json
	"$dtlto" -q --no-warm --template=./t.ninja x.json
	[[ $(cat a.o.how) == plain ]]
	mv a.o plain
	"$dtlto" -q --template=./t.ninja --warm x.json
	# In the plain way a shell is the parent, and its child in its group.
	diff <(sed 's/, ours.*//' plain) <(sed 's/, ours.*//' a.o)
	[[ $(cat a.o.how) == "$1" ]] || {
		echo "expected it $1, found it $(cat a.o.how)"
		return 1
	}
}

@test "the surroundings of a compilation are those of the request" {
	need_warm
	look_around
	compare_surroundings warm <<-'END'
		rule backend
		  command = $dtlto_warm$compiler $common_args $args
	END
	grep -qx 'fd 0 /dev/null' a.o
}

@test "... directory, umask, limits, priority, processors, signals and descriptors" {
	need_warm taskset nice
	look_around
	mkdir sub
	echo text >file
	compare_surroundings warm <<-'END'
		rule backend
		  command = cd sub && umask 0027 && ulimit -n 200 && ulimit -S -c 0 && ulimit -f 100000 && $
		    trap '' USR1 && trap '' INT && exec 7<../file 4>&1 9>&2 && $
		    nice -n 7 taskset -c 0 $dtlto_warm $compiler $common_args $args
	END
	grep -qx 'umask 27' a.o
	grep -qx 'fd 7 .*/file' a.o
}

@test "... signals that were ignored or blocked when dtlto-ninja was started" {
	need_warm
	look_around
	cat >t.ninja <<-'END'
		rule backend
		  command = $dtlto_warm$compiler $common_args $args
	END
	describe x.json "$PWD/cc" a
	odd=(env --ignore-signal="HUP,USR2" --block-signal=USR1)
	"${odd[@]}" "$dtlto" -q --no-warm --template=./t.ninja x.json
	mv a.o plain
	"${odd[@]}" "$dtlto" -q --template=./t.ninja --warm x.json
	diff <(grep Sig plain) <(grep Sig a.o)
	[[ $(cat a.o.how) == warm ]]
}

@test "what cannot be had in a child makes it plain" {
	need_warm
	look_around
	for change in 'export MALLOC_ARENA_MAX=3' 'unset HOME' 'ulimit -s 4096' 'ulimit -v 4000000'; do
		compare_surroundings plain <<-END
			rule backend
			  command = $change && \$dtlto_warm\$compiler \$common_args \$args
		END
	done
}

@test "another compiler in its place is run plainly" {
	need_warm
	simple_program
	cp cc other
	describe x.json ./cc a b
	cat >t.ninja <<-'END'
		rule backend
		  command = $dtlto_warm ./other $common_args $args
	END
	"$dtlto" -q --warm -t ./t.ninja x.json
	made plain
}

@test "compilers that cannot be kept warm are named by -v, and run plainly" {
	need_warm
	simple_program
	describe x.json ./cc a b
	run -0 "$dtlto" -v --warm x.json
	says "keeping the compiler './cc' warm"
	made warm
	plainly() {
		run -0 "$dtlto" -v "${@:2}" x.json
		says "$1"
		made plain
		[[ $("$dtlto" -q "${@:2}" x.json 2>&1) == "" ]]
	}
	printf 'rule backend\n  command = $compiler $common_args $args\n' >plain.ninja
	plainly "cannot keep the compiler warm: the template './plain.ninja' has no \$dtlto_warm" --warm -t ./plain.ninja
	# Empty, for the sanitizers' sake.
	LD_PRELOAD='' plainly \
		"cannot keep the compiler './cc' warm: LD_PRELOAD or LD_AUDIT is set" --warm
	chmod u+s cc
	plainly "cannot keep the compiler './cc' warm: it runs with privileges of its own (set-user-ID or the like)" --warm
	simple_program -static
	plainly "cannot keep the compiler './cc' warm: it is statically linked" --warm
	mv cc elf
	stand_in cc <<<'exec ./elf "$@"'
	plainly "cannot keep the compiler './cc' warm: it is a script, or no program of this system" --warm
	simple_program
	printf '\x2a\x00' | dd of=cc bs=1 seek=18 conv=notrunc status=none
	run "$dtlto" -v --warm x.json
	says "cannot keep the compiler './cc' warm: it is a program for another machine"
}

@test "another C library, threads and a changed environment make it plain" {
	need_warm
	simple_program '-Wl,--dynamic-linker=/lib/ld-other.so'
	describe x.json ./cc a b
	run "$dtlto" -v --warm x.json
	says "cannot keep the compiler './cc' warm: it has another C library"
	echo 'static void *nap(void *p) { for (;;) pause(); }
		__attribute__((constructor)) static void begin(void) { pthread_t t; pthread_create(&t, 0, nap, 0); }' >functions.c
	simple_program
	"$dtlto" -q --warm x.json
	made plain
	# The constructors of the program come before it serves; it must notice.
	echo '__attribute__((constructor)) static void begin(void) { if (getenv("DTLTO_WARM_SERVER")) _exit(7); }' >functions.c
	simple_program
	"$dtlto" -q --warm x.json
	made warm
}

@test "a compiler that hangs or dies before it is ready" {
	need_warm
	describe x.json ./cc a b
	for behaviour in 'for (;;) pause()' 'raise(SIGKILL)' 'exit(0)'; do
		# A server has no working standard input, output or error: all three are /dev/null.
		cat >functions.c <<-END
			__attribute__((constructor)) static void begin(void)
			{
				char a[99] = "", b[99] = "";
				(void)!readlink("/proc/self/fd/1", a, 98);
				if (!strcmp(a, "/dev/null")) { $behaviour; }
			}
		END
		simple_program
		run -0 "$dtlto" -q --warm x.json
		[[ $output == "" ]] || {
			echo "$behaviour: $output"
			return 1
		}
		made plain
	done
	none_runs ./cc
}

# Runs x.json plainly and warm; statuses and messages must be the same, but for how long it took.
compare_failures() {
	local status=0 warm_status=0
	"$dtlto" "$@" --no-warm -j1 x.json >plain 2>&1 || status=$?
	"$dtlto" "$@" --warm -j1 x.json >warm 2>&1 || warm_status=$?
	diff <(sed '/ modules\? in [0-9.]* s, /d' plain) \
		<(sed "s,$build/dtlto-warm [^ ]* ,,; / modules\? in [0-9.]* s, /d" warm)
	[[ $status == "$1" || $status == "$warm_status" ]]
}

@test "failing and dying compilations: the same status and messages" {
	need_warm
	describe x.json "$PWD/cc" a b
	for behaviour in 'return 7' 'return 255' 'abort()' 'raise(SIGSEGV)' 'raise(SIGKILL)' 'raise(SIGTERM)' \
		'raise(SIGINT)' 'return 0' 'setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1}); for (;;) continue'; do
		program cc <<-END
			puts("said on stdout");
			fflush(stdout);
			fputs("said on stderr\n", stderr);
			$behaviour;
		END
		compare_failures -k0
	done
	program cc <<<'put(out, warm);'
	compare_failures -q
	made warm
}

@test "clang's own failures: the same status and messages" {
	need_warm ld.lld-22
	describe x.json "$(command -v clang-22)" a b
	compare_failures -k0
	sed -i 's|"args":\["a.bc","a.o"\]|"args":["-fno-such-option"]|' x.json
	compare_failures -k0
	sed -i 's|"-fno-such-option"|"-c","-x","c","a.bc","-o","a.o"|' x.json
	echo '#pragma clang __debug crash' >a.bc
	TMPDIR=$PWD FORCE_CLANG_DIAGNOSTICS_CRASH='' run "$dtlto" --warm x.json
	[[ $status == 1 ]]
}

@test "a compiler that writes a lot" {
	need_warm
	program cc <<<'for (int i = 0; i < 200000; i++) printf("line %d of %s\n", i, out); put(out, warm);'
	describe x.json ./cc a b
	"$dtlto" -q -j2 --warm x.json >lines 2>&1
	made warm
	[[ $(wc -l <lines) == 400000 ]]
}

@test "many at a time, and long commands" {
	need_warm
	simple_program
	names=(a b c{100..250})
	describe x.json ./cc "${names[@]}"
	"$dtlto" -q -j60 --warm x.json
	made warm
	cat ./*.o >all
	[[ $(sed 's/warm/./g' all | tr -d '\n' | wc -c) == "${#names[@]}" ]]
	long=$(head -c 130500 /dev/zero | tr '\0' x)
	describe x.json ./cc a
	sed -i "s,\"args\":\[\"a.bc\",\"args\":[\"$long\"\,\"a.bc\"," x.json
	run -0 "$dtlto" -v --warm x.json
	[[ $(cat a.o) == warm ]]
}

@test "without --warm: where there are more than twice as many jobs as run at a time" {
	need_warm
	simple_program
	try() { # HOW NAMES OPTIONS
		rm -f ./*.o
		# shellcheck disable=SC2086 # a list of words
		describe x.json ./cc $2
		env -u DTLTO_NINJA_OPTIONS "$dtlto" "${@:3}" x.json >out 2>&1
		made "$1"
	}
	try plain 'a b c d e' -q -j2
	try warm 'a b c d e f' -q -j2
	try warm 'a b c d' -q -j1
	try plain 'a b c d e f' -q -j0
	try plain 'a b c d e f' -q -j2 --no-warm
	try plain 'a b c d e f' -q -j2 --warm --no-warm
	try warm 'a b' -q --no-warm --warm
	try warm 'a b c d e f' -v -j2
	grep -qx "dtlto-ninja: keeping the compiler './cc' warm" out
	try plain 'a b c d e' -v -j2
	lacks ' warm' <out
	export DTLTO_NINJA_WARM=/nowhere
	try plain 'a b c d e f' -j2
	lacks '^dtlto-ninja' <out
	try plain 'a b c d e f' -v -j2
	grep -q "^dtlto-ninja: cannot keep the compiler './cc' warm: found no dtlto-warm" out
}

@test "the code of a large compiler goes to huge pages in a link of many modules" {
	need_warm
	[[ $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>&1) != *'[never]'* &&
		-e /sys/kernel/mm/transparent_hugepage/enabled ]] || skip "this system has no huge pages"
	cat >functions.c <<-'END'
		__asm__(".text\n.globl code\ncode: .fill 40 * 1024 * 1024, 1, 0\n");
		extern char code[];
		/* Whether this address lies in huge pages. */
		static int is_huge(const char *address)
		{
			unsigned long from, to, size, inside = 0;
			char line[4096];
			FILE *file = fopen("/proc/self/smaps", "r");
			while (fgets(line, sizeof line, file)) {
				if (sscanf(line, "%lx-%lx r-xp", &from, &to) == 2)
					inside = from <= (unsigned long)address && (unsigned long)address < to;
				else if (inside && sscanf(line, "AnonHugePages: %lu", &size) == 1)
					return size >= 32 * 1024;
			}
			return 0;
		}
	END
	program cc <<<'put(out, is_huge(code + (20 << 20)) ? "huge" : warm);'
	local names=({a..t})
	describe x.json ./cc "${names[@]}"
	run -0 "$dtlto" -q --warm -j1 x.json
	[[ $(cat ./*.o | grep -o warm | wc -l) == 15 && $(cat ./*.o | grep -o huge | wc -l) == 5 ]]
	rm ./*.o
	run -0 "$dtlto" -q --no-warm -j1 x.json
	[[ $(cat ./*.o | grep -o plain | wc -l) == 20 ]]
}

@test "settings for malloc and limits on memory stay what rules" {
	need_warm
	# What malloc takes from the kernel at a time shows in how far the heap's end is.
	program cc <<<'
		char *first = malloc(100000), *block = malloc(100000);
		put(out, first && (char *)sbrk(0) - block > 32 << 20 ? "large steps" : "as usual");'
	describe x.json ./cc a
	run -0 "$dtlto" -q --warm x.json
	[[ $(cat a.o) == 'large steps' ]]
	MALLOC_TOP_PAD_=4096 run -0 "$dtlto" -q --warm x.json
	[[ $(cat a.o) == 'as usual' ]]
	GLIBC_TUNABLES=glibc.malloc.top_pad=4096 run -0 "$dtlto" -q --warm x.json
	[[ $(cat a.o) == 'as usual' ]]
	[[ $build != *-sanitize ]] || return 0 # it needs more memory than can be limited
	(ulimit -d 4000000 && exec "$dtlto" -q --warm x.json)
	[[ $(cat a.o) == 'as usual' ]]
}

@test "a kept manifest works by hand" {
	need_warm
	simple_program
	describe x.json ./cc a b
	run -0 "$dtlto" -q --keep --warm x.json
	made warm
	rm a.o b.o
	ninja -f dtlto-ninja.*/build.ninja >/dev/null
	made plain
	rm -r dtlto-ninja.*
	"$dtlto" --generate --warm -o build.ninja x.json
	lacks 'dtlto_warm =' <build.ninja
	rm a.o b.o
	ninja -f build.ninja >/dev/null
	made plain
}

@test "files of --warm that are missing: a warning" {
	need_warm
	simple_program
	describe x.json ./cc a b
	DTLTO_NINJA_WARM=/nowhere run -0 "$dtlto" -q --warm x.json
	says 'warning: --warm does nothing: found no dtlto-warm and dtlto-warm.so, or a path that LD_PRELOAD does not take: /nowhere/dtlto-warm.so'
	made plain
}

# A compiler that does not end by itself, and the client that waits for it.
slow_compiler() {
	program cc <<-'END'
		put(out, "part");
		fflush(0);
		for (;;)
			pause();
	END
	cp cc "slow-$RANDOM$RANDOM"
	slow=$(echo "$PWD"/slow-*)
	describe x.json "$slow" a b c
}

start() {
	setsid env --default-signal "$dtlto" -j2 --warm x.json >out 2>&1 3>&- &
	pid=$!
	wait_until test -s a.o
	wait_until test -s b.o
}

# Processes whose program is the slow compiler: the server first.
slow_ones() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		[[ $(readlink "$exe") != "$slow" ]] || echo "${exe//[^0-9]/}"
	done
}
none_slow() {
	[[ -z $(slow_ones) ]]
}
nothing_left() {
	wait_until none_slow
	wait_until none_runs "$slow"
	wait_until only_files cc "${slow##*/}" x.json a.bc b.bc c.bc out 2>/dev/null
}

@test "INT, TERM, HUP and QUIT, to it and to its group" {
	need_warm
	slow_compiler
	local signal target status
	for signal in INT:130 TERM:143 HUP:129 QUIT:131; do
		for target in '' -; do
			start
			[[ $(slow_ones | wc -l) == 3 ]]
			kill -s "${signal%:*}" -- "$target$pid"
			status=0
			wait "$pid" || status=$?
			[[ $status == "${signal#*:}" ]]
			nothing_left
			[[ $(tail -n 1 out) == "dtlto-ninja: ended by signal "* ]]
		done
	done
}

@test "SIGKILL of dtlto-ninja, of all of its processes, and of ninja" {
	need_warm
	slow_compiler
	start
	kill -KILL "$pid"
	wait "$pid" || true
	nothing_left
	start
	# shellcheck disable=SC2046
	kill -KILL $(pgrep -s "$pid" -f "$dtlto -j2 --warm")
	wait "$pid" || true
	wait_until none_slow
	wait_until none_runs "$slow"
	rm -rf dtlto-ninja.* ./*.o
	start
	kill -KILL "$(pgrep -s "$pid" -x ninja)"
	wait "$pid" || true
	nothing_left
}

@test "SIGKILL of the guard" {
	need_warm
	slow_compiler
	start
	kill -KILL "$(pgrep -P "$pid")"
	status=0
	wait "$pid" || status=$?
	[[ $status == 3 ]]
	nothing_left
}

@test "SIGKILL of the warm compiler: its compilations fail" {
	need_warm
	slow_compiler
	start
	kill -KILL "$(pgrep -P "$(pgrep -P "$pid" -f dtlto-ninja)" -f "$slow --version")"
	status=0
	wait "$pid" || status=$?
	[[ $status == 1 ]]
	nothing_left
	grep -q '^dtlto-ninja: .* a compiler was killed' out || grep -q 'was killed' out
}

@test "SIGKILL and SIGTERM of a client alone: its compilation ends with it" {
	need_warm
	slow_compiler
	for signal in KILL TERM USR1; do
		start
		kill -s $signal "$(pgrep -s "$pid" -f "^$build/dtlto-warm .* a.bc")"
		status=0
		wait_until bash -c "[[ \$(pgrep -s $pid -f '^$slow' | wc -l) -lt 3 ]]"
		kill -TERM "$pid"
		wait "$pid" || status=$?
		[[ $status != 0 ]]
		nothing_left
	done
}

@test "another user's request is refused" {
	need_warm setpriv
	[[ $(id -u) == 0 ]] || skip "only root can be somebody else"
	program cc <<<'while (access("go", F_OK)) usleep(10000); put(out, warm);'
	describe x.json "$PWD/cc" a
	"$dtlto" -q --warm x.json 3>&- &
	pid=$!
	wait_until compgen -G 'dtlto-ninja.*/warm' >/dev/null
	chmod 777 . dtlto-ninja.* dtlto-ninja.*/warm
	parent=$PWD
	while [[ $parent != / ]]; do
		chmod a+x "$parent"
		parent=$(dirname "$parent")
	done
	cp "$build/dtlto-warm" client
	touch go
	wait "$pid"
	[[ $(cat a.o) == warm ]]
	rm go
	"$dtlto" -q --warm x.json 3>&- &
	pid=$!
	wait_until compgen -G 'dtlto-ninja.*/warm' >/dev/null
	chmod 777 dtlto-ninja.* dtlto-ninja.*/warm
	folder=$(echo dtlto-ninja.*)
	setpriv --reuid=65534 ./client "$folder/warm" "$PWD/cc" x other.o &
	other=$!
	sleep 0.5
	touch go
	wait "$other"
	[[ $(cat other.o) == plain ]]
	wait "$pid"
}

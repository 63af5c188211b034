#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# The manifest and the templates.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# Two jobs of the flat shape, whose compiler is a stand-in.
two_jobs() {
	stand_in cc <<<'echo "$*" >>log; echo object >"$2"'
	describe x.json ./cc a b
}

@test "a manifest, as it is read" {
	cd "$root/tests/fixtures"
	run --separate-stderr -0 "$dtlto" --generate -o - s2-landed-docs.json
	[[ $stderr == "dtlto-ninja: warning: s2-landed-docs.json: 5 inputs cannot be read now, and must be there when the manifest is run; the first is common.inputs[0], 'my.prof'" ]]
	# The version and the directory are not the same everywhere.
	diff - <(sed 's/dtlto-ninja [0-9.]*\.$/dtlto-ninja VERSION./; s/^\(#   directory *\).*/\1DIRECTORY/' <<<"$output") <<-'EOF'
		# The backend compilations of one ThinLTO link, written by dtlto-ninja VERSION.
		#   link of      dtlto.elf
		#   described in s2-landed-docs.json
		#   template     local
		#   directory    DIRECTORY
		# To run it by hand: ninja -f FILE, in that directory, while the inputs are there. The linker
		# removes them at its end unless it is given --save-temps.

		compiler = /usr/bin/clang
		common_args = -O2 -c -fprofile-sample-use=my.prof
		linker_output = dtlto.elf

		# local: every backend compilation runs on this machine, as the description has it. In a link of many,
		# $dtlto_warm has the compiler loaded once for all of them.
		rule backend
		  command = $dtlto_warm$compiler $common_args $args
		  description = $module

		build dtlto-ninja$:common-inputs: phony my.prof

		build t1.native.o t1.stats.txt: backend t1.o | t1.o.thinlto.bc dtlto-ninja$:common-inputs
		  args = t1.o -fthinlto-index=t1.o.thinlto.bc -o t1.native.o -fproc-stat-report=t1.stats.txt
		  module = t1.o

		build t2.native.o t2.stats.txt: backend t2.o | t2.o.thinlto.bc dtlto-ninja$:common-inputs
		  args = t2.o -fthinlto-index=t2.o.thinlto.bc -o t2.native.o -fproc-stat-report=t2.stats.txt
		  module = t2.o
	EOF
}

@test "the commands of the reference shape" {
	need ninja
	cd "$root/tests/fixtures"
	"$dtlto" --generate -o - s1-early2025-reconstructed.json >"$BATS_TEST_TMPDIR/x.ninja" 2>/dev/null
	run -0 ninja -f "$BATS_TEST_TMPDIR/x.ninja" -t commands
	diff - <(echo "$output") <<-'EOF'
		/usr/local/clang -O3 -fprofile-sample-use=my.profdata -o t1.1.77380.native.o -c -x ir t1.o -fthinlto-index=t1.1.77380.native.o.thinlto.bc
		/usr/local/clang -O3 -fprofile-sample-use=my.profdata -o t2.2.77380.native.o -c -x ir t2.o -fthinlto-index=t2.2.77380.native.o.thinlto.bc
	EOF
}

@test "descriptions that lld 22 wrote" {
	need ninja
	cd "$root/tests/fixtures"
	for fixture in llvm22-*.json; do
		"$dtlto" --generate -o "$BATS_TEST_TMPDIR/x.ninja" "$fixture"
		[[ $(ninja -f "$BATS_TEST_TMPDIR/x.ninja" -t commands | wc -l) == 2 ]]
	done
	[[ ! -e .ninja_log ]]
}

@test "ninja's tools work on it" {
	need ninja
	two_jobs
	"$dtlto" --generate x.json
	[[ $(ninja -f x.ninja -t commands) == $'./cc  a.bc a.o\n./cc  b.bc b.o' ]]
	ninja -f x.ninja -t graph | grep -q 'label="a.o"'
	[[ $(ninja -f x.ninja -t compdb backend | grep -c '"command": "./cc') == 2 ]]
	[[ $(ninja -f x.ninja -t targets all) == $'a.o: backend\nb.o: backend' ]]
}

@test "--generate writes beside the description, runs nothing, and plain ninja runs it" {
	need ninja
	two_jobs
	touch build.ninja
	run --separate-stderr -0 "$dtlto" --generate x.json
	[[ $stderr == "dtlto-ninja: wrote x.ninja; run it with: ninja -f x.ninja" && -z $output ]]
	only_files cc x.json x.ninja build.ninja a.bc b.bc
	[[ ! -s build.ninja ]]
	ninja -f x.ninja
	[[ $(sort log) == $'a.bc a.o\nb.bc b.o' ]]
}

@test "--generate replaces a file only when the new one is complete" {
	two_jobs
	echo old >out.ninja
	head -c -3 x.json >cut.json
	run -2 "$dtlto" --generate -o out.ninja cut.json
	[[ $(cat out.ninja) == old ]]
	only_files cc x.json cut.json a.bc b.bc out.ninja
	run --separate-stderr -2 "$dtlto" --generate -o - cut.json
	[[ -z $output ]]
	umask 027
	"$dtlto" --generate -o out.ninja x.json
	[[ $(stat -c %a out.ninja) == 640 ]]
	# Not a file: written to, never replaced.
	"$dtlto" --generate -o /dev/null x.json
	[[ -c /dev/null ]]
}

@test "--generate into what cannot be written" {
	two_jobs
	run -3 "$dtlto" --generate -o no/out.ninja x.json
	says "cannot write 'no/out.ninja': No such file or directory"
	run -3 "$dtlto" --generate -o /dev/full x.json
	says "cannot write '/dev/full': No space left on device"
	run -3 sh -c "'$dtlto' --generate -o - x.json >/dev/full"
	says "cannot write 'stdout': No space left on device"
}

@test "--keep says where, and what it leaves can be run again" {
	need ninja
	two_jobs
	run -0 "$dtlto" -q --keep x.json
	folder=$(echo dtlto-ninja.*)
	[[ $output == "dtlto-ninja: kept the manifest and ninja's log in $folder" ]]
	[[ $(stat -c %a "$folder") == 700 ]]
	[[ -s $folder/.ninja_log ]]
	rm a.o log
	ninja -f "$folder/build.ninja"
	[[ $(cat log) == "a.bc a.o" ]]
	only_files cc log x.json a.bc b.bc a.o b.o "$folder" "$folder"/{build.ninja,.ninja_log}
}

@test "the private folder is beside the description, also in a folder with a hard name" {
	need ninja
	for hard in 'a b' "it's" 'a$b' ' c:d|e ' $'new\nline' $'return\r'; do
		mkdir -- "$hard"
		echo module >"$hard/a.bc"
		stand_in cc <<<'ls -d "$(dirname "$2")"/dtlto-ninja.* >seen; echo object >"$2"'
		name=${hard//$'\n'/\\n}
		name=${name//$'\r'/\\r}
		echo '{"common":{"linker_output":"p","args":["./cc"],"inputs":[]},"jobs":[{"args":["NAME/a.bc","NAME/a.o"],"inputs":["NAME/a.bc"],"outputs":["NAME/a.o"]}]}' >"$hard/x.json"
		description=$(cat -- "$hard/x.json")
		echo "${description//NAME/"$name"}" >"$hard/x.json"
		"$dtlto" -q "$hard/x.json"
		[[ -s $hard/a.o ]]
		# Not where ninja cannot be told the name.
		[[ $hard == *[$'\n\r']* || $(cat seen) == "$hard"/dtlto-ninja.* ]]
		rm -r -- "$hard" cc seen
		only_files
	done
}

@test "names behind .. and a symbolic link: ninja does not look for another file" {
	need ninja
	mkdir -p real/sub other
	ln -s real/sub link
	# link/../m.bc is real/m.bc; ninja takes it for m.bc, which is older than nothing: not there.
	stand_in cc <<<'cat "$1" >"$2"'
	echo right >real/m.bc
	printf '{"common":{"linker_output":"p","args":["./cc"],"inputs":["link/../m.bc"]},"jobs":[{"args":["link/../m.bc","link/../m.o"],"inputs":["link/../m.bc","other/../cc"],"outputs":["link/../m.o"]}]}' >x.json
	"$dtlto" -q --keep x.json
	[[ $(cat real/m.o) == right ]]
	# What can be told is told.
	grep -qx 'build dtlto-ninja$:job-0: backend | other/../cc' dtlto-ninja.*/build.ninja
	# Run again by hand, it still makes the file.
	rm real/m.o
	ninja -f dtlto-ninja.*/build.ninja
	[[ $(cat real/m.o) == right ]]
}

@test "jobs before common" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	echo module >a.bc
	echo '{"jobs":[{"outputs":["a.o"],"inputs":["a.bc"],"args":["a.bc","a.o"]}],"common":{"inputs":[],"args":["./cc"],"linker_output":"p"}}' >x.json
	"$dtlto" -q x.json
	[[ -s a.o ]]
	cat x.json >pipe.json
	run -2 "$dtlto" -q <(cat x.json)
	grep -q "^dtlto-ninja: cannot go back in the job description '/dev/fd/.*', which must be a file: I[a-z]* seek" <<<"$output"
}

@test "keys that are not known: one warning for all of them" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	echo module >a.bc
	echo '{"new":{"a":[1,2.5e3,{"b":null}]},"common":{"linker_output":"p","args":["./cc"],"inputs":[],"more":true},"jobs":[{"args":["a.bc","a.o"],"inputs":["a.bc"],"outputs":["a.o"],"x":"y"},{"x":1,"args":["a.bc","b.o"],"inputs":["a.bc"],"outputs":["b.o"]}]}' >x.json
	run -0 "$dtlto" -q x.json
	[[ $output == "dtlto-ninja: warning: x.json: passed over keys that this version does not know: new, common.more, jobs[].x" ]]
}

@test "the linker's version and the compiler's" {
	need ninja
	stand_in cc <<<'[ "$1" = --version ] && echo "Some clang version 22.1.8 (x)" && exit; echo object >"$2"'
	echo module >a.bc
	for version in 'LLD 22.1.8' 'Debian LLD 22.1.8 (compatible with GNU linkers)'; do
		echo '{"common":{"linker_output":"p","linker_version":"'"$version"'","args":["./cc"],"inputs":[]},"jobs":[{"args":["a.bc","a.o"],"inputs":["a.bc"],"outputs":["a.o"]}]}' >x.json
		run -0 "$dtlto" -q x.json
		[[ -z $output ]]
	done
	sed -i 's/LLD 22.1.8/LLD 22.1.7/' x.json
	run -0 "$dtlto" -q x.json
	[[ $output == "dtlto-ninja: warning: x.json: common.linker_version: the linker is version 22.1.7, but the compiler './cc' is version 22.1.8" ]]
}

# One job whose command is $1 bytes long, as ninja hands it to the shell, with an argument that
# needs quotes. The compiler checks that all of it arrives.
long_command() {
	stand_in cc <<-'EOF'
		case $1 in @*) rsp=${1#@}; echo "response file" >how; cp "$rsp" rsp; echo object >a.o; exit; esac
		echo "command line" >how
		printf '%s' "$*" | wc -c >length
		echo object >a.o
	EOF
	echo module >a.bc
	# ./cc, two blanks for no common arguments, the quoted argument, a blank, the filler.
	filler=$(head -c $(($1 - 4 - 2 - 9 - 1)) /dev/zero | tr '\0' x)
	echo '{"common":{"linker_output":"p","args":["./cc"],"inputs":[]},"jobs":[{"args":["it is $","'"$filler"'"],"inputs":["a.bc"],"outputs":["a.o"]}]}' >x.json
}

@test "a command of 131071 bytes runs as it is" {
	need ninja
	long_command 131071
	"$dtlto" -q x.json
	[[ $(cat how) == "command line" ]]
	[[ $(cat length) == $((131071 - 4 - 2 - 2)) ]]
}

@test "a command of 131072 bytes runs through a response file, which does not stay" {
	need ninja
	long_command 131072
	"$dtlto" -q x.json
	[[ $(cat how) == "response file" ]]
	[[ $(cat rsp) == 'it\ is\ $ '"$filler" ]]
	only_files cc x.json a.bc a.o how rsp
	# Nor with a manifest that is run by hand.
	rm a.o
	"$dtlto" --generate x.json 2>/dev/null
	ninja --quiet -f x.ninja
	[[ $(cat rsp) == 'it\ is\ $ '"$filler" ]]
	only_files cc x.json a.bc a.o how rsp x.ninja .ninja_log
}

@test "long commands, long common arguments and hard words, with real clang" {
	need clang-22 ld.lld-22 ninja
	echo 'int f(int); int main(void) { return f(1) != 2; }' >main.c
	echo 'int f(int x) { return x + 1; }' >$'hard "\'\\ $\nf.c'
	compile main.c
	compile $'hard "\'\\ $\nf.c' -o $'hard "\'\\ $\nf.o'
	filler=$(printf 'x%.0s' {1..3000})
	arguments=()
	for ((i = 0; i < 60; i++)); do
		arguments+=("-Wl,--thinlto-remote-compiler-arg=-DA$i=\"$filler \\\$'")
	done
	use_oracle
	link main.o $'hard "\'\\ $\nf.o' "${arguments[@]}" -Wl,--save-temps -Xthinlto-distributor=--keep -o prog
	verdict "works: 2 objects the same"
	./prog
	[[ $(grep -c '^  rspfile = ' dtlto-ninja.*/build.ninja) == 2 ]]
}

@test "a long command that nothing can shorten" {
	echo module >a.bc
	filler=$(head -c 140000 /dev/zero | tr '\0' x)
	newline='\n'
	echo '{"common":{"linker_output":"p","args":["cc"],"inputs":[]},"jobs":[{"args":["a'"$newline$filler"'"],"inputs":["a.bc"],"outputs":["a.o"]}]}' >x.json
	run -2 "$dtlto" x.json
	says "x.json: jobs[0].args: expected a command of at most 131071 bytes, or one that a response file can shorten, found one that stays longer"
	only_files x.json a.bc
}

@test "a compiler with a subcommand, also with a long command" {
	need ninja
	stand_in llvm <<<'[ "$1" = clang ] || exit 1; echo object >a.o'
	echo module >a.bc
	for length in 10 140000; do
		filler=$(head -c $length /dev/zero | tr '\0' x)
		echo '{"common":{"linker_output":"p","args":["./llvm","clang","-O2"],"inputs":[]},"jobs":[{"args":["'"$filler"'"],"inputs":["a.bc"],"outputs":["a.o"]}]}' >x.json
		"$dtlto" -q x.json
	done
}

@test "a compiler whose name the shell would take for something else" {
	need ninja
	mkdir bin
	for name in if time 'a=b' '~' '#cc'; do
		printf '#!/bin/sh\necho object >a.o\n' >"bin/$name"
		chmod +x "bin/$name"
		echo '{"common":{"linker_output":"p","args":["'"$name"'"],"inputs":[]},"jobs":[{"args":[],"inputs":[],"outputs":["a.o"]}]}' >x.json
		PATH=$PWD/bin:$PATH "$dtlto" -q x.json
	done
}

# A template of that content, which leaves a mark of its use.
marked_template() {
	printf 'rule backend\n  command = echo %s >>marks; $compiler $common_args $args\n' "$1"
}

@test "templates are found by name: environment, configuration, built in, installed; and as files" {
	need ninja
	two_jobs
	export HOME=$PWD/home XDG_CONFIG_HOME=$PWD/config DTLTO_NINJA_TEMPLATES=$PWD/one::$PWD/two
	mkdir -p one two config/dtlto-ninja/templates home/.config/dtlto-ninja/templates
	marked_template two >two/mine.ninja
	marked_template config >config/dtlto-ninja/templates/mine.ninja
	marked_template home >home/.config/dtlto-ninja/templates/mine.ninja
	marked_template file >mine.ninja
	"$dtlto" -q --template=mine x.json
	DTLTO_NINJA_TEMPLATES='' "$dtlto" -q -t mine x.json
	env -u DTLTO_NINJA_TEMPLATES -u XDG_CONFIG_HOME "$dtlto" -q -t mine x.json
	"$dtlto" -q -t ./mine.ninja x.json
	"$dtlto" -q -t mine.ninja x.json
	[[ $(uniq marks | xargs) == "two config home file" ]]
	[[ $("$dtlto" --print-template mine) == "$(cat two/mine.ninja)" ]]
	[[ $("$dtlto" --print-template=./mine.ninja) == "$(cat mine.ninja)" ]]
	[[ $("$dtlto" --print-template local) == "$(cat "$root/templates/local.ninja")" ]]
	run -0 "$dtlto" --list-templates
	[[ $(grep -c "built in" <<<"$output") == 6 ]]
	grep -qxE "local +built in" <<<"$output"
	grep -qxE "distcc +built in" <<<"$output"
	grep -qxE "icecream +built in" <<<"$output"
	grep -qxE "ccache +built in" <<<"$output"
	grep -qxF "mine            $PWD/two/mine.ninja" <<<"$output"
	[[ ${#lines[@]} == 7 ]]
	# One's own local goes before the built-in one.
	marked_template own >one/local.ninja
	"$dtlto" -q x.json
	[[ $(tail -n 1 marks) == own ]]
}

@test "a template is in the manifest as it is, and may use all variables" {
	need ninja
	two_jobs
	cat >mine.ninja <<-'EOF'
		# A comment, and a pool.
		pool few
		  depth = 1
		rule backend
		  pool = few
		  command = echo $linker_output $module >>marks && $compiler $common_args $args
	EOF
	run -0 "$dtlto" -q --keep -t mine.ninja x.json
	grep -qF "$(cat mine.ninja)" dtlto-ninja.*/build.ninja
	[[ $(sort marks) == $'prog a.bc\nprog b.bc' ]]
}

@test "a template that does not end in a newline, and a manifest that does" {
	need ninja
	two_jobs
	printf '%s' "$(marked_template x)" >mine.ninja
	"$dtlto" -q -t mine.ninja x.json
}

@test "templates that are none get a message before anything runs" {
	need ninja
	two_jobs
	echo stale >a.o
	printf 'rule other\n  command = true\n' >mine.ninja
	run -2 "$dtlto" -t mine.ninja x.json
	[[ $output == "dtlto-ninja: the template 'mine.ninja' does not define the rule 'backend'" ]]
	printf 'rule backend\n  command\n' >mine.ninja
	run -2 "$dtlto" -t mine.ninja x.json
	[[ $output == "dtlto-ninja: the template 'mine.ninja' is no ninja file: mine.ninja:2: expected '=', got newline" ]]
	printf 'rule backend\n  command = a\0b\n' >mine.ninja
	run -2 "$dtlto" -t mine.ninja x.json
	[[ $output == "dtlto-ninja: the template 'mine.ninja' is no ninja file: it holds a NUL byte" ]]
	run -2 "$dtlto" -t mine x.json
	[[ $output == "dtlto-ninja: no template is called 'mine'; --list-templates lists them, and a file is named with a '/' or '.ninja'" ]]
	run -2 "$dtlto" -t ./no.ninja x.json
	[[ $output == "dtlto-ninja: cannot read the template './no.ninja': No such file or directory" ]]
	run -2 "$dtlto" --generate -t ./ x.json
	[[ $output == "dtlto-ninja: cannot read the template './': Is a directory" ]]
	[[ $(cat a.o) == stale && ! -e log ]]
	only_files cc x.json a.bc b.bc a.o mine.ninja
}

@test "the length of a command is that of the template's rule" {
	need ninja
	long_command 70000
	# The arguments twice: more than the kernel takes, unless they are in a response file.
	printf 'rule backend\n  command = : $args $\n      ; $compiler $common_args ${args}\n' >twice.ninja
	"$dtlto" -q -t twice.ninja x.json
	[[ $(cat how) == "response file" ]]
	# Comments do not count.
	{
		head -c 200000 /dev/zero | tr '\0' '#'
		printf '\nrule backend\n  command = $compiler $common_args $args\n'
	} >long.ninja
	rm a.o
	"$dtlto" -q -t long.ninja x.json
	[[ $(cat how) == "command line" ]]
}

@test "a template with a default statement, which would build nothing" {
	need ninja
	two_jobs
	{
		marked_template x
		printf 'build other: phony\ndefault other\n'
	} >mine.ninja
	run -2 "$dtlto" -t mine.ninja x.json
	[[ $output == "dtlto-ninja: the template 'mine.ninja' has a default statement: ninja would build that and no backend compilation" ]]
}

@test "files that dtlto-ninja itself reads or writes are nobody's output" {
	two_jobs
	cp x.json ../x.json
	cp a.bc ../a.bc
	run -2 "$dtlto" --generate -o ./x.json x.json
	says "the manifest would replace the job description itself: './x.json'"
	run -2 "$dtlto" --generate -o a.bc x.json
	says "x.json: jobs[0].inputs[0]: expected a file of its own, found the manifest: 'a.bc'"
	run -2 "$dtlto" --generate -o a.o x.json
	says "x.json: jobs[0].outputs[0]: expected a file of its own, found the manifest: 'a.o'"
	marked_template x >mine.ninja
	run -2 "$dtlto" --generate -t ./mine.ninja -o mine.ninja x.json
	says "the manifest would replace the template: 'mine.ninja'"
	cmp x.json ../x.json
	cmp a.bc ../a.bc
	sed 's/b\.o/y.json/g' x.json >y.json
	run -2 "$dtlto" y.json
	says "y.json: jobs[1].outputs[0]: expected a file of its own, found the job description itself: 'y.json'"
	sed 's/b\.o/mine.ninja/g' x.json >y.json
	run -2 "$dtlto" -t ./mine.ninja y.json
	says "y.json: jobs[1].outputs[0]: expected a file of its own, found the template: 'mine.ninja'"
	only_files cc x.json y.json a.bc b.bc mine.ninja
}

@test "an input that is a link to an output is not lost" {
	two_jobs
	rm b.bc
	echo precious >a.o
	ln -s a.o b.bc
	run -2 "$dtlto" x.json
	says "x.json: jobs[1].inputs[0]: expected a file of its own, found an output of jobs[0]: 'b.bc'" ||
		says "x.json: jobs[0].outputs[0]: expected a file of its own, found an input of jobs[1]: 'a.o'"
	[[ $(cat a.o) == precious ]]
	# The link before the output.
	rm b.bc
	describe x.json ./cc b a
	rm b.bc
	ln -s a.o b.bc
	run -2 "$dtlto" x.json
	says "x.json: jobs[1].outputs[0]: expected a file of its own, found an input of jobs[0]: 'a.o'"
	[[ $(cat a.o) == precious ]]
}

@test "a description on standard input" {
	need ninja
	two_jobs
	TMPDIR=$PWD/tmp
	mkdir "$TMPDIR"
	TMPDIR=$TMPDIR "$dtlto" -q /dev/stdin <x.json
	[[ $(sort log) == $'a.bc a.o\nb.bc b.o' ]]
	mkfifo pipe
	cat x.json >pipe &
	TMPDIR=$TMPDIR "$dtlto" -q pipe
	[[ -z $(ls tmp) ]]
}

@test "a template that includes the one with the rule" {
	need ninja
	two_jobs
	marked_template included >rule.ninja
	echo 'include rule.ninja' >mine.ninja
	"$dtlto" -q -t mine.ninja x.json
	[[ $(uniq marks) == included ]]
}

@test "the largest module comes first" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b c d
	head -c 1000 /dev/zero >c.bc
	head -c 5000 /dev/zero >b.bc
	run --separate-stderr -0 "$dtlto" -j1 x.json
	[[ $stderr == $'ThinLTO [1/4] b.bc\nThinLTO [2/4] c.bc\nThinLTO [3/4] a.bc\nThinLTO [4/4] d.bc' ]]
}

@test "a description of more than 4 MiB: imports are checked, and not in the manifest" {
	need ninja
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b
	sed -i 's/"inputs":\["a.bc"\]/"inputs":["a.bc","a.idx","imported.bc"]/' x.json
	touch a.idx imported.bc
	"$dtlto" --generate -o - x.json >small.ninja
	grep -qx 'build a.o: backend a.bc | a.idx imported.bc' small.ninja
	# White space counts.
	head -c 5m /dev/zero | tr '\0' ' ' >>x.json
	"$dtlto" --generate -o - x.json >large.ninja
	grep -qx 'build a.o: backend a.bc | a.idx' large.ninja
	grep -qx '# here; dtlto-ninja has looked at each of them.' large.ninja
	lacks 'looked at each' <small.ninja
	rm imported.bc
	run -2 "$dtlto" x.json
	says "x.json: jobs[0].inputs[2]: expected a file that can be read, found none: 'imported.bc' (module 'a.bc' needs it)"
}

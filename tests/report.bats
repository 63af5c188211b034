#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# --report: pages of real links, looked at and used in a headless Chromium. PICTURES=FOLDER in the
# environment leaves pictures of what was seen there.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
	cd "$BATS_FILE_TMPDIR" || return
	compile "$root"/tests/demo/{main,square,prime,sum,table}.c &&
		link "${demo_list[@]}" -o numbers -Xthinlto-distributor=-j2,--report=page.html
}

# Uses $1 as the check $2 of check-page.mjs does.
check_page() { # PAGE CHECK
	node "$root/tests/helpers/check-page.mjs" "$2" "$1" ${PICTURES:+"$PICTURES"} >&3
}

# A browser is not among what no test may go without.
need_browser() {
	local tool
	for tool in node chromium; do
		command -v $tool >/dev/null || skip "$tool is missing"
	done
	page=$BATS_FILE_TMPDIR/page.html
}

@test "the page is one file that names no other" {
	page=$BATS_FILE_TMPDIR/page.html
	[[ $(head -n 1 "$page") == '<!doctype html>' && $(tail -n 1 "$page") == '</html>' ]]
	lacks -E '(src|href)=|url\(|https?:|@import' <"$page"
	grep -q "default-src 'none'" "$page"
}

@test "the data in the page is what is known of the link" {
	need jq
	sed -n '/^<script type="application\/json"/,/^<\/script>/p' "$BATS_FILE_TMPDIR/page.html" | sed '1d;$d' >data.json
	jq -e '.output == "numbers" and .done == 5 and .failed == 0 and .slots == 2 and (.jobs | length) == 5
		and .best.bound <= .best.lpt and .best.bound > 0 and .last - .first >= .best.bound - 1
		and .busy == ([.jobs[][3]] | add)
		and ([.imported[] | select(.[0] == "square.o")[2]] == [4])' data.json
	# The command is the one that ran.
	cd "$BATS_FILE_TMPDIR"
	[[ $(jq -r '.command' "$OLDPWD/data.json") == "cd $PWD && "*/clang\ -c\ * ]]
	[[ $(jq -r '.jobs[0][13]' "$OLDPWD/data.json") == "main.o -fthinlto-index=main.1."*".native.o.thinlto.bc -o main.1."*".native.o" ]]
}

@test "the table is sorted by its heads" {
	need_browser
	check_page "$page" sort
}

@test "the table is filtered by name" {
	need_browser
	check_page "$page" filter
}

@test "all can be done with the keyboard" {
	need_browser
	check_page "$page" keyboard
}

@test "a bar leads to its command" {
	need_browser
	check_page "$page" bar
}

@test "light and dark, with enough contrast" {
	need_browser
	check_page "$page" colours
}

@test "a narrow window" {
	need_browser
	check_page "$page" narrow
}

@test "names of modules are text" {
	need_browser
	need ninja
	local odd="a</script><b onclick=x>&amp;'\".bc"
	stand_in cc <<<'echo object >"$2"'
	mkdir 'a<' # what is in front of the slash
	echo module >"$odd"
	cat >x.json <<-'EOF'
		{"common":{"linker_output":"prog</script>","args":["./cc"],"inputs":[]},
		"jobs":[{"args":["a</script><b onclick=x>&amp;'\".bc","a.o"],"inputs":["a</script><b onclick=x>&amp;'\".bc"],"outputs":["a.o"]}]}
	EOF
	"$dtlto" --report=page.html x.json
	check_page "$PWD/page.html" names
}

@test "times are rounded as a whole" {
	need_browser
	need jq
	began=$(sed -n 's/^"began":\([0-9]*\),$/\1/p' "$page")
	sed -E "s/^\"busy\":[0-9]+/\"busy\":239960000/; s/^\"ended\":[0-9]+/\"ended\":$((began + 3599900000))/" "$page" >page.html
	check_page "$PWD/page.html" times
}

@test "a link that failed" {
	need_browser
	need clang-22 ld.lld-22 ninja
	demo_objects
	stand_in cc <<-'EOF'
		case "$*" in *prime.o*) printf 'no \033[31m<primes>\033[0m today\n' >&2; exit 3 ;; esac
		exec clang-22 "$@"
	EOF
	run -1 link "${demo_list[@]}" -o numbers "-Xthinlto-distributor=-k0,--report=page.html" \
		"-Wl,--thinlto-remote-compiler=$PWD/cc"
	check_page "$PWD/page.html" failure
}

@test "ten thousand modules" {
	need_browser
	need ninja jq
	# Without a target, any file will do as an object.
	"$build/bench-describe" 10000 5 | sed 's/"--target=[^"]*",//' >x.json
	jq -r '.jobs[].inputs[0:2][]' x.json >inputs
	sed -n 's,/[^/]*$,,p' inputs | sort -u | xargs mkdir -p
	xargs touch <inputs
	# A stand-in for the compiler, in the shell itself.
	cat >quick.ninja <<-'EOF'
		rule backend
		  command = set -- $args; shift 3; echo object >"$$1"
		  description = $module
	EOF
	"$dtlto" -q -j8 --template=./quick.ninja --report=page.html x.json
	check_page "$PWD/page.html" many
}

#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154
# The completions of each shell, asked of the shell itself.

load common

completions=$root/contrib/completions

setup_file() {
	bats_require_minimum_version 1.5.0
	PATH=$build:$PATH
	# A template of the user's, and no other of this machine's.
	export PATH DTLTO_NINJA_TEMPLATES=$BATS_FILE_TMPDIR/templates HOME=$BATS_FILE_TMPDIR
	unset XDG_CONFIG_HOME
	mkdir "$DTLTO_NINJA_TEMPLATES"
	echo >"$DTLTO_NINJA_TEMPLATES/mine.ninja"
}

# What bash has in the array after completing the last of the words, one a line; the words are as it
# splits a line, at '=' too. compopt works below the line editor only: in place of it, a stand-in keeps
# what it is asked for.
in_bash() { # ARRAY PROGRAM WORD ...
	bash --norc -c '. "$1"; declare -n array=$2; shift 2
		function=$(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/")
		compopt() { compopt+=("$*"); }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		$function "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${array[@]}"' bash "$completions/$2.bash" "$@"
}
# What the shell offers for the last of the words, one a line.
bash_offers() { # PROGRAM WORD ...
	in_bash COMPREPLY "$@"
}
# What the completion then has bash do with it.
bash_is_asked() { # PROGRAM WORD ...
	in_bash compopt "$@"
}
zsh_offers() { # LINE
	zsh -f "$root/tests/helpers/complete.zsh" "$completions" "$1"
}
fish_offers() { # LINE
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completions/${1%% *}.fish" "$1"
}

# The options in standard input, one a line and sorted.
options_in() {
	grep -oE -- '(^|[ ,])--?[A-Za-z][a-z-]*' | tr -d ' ,' | sort -u
}

@test "bash completes all options of --help, and no others" {
	for program in dtlto-ninja dtlto-clang; do
		diff <(help_options "$build/$program") <(bash_offers $program - | options_in)
	done
}

@test "zsh completes all options of --help, and no others" {
	need zsh
	for program in dtlto-ninja dtlto-clang; do
		# What is behind "--" describes.
		diff <(help_options "$build/$program") <(zsh_offers "$program -" | sed 's/ -- .*//' |
			grep -v "^$program" | options_in)
	done
}

@test "fish completes all options of --help, and no others" {
	need fish
	for program in dtlto-ninja dtlto-clang; do
		diff <(help_options "$build/$program") <(fish_offers "$program -" | cut -f 1 | options_in)
	done
}

templates='ccache
ccache-distcc
ccache-icecream
distcc
icecream
local
mine'

# Files of which a template may be one or a description may be another.
some_files() {
	touch job.json 'other job.json' own.ninja else.txt
	mkdir folder
}

@test "bash completes values" {
	some_files
	for option in --template --print-template; do
		bash_offers dtlto-ninja $option = | sort |
			diff <(printf '%s\n' "$templates" own.ninja folder | sort) -
	done
	diff <(bash_offers dtlto-ninja -t '') <(bash_offers dtlto-ninja --template = '')
	diff <(bash_offers dtlto-ninja -t '') <(bash_offers dtlto-ninja --template =)
	[[ $(bash_offers dtlto-ninja -t ccache-) == $'ccache-distcc\nccache-icecream' ]]
	[[ $(bash_offers dtlto-ninja --memory = '') == none ]]
	[[ $(bash_offers dtlto-ninja --ninja = "$build/dtlto-nin") == "$build/dtlto-ninja" ]]
	[[ $(bash_offers dtlto-ninja --output = el) == else.txt ]]
	[[ -z $(bash_offers dtlto-ninja --jobs = '') ]]
	[[ $(bash_offers dtlto-ninja --temp) == --template= ]]
	[[ $(bash_offers dtlto-ninja -q '' | sort) == $'folder\njob.json\nother job.json' ]]
	[[ $(bash_offers dtlto-clang --through = i) == icecream ]]
	[[ $(bash_offers dtlto-clang --inputs = el) == else.txt ]]
}

@test "bash leaves folders open and quotes blanks in names of files, and in nothing else" {
	while read -r program words; do
		# shellcheck disable=SC2086 # words
		[[ $(bash_is_asked "$program" $words '') == "-o filenames" ]]
	done <<-'EOT'
		dtlto-ninja -q
		dtlto-ninja -o
		dtlto-ninja --output =
		dtlto-ninja --repro =
		dtlto-ninja --explain =
		dtlto-ninja --trace =
		dtlto-ninja --report =
		dtlto-ninja --template =
		dtlto-ninja --print-template =
		dtlto-ninja --ninja =
		dtlto-clang --inputs =
		dtlto-clang --check
	EOT
	[[ -z $(bash_is_asked dtlto-ninja --memory = '') ]]
	[[ -z $(bash_is_asked dtlto-ninja --jobs = '') ]]
	[[ -z $(bash_is_asked dtlto-clang --through = '') ]]
	# An option that is complete, but for its value.
	[[ $(bash_is_asked dtlto-ninja --temp) == "-o nospace" ]]
	[[ $(bash_is_asked dtlto-clang --inp) == "-o nospace" ]]
	[[ -z $(bash_is_asked dtlto-ninja --verb) ]]
}

@test "zsh completes values" {
	need zsh
	some_files
	for line in '--template=' '-t ' '--print-template='; do
		listed=$(zsh_offers "dtlto-ninja $line")
		for name in $templates own.ninja folder/; do
			grep -qE "(^| )$name( |$)" <<<"$listed"
		done
		lacks 'else.txt' <<<"$listed"
	done
	zsh_offers 'dtlto-ninja --memory=' | grep -qx 'none *'
	zsh_offers "dtlto-ninja --ninja=dtlto-nin" | grep -qE '^dtlto-ninja( |$)'
	zsh_offers 'dtlto-ninja -q ' | grep -qE '^folder/ +job.json +other\\? job.json *$'
	zsh_offers 'dtlto-clang --through=i' | grep -qx 'icecream *'
}

@test "fish completes values" {
	need fish
	some_files
	for line in '--template=' '-t ' '--print-template='; do
		fish_offers "dtlto-ninja $line" | cut -f 1 | sed 's/.*=//' | sort |
			diff <(printf '%s\n' "$templates" own.ninja folder/ | sort) -
	done
	fish_offers 'dtlto-ninja --memory=' | cut -f 1 | grep -qx -- '--memory=none'
	fish_offers "dtlto-ninja --ninja=dtlto-nin" | cut -f 1 | grep -qx -- '--ninja=dtlto-ninja'
	[[ $(fish_offers 'dtlto-ninja -q ' | cut -f 1 | sort) == $'folder/\njob.json\nother job.json' ]]
	fish_offers 'dtlto-clang --through=i' | cut -f 1 | grep -qx -- '--through=icecream'
	fish_offers 'dtlto-clang --inputs=el' | cut -f 1 | grep -qx -- '--inputs=else.txt'
}

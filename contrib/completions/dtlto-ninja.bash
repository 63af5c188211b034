# shellcheck shell=bash
# Completion of dtlto-ninja for bash.

# One line for each option: its names, and behind the '=' what its value is: a word of those between
# the bars, or one of the kinds below.
_dtlto_ninja_options='
-h --help
-V --version
-j --jobs=number
-l --load=number
-k --keep-going=number
--memory=|none|
-n --dry-run
-v --verbose
-q --quiet
--ninja=command
-t --template=template
--warm
--no-warm
--list-templates
--print-template=template
--generate
-o --output=file
--keep
--repro=file
--repro-failed
--explain=file
--trace=file
--report=file
'

# The completions of a value of kind $1 that begins with $2.
_dtlto_ninja_value() {
	local names
	case $1 in
	'|'*'|') compgen -W "${1//|/ }" -- "$2" ;;
	command) compgen -c -- "$2" ;;
	file) compgen -f -- "$2" ;;
	template)
		names=$("${COMP_WORDS[0]}" --list-templates 2>/dev/null | cut -d ' ' -f 1)
		compgen -W "$names" -- "$2"
		compgen -f -X '!*.ninja' -- "$2"
		compgen -d -- "$2"
		;;
	esac
}

# Sets $kind to that of the value of option $1, empty where it has none.
_dtlto_ninja_kind() {
	local line
	kind=
	while read -r line; do
		case " ${line%%=*} " in
		*" $1 "*) [[ $line != *=* ]] || kind=${line#*=} ;;
		esac
	done <<<"$_dtlto_ninja_options"
}

_dtlto_ninja() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} kind=
	# To bash "--template=x" is three words, unless $COMP_WORDBREAKS lacks the '='.
	if [[ $word == '=' ]]; then
		_dtlto_ninja_kind "$before"
		word=
	elif [[ $before == '=' && $COMP_CWORD -gt 2 ]]; then
		_dtlto_ninja_kind "${COMP_WORDS[COMP_CWORD - 2]}"
	elif [[ $before == -* && $word != -* ]]; then
		_dtlto_ninja_kind "$before"
	elif [[ $word == -* ]]; then
		# shellcheck disable=SC2001 # in each line
		mapfile -t COMPREPLY < <(compgen -W "$(sed 's/=.*/=/' <<<"$_dtlto_ninja_options")" -- "$word")
		# Behind the '=' of an option comes its value.
		[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
		return
	fi
	if [[ -n $kind ]]; then
		mapfile -t COMPREPLY < <(_dtlto_ninja_value "$kind" "$word")
		# Folders stay open for what is in them, and blanks are quoted.
		case $kind in
		template | file | command) compopt -o filenames ;;
		esac
	else
		# The job description.
		mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$word" && compgen -d -- "$word")
		compopt -o filenames
	fi
}

complete -F _dtlto_ninja dtlto-ninja

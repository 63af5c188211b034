# shellcheck shell=bash
# Completion of dtlto-clang for bash. People call it with --check; the rest is what manifests say.

# One line for each option.
_dtlto_clang_options='
--through=
--inputs=
--check
-h --help
-V --version
'

_dtlto_clang() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	# To bash "--inputs=x" is three words, unless $COMP_WORDBREAKS lacks the '='.
	if [[ $word == '=' ]]; then
		word=
	elif [[ $before == '=' && $COMP_CWORD -gt 2 ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$_dtlto_clang_options" -- "$word")
		[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
		return
	fi
	if [[ $before == --through ]]; then
		mapfile -t COMPREPLY < <(compgen -W 'distcc icecream ccache ccache-distcc ccache-icecream' -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		compopt -o filenames
	fi
}

complete -F _dtlto_clang dtlto-clang

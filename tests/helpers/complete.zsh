# zsh -f complete.zsh FOLDER LINE: prints the completions that zsh lists for LINE, typed by a person
# into a shell that has a terminal, and whose compinit has found the completions in FOLDER.
zmodload zsh/zpty
zpty shell "PS1= TERM=dumb FPATH=${(q)1}:${(q)FPATH} exec zsh -f -i"

read_to() { # MARK: reads up to it; what came before it is $seen
	local part
	seen=
	while zpty -r shell part; do
		seen+=$part
		[[ $part == *$1* ]] && return
	done
	print -u2 "zsh ended before it said $1:\n$seen"
	exit 1
}

zpty -w shell 'stty cols 200 rows 200; autoload -Uz compinit; compinit -u -D
LISTMAX=0; list() { zle list-choices; zle -R; zle -I; print END-OF-LIST; }
zle -N list; bindkey "^T" list; print READ""Y'
read_to READY
zpty -w -n shell "$2"$'\C-t'
read_to END-OF-LIST
print -r -- "$seen" | tr -d '\r'
zpty -d shell

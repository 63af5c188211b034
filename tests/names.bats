#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# File names that break things. For each, a link with the module under that name must come out as a
# serial run of the same commands does: it works with identical objects, or it fails.

load common

# Links main.o with the module that is named $1 (given to printf as a format) and asks the oracle.
# $2 is the verdict it must come to.
try_name() {
	need clang-22 ld.lld-22 ninja
	# A newline at the end of a command substitution is lost.
	local name
	# shellcheck disable=SC2059
	name=$(printf -- "$1"; echo .)
	name=${name%.}
	# Module hard.c and main.c import from each other.
	echo 'int b(int); int a(int x) { return b(x) + 1; } int hard(int x) { return a(x) * 2; }' >hard.c
	echo 'int hard(int); int b(int x) { return x * 3; } int main(void) { return hard(1) != 8; }' >main.c
	compile hard.c main.c
	mkdir -p -- "$(dirname -- "$name"; echo .)" 2>/dev/null || true
	[[ $name == */* ]] && mkdir -p -- "${name%/*}"
	mv -- hard.o "$name"
	rm -rf -- "$(printf '.\n.')"
	use_oracle
	local argument=$name
	# lld would take these for options; this is how people name such files.
	[[ $name == -* || $name == @* ]] && argument=./$name
	# -Xlinker: the driver itself would compile what it takes for a source.
	if link main.o -Xlinker "$argument" -o prog; then
		./prog
	fi
	verdict "$2"
}

works="works: 2 objects the same"
fails="fails: both"
deep=$(printf 'd/%.0s' {1..60})
long=$(printf 'n%.0s' {1..200})

@test "a blank" { try_name 'a b.o' "$works"; }
@test "two blanks" { try_name 'a  b.o' "$works"; }
@test "a blank first" { try_name ' a.o' "$works"; }
@test "a blank last" { try_name 'a.o ' "$works"; }
@test "parentheses" { try_name 'lib.a(m.o at 78).o' "$works"; }
@test "an apostrophe" { try_name "it's.o" "$works"; }
@test "apostrophes around" { try_name "'a'.o" "$works"; }
@test "a double quote" { try_name 'a"b.o' "$works"; }
@test "a backquote" { try_name 'a`id`b.o' "$works"; }
@test "a dollar" { try_name 'a$b.o' "$works"; }
@test "a dollar at the end" { try_name 'a.o$' "$works"; }
@test "a shell variable" { try_name '$HOME.o' "$works"; }
@test "a command substitution" { try_name '$(touch pwned).o' "$works"; [[ ! -e pwned ]]; }
@test "a ninja variable" { try_name '${args}.o' "$works"; }
@test "two dollars" { try_name 'a$$b.o' "$works"; }
@test "a colon" { try_name 'a:b.o' "$works"; }
@test "a bar" { try_name 'a|b.o' "$works"; }
@test "two bars" { try_name 'a || b.o' "$works"; }
@test "a bar and an at sign" { try_name 'a |@ b.o' "$works"; }
@test "a hash" { try_name '#a.o' "$works"; }
@test "a hash behind a blank" { try_name 'a #b.o' "$works"; }
@test "a backslash" { try_name 'a\\b.o' "$works"; }
@test "a backslash last" { try_name 'a.o\134' "$works"; }
@test "two backslashes" { try_name 'a\\\\b.o' "$works"; }
@test "a tab" { try_name 'a\tb.o' "$works"; }
@test "a newline" { try_name 'a\nb.o' "$works"; }
@test "a newline first" { try_name '\na.o' "$works"; }
@test "a newline last" { try_name 'a.o\n' "$works"; }
@test "three newlines last" { try_name 'a.o\n\n\n' "$works"; }
@test "a carriage return" { try_name 'a\rb.o' "$works"; }
@test "a carriage return and a newline last" { try_name 'a.o\r\n' "$works"; }
@test "a newline, a quote and a dollar" { try_name "a\\n'\$b\".o" "$works"; }
@test "an escape character" { try_name 'a\033[31mb.o' "$works"; }
@test "a bell" { try_name 'a\007b.o' "$works"; }
@test "DEL" { try_name 'a\177b.o' "$works"; }
@test "the byte 1" { try_name '\001.o' "$works"; }
@test "a dash first" { try_name '-a.o' "$works"; }
@test "an option's name" { try_name '-o' "$works"; }
@test "an at sign first" { try_name '@a.o' "$works"; }
@test "a glob" { try_name '*?[a-z].o' "$works"; }
@test "braces" { try_name '{a,b}.o' "$works"; }
@test "a tilde" { try_name '~.o' "$works"; }
@test "a tilde and a name" { try_name '~root' "$works"; }
@test "an ampersand" { try_name 'a&b.o' "$works"; }
@test "a semicolon" { try_name 'a;b.o' "$works"; }
@test "less and greater" { try_name 'a<b>c.o' "$works"; }
@test "an exclamation mark" { try_name 'a!b.o' "$works"; }
@test "an equals sign" { try_name 'a=b.o' "$works"; }
@test "a caret" { try_name 'a^b.o' "$works"; }
@test "a per cent sign" { try_name 'a%%sb.o' "$works"; }
@test "no extension" { try_name 'a' "$works"; }
@test "only dots" { try_name '...' "$works"; }
# clang takes it for a source.
@test "a C file's name" { try_name 'a.c' "$fails"; }
# lld 22 garbles such a name in the index of the modules that import from it.
@test "UTF-8" { try_name 'ä→.o' "$fails"; }
# lld writes U+FFFD, so the named file does not exist.
@test "not UTF-8" { try_name 'a\377b.o' "$fails"; }
@test "a byte sequence that is not UTF-8" { try_name 'a\303(b.o' "$fails"; }
@test "a word of the ninja language" { try_name 'build' "$works"; }
@test "a folder with a newline" { try_name 'd\ne/a.o' "$works"; }
@test "a folder with a bar and a blank" { try_name 'd | e/a.o' "$works"; }
@test "sixty folders" { try_name "${deep}a.o" "$works"; }
# More than ninja before 1.12 takes.
@test "seventy folders" { try_name "$deep${deep:0:20}a.o" "$works"; }
@test "a long name" { try_name "$long.o" "$works"; }

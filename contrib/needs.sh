# shellcheck shell=sh
# shellcheck disable=SC2154 # $work, $cc, $pkg_config and $dependencies are configure's
# What dtlto-ninja needs, how it is looked for, and how it is installed. ./configure reads this.

# One line for each: what needs it (to build, to run, make demo and make check, make check alone), its
# name, and its packages with each manager: several have commas between them, '-' is none, as it is
# part of the system or not packaged. Debian's were tried; the others are UNTESTED: taken from what
# the distributions list, and never run.
#    for   what           apt              dnf                  pacman        apk             zypper           brew       pkg
needs='
  build  compiler       gcc,libc6-dev    gcc,glibc-devel      gcc           gcc,musl-dev    gcc,glibc-devel  gcc        llvm
  build  make           make             make                 make          make            make             make       gmake
  build  pkg-config     pkg-config       pkgconf-pkg-config   pkgconf       pkgconf         pkgconf-pkg-config pkgconf  pkgconf
  build  json-c         libjson-c-dev    json-c-devel         json-c        json-c-dev      libjson-c-devel  json-c     json-c
  build  libarchive     libarchive-dev   libarchive-devel     libarchive    libarchive-dev  libarchive-devel libarchive libarchive
  run    ninja          ninja-build      ninja-build          ninja         samurai         ninja            ninja      ninja
  demo   clang_22       clang-22         clang                clang         clang22         clang22          llvm       llvm22
  demo   lld_22         lld-22           lld                  lld           lld22           lld22            lld        llvm22
  check  llvm_22_tools  llvm-22          llvm                 llvm          llvm22          llvm22           llvm       llvm22
  check  cmocka         libcmocka-dev    libcmocka-devel      cmocka        cmocka-dev      libcmocka-devel  cmocka     cmocka
  check  bats           bats             bats                 bats          bats            bats             bats-core  bats-core
  check  mandoc         mandoc           mandoc               mandoc        mandoc          mandoc           mandoc     -
  check  pgrep          procps           procps-ng            procps-ng     procps          procps           -          -
  check  ccache         ccache           ccache               ccache        ccache          ccache           ccache     ccache
  check  distcc         distcc           distcc,distcc-server distcc        distcc          distcc           distcc     distcc
  check  icecream       icecc            icecream             -             -               icecream         icecream   icecream
  check  ip             iproute2         iproute              iproute2      iproute2        iproute2         -          -
  check  zstd           zstd             zstd                 zstd          zstd            zstd             zstd       zstd
  check  redis          redis-tools      redis                -             redis           redis            redis      redis
  check  jq             jq               jq                   jq            jq              jq               jq         jq
  check  zsh            zsh              zsh                  zsh           zsh             zsh              zsh        zsh
  check  fish           fish             fish                 fish          fish            fish             fish       fish
'

# Prints the path of the first of the programs that is there; fails where there is none.
first_of() { # NAME ...
	for name; do
		! command -v "$name" || return 0
	done
	return 1
}

# The same for a program of LLVM 22, under the names that it has with different systems.
llvm_22() { # NAME
	! first_of "$1-22" "${1}22" || return 0
	case $("$1" --version 2>/dev/null) in
	*'version 22.'* | *'LLD 22.'*) first_of "$1" ;;
	*) return 1 ;;
	esac
}

# Prints the name of the first GNU make.
gnu_make() {
	for name in make gmake; do
		case $("$name" --version 2>/dev/null) in
		'GNU Make'*) first_of "$name"; return ;;
		esac
	done
	return 1
}

# Whether a C program that uses the C library can be made.
has_compiler() {
	cat >"$work/try.c" <<'END'
#include <stdio.h>
int main(void) { return puts("") < 0; }
END
	for name in "$cc" cc gcc clang; do
		[ -n "$name" ] || continue
		if $name -o "$work/try" "$work/try.c" >/dev/null 2>&1; then
			first_of "${name%% *}"
			return
		fi
		[ -z "$cc" ] || return 1
	done
	return 1
}

# The name of a need as people write it.
spaced() { # WHAT
	(
		IFS=_
		# shellcheck disable=SC2086 # to be split
		set -- $1
		IFS=' '
		echo "$*"
	)
}

# Prints where a thing is, or of which version; fails where it is not there.
look_for() { # WHAT
	case $1 in
	compiler) has_compiler ;;
	make) gnu_make ;;
	pkg-config) first_of "${pkg_config%% *}" ;;
	json-c | libarchive | cmocka) $pkg_config --modversion "$1" 2>/dev/null ;;
	ninja) first_of ninja ninja-build samu ;;
	clang_22) llvm_22 clang ;;
	lld_22) llvm_22 ld.lld ;;
	llvm_22_tools) llvm_22 llvm-ar ;;
	distcc) first_of distccd /usr/sbin/distccd ;;
	icecream) first_of icecc ;;
	ip) first_of ip /usr/sbin/ip /sbin/ip ;;
	redis) first_of redis-check-rdb ;;
	*) first_of "$1" ;;
	esac
}

# Sets $manager to the package manager of this system, and $command to the command that installs what
# follows it; fails where it knows none. Those of systems come before those beside a system.
find_manager() {
	command='' prepare=''
	for manager in apt dnf pacman apk zypper brew pkg; do
		program=$manager
		case $manager in
		apt)
			program=apt-get
			prepare='apt-get update'
			command='env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends'
			;;
		dnf) command='dnf install -y --setopt=install_weak_deps=False' ;;
		pacman) command='pacman -S --needed --noconfirm' ;;
		apk) command='apk add --update-cache' ;;
		zypper) command='zypper --non-interactive install --no-recommends' ;;
		brew) command='brew install' ;;
		pkg) command='pkg install -y' ;;
		esac
		! first_of $program >/dev/null || return 0
		prepare=
	done
	manager=''
	return 1
}

# Puts the package names of one line of $needs, with the manager, Debian's where there is none, into
# $packages; empty for none.
packages_of() { # APT DNF PACMAN APK ZYPPER BREW PKG
	case ${manager:-apt} in
	apt) packages=$1 ;;
	dnf) packages=$2 ;;
	pacman) packages=$3 ;;
	apk) packages=$4 ;;
	zypper) packages=$5 ;;
	brew) packages=$6 ;;
	pkg) packages=$7 ;;
	esac
	[ "$packages" != - ] || packages=
}

# Puts the packages of what is missing into $to_build and $to_check, each once.
find_missing() {
	to_build='' to_check=''
	while read -r purpose what columns; do
		if [ -z "$what" ] || look_for "$what" >/dev/null; then
			continue
		fi
		# shellcheck disable=SC2086 # columns are words
		packages_of $columns
		[ -n "$packages" ] || echo "configure: $(spaced "$what") is missing; no package of it is known here" >&2
		case $purpose in
		build | run) list=to_build ;;
		*) list=to_check ;;
		esac
		while [ -n "$packages" ]; do
			package=${packages%%,*} packages=${packages#"${packages%%,*}"}
			packages=${packages#,}
			case " $to_build $to_check " in
			*" $package "*) ;;
			*) eval "$list=\"\${$list:+\$$list }\$package\"" ;;
			esac
		done
	done <<END
$needs
END
}

# Has the manager install the packages; or only prints the command, where configure was told to.
install_packages() { # PACKAGE ...
	[ $# -gt 0 ] || return 0
	for line in "$prepare" "$command $*"; do
		[ -n "$line" ] || continue
		if [ "$dependencies" = print ]; then
			echo "$sudo$line"
		else
			echo "configure: $sudo$line"
			# shellcheck disable=SC2086 # words
			$sudo$line || return 1
		fi
		prepare= # once
	done
}

# Installs the packages one by one, since some managers install none of those named where there is one
# that they do not know. Puts those that could not be installed into $not_installed, and names them.
install_each() { # PACKAGE ...
	prepare= # was tried
	for package; do
		install_packages "$package" || not_installed="$not_installed $package"
	done
	[ -n "$not_installed" ] || return 0
	echo "configure: of what make demo and make check need, these could not be installed:$not_installed" >&2
	case $manager$not_installed in
	apt*-22*) echo "configure: where apt has no LLVM 22: https://apt.llvm.org has it" >&2 ;;
	esac
}

# Debian's icecream starts a daemon that looks for a farm and takes jobs from it. The tests have
# daemons of their own.
stop_iceccd() {
	case " $to_check / $not_installed " in
	*' / '*' icecc '*) return 0 ;;
	*' icecc '*) ;;
	*) return 0 ;;
	esac
	echo "configure: stopping iceccd; to have this machine in a farm: update-rc.d iceccd enable"
	$sudo update-rc.d iceccd disable || :
	$sudo invoke-rc.d iceccd stop || :
}

# Installs what is missing, and nothing else: what is built by hand, or from elsewhere, counts.
# Without what is for the demo and the tests the programs can be built all the same.
install_needs() {
	find_manager || {
		echo "configure: found none of apt-get, dnf, pacman, apk, zypper, brew and pkg; install what" \
			"is missing by hand: ./configure lists it" >&2
		return 1
	}
	find_missing
	if [ -z "$to_build$to_check" ]; then
		echo "configure: nothing to install"
		return 0
	fi
	sudo=
	if [ "$manager" != brew ] && [ "$(id -u)" != 0 ]; then
		if [ "$dependencies" = print ] || command -v sudo >/dev/null; then
			sudo='sudo '
		elif command -v doas >/dev/null; then
			sudo='doas '
		else
			echo "configure: to install $to_build $to_check, run this as root or install sudo" >&2
			return 1
		fi
	fi
	# shellcheck disable=SC2086 # lists of words
	if ! install_packages $to_build; then
		echo "configure: the packages above could not be installed" >&2
		return 1
	fi
	not_installed=
	# shellcheck disable=SC2086
	install_packages $to_check || install_each $to_check
	if [ "$manager" = apt ] && [ "$dependencies" = install ]; then
		stop_iceccd
	fi
}

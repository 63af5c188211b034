#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154
# ./configure --install-deps and --print-deps. All package managers here are stand-ins that note what
# they are told: that the real ones know these packages is not tested, but for Debian's, with which
# .ci/run begins.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# A system that has nothing but a shell, what configure itself calls, and the package managers named.
use_system() { # MANAGER ...
	local tool
	rm -rf bin
	mkdir bin
	for tool in sh dirname mktemp cat rm sed id; do
		ln -s "$(command -v $tool)" bin
	done
	user_is 0
	for tool; do
		stand_in "bin/$tool" <<<'echo "${0##*/} $*" >>"${0%/*}/../told"'
	done
}
user_is() { # UID
	stand_in bin/id <<<"echo $1"
}
configure() {
	env -u CC PATH="$PWD/bin" "$root/configure" "$@"
}

@test "each package manager is told to install all that is missing, in a run for building and one for the tests" {
	while read -r manager command first second; do
		use_system "$manager"
		run -0 configure --print-deps
		[[ $(grep -c . <<<"$output") -ge 2 ]]
		grep -qE "^${command//@/ } $first$" <<<"$output"
		grep -qE "^${command//@/ } $second$" <<<"$output"
		[[ ! -e told ]]
	done <<-'END'
		dnf     dnf@install@-y@--setopt=install_weak_deps=False   gcc.glibc-devel.make.pkgconf-pkg-config.json-c-devel.libarchive-devel.ninja-build   clang.lld.llvm.*
		pacman  pacman@-S@--needed@--noconfirm                    gcc.make.pkgconf.json-c.libarchive.ninja       clang.lld.llvm.cmocka.*
		apk     apk@add@--update-cache                            gcc.musl-dev.make.pkgconf.json-c-dev.libarchive-dev.samurai    clang22.lld22.llvm22.*
		zypper  zypper@--non-interactive@install@--no-recommends  gcc.glibc-devel.make.*.libjson-c-devel.libarchive-devel.ninja  clang22.lld22.llvm22.*
		brew    brew@install                                      gcc.make.pkgconf.json-c.libarchive.ninja       llvm.lld.cmocka.*
		pkg     pkg@install@-y                                    llvm.gmake.pkgconf.json-c.libarchive.ninja     llvm22.cmocka.*
	END
	use_system apt-get
	run -0 configure --print-deps
	[[ ${lines[0]} == "apt-get update" ]]
	[[ ${lines[1]} == "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc libc6-dev make pkg-config libjson-c-dev libarchive-dev ninja-build" ]]
	# Where /usr/sbin/ip is, it is found without PATH.
	[[ ${lines[2]/ iproute2/} == *" clang-22 lld-22 llvm-22 libcmocka-dev bats mandoc procps ccache distcc icecc zstd redis-tools jq zsh fish" ]]
	[[ ${#lines[@]} == 3 ]]
}

@test "what is there is not installed, wherever it came from" {
	use_system dnf
	for tool in zsh fish ccache bats mandoc pgrep distccd icecc ip zstd redis-check-rdb jq clang22 ld.lld-22; do
		stand_in bin/$tool <<<:
	done
	stand_in bin/llvm-ar <<<'echo "  LLVM version 22.1.0"'
	stand_in bin/samu <<<:
	stand_in bin/gmake <<<'echo "GNU Make 4.4"'
	stand_in bin/make <<<'exit 1'
	# It has json-c and cmocka, and not libarchive.
	stand_in bin/pkg-config <<<'case $2 in json-c | cmocka) echo 1.0 ;; *) exit 1 ;; esac'
	for tool in cc as ld gcc; do ln -sf "$(command -v $tool)" bin; done
	run -0 configure --print-deps
	[[ $output == "dnf install -y --setopt=install_weak_deps=False libarchive-devel" ]]
	# Of another version, it is missing.
	stand_in bin/llvm-ar <<<'echo "  LLVM version 14.0.6"'
	run -0 configure --print-deps
	[[ ${lines[1]} == "dnf install -y --setopt=install_weak_deps=False llvm" ]]
	# A compiler without a C library.
	stand_in bin/cc <<<'exit 1'
	cp bin/cc bin/gcc.new
	mv bin/gcc.new bin/gcc
	run -0 configure --print-deps
	[[ ${lines[0]} == "dnf install -y --setopt=install_weak_deps=False gcc glibc-devel libarchive-devel" ]]
	# Nothing is missing.
	stand_in bin/pkg-config <<<'echo 1.0'
	stand_in bin/llvm-ar <<<'echo "  LLVM version 22.1.0"'
	ln -sf "$(command -v cc)" bin/cc
	run -0 configure --print-deps
	[[ $output == "configure: nothing to install" ]]
}

@test "the commands are run, with sudo or doas where the user is not root" {
	use_system apk
	run -1 configure --install-deps
	[[ $(grep -c '^apk add --update-cache ' told) == 2 ]]
	# The stand-in has installed nothing.
	[[ $output == *"configure: there is no C compiler"* ]]
	rm told
	user_is 1000
	run -1 configure --install-deps
	[[ $output == *"configure: to install "*", run this as root or install sudo" ]]
	[[ ! -e told ]]
	for tool in doas sudo; do
		stand_in "bin/$tool" <<<'echo "${0##*/} $*" >>"${0%/*}/../told"'
		run -1 configure --install-deps
		[[ $(grep -c "^$tool apk add --update-cache " told) == 2 ]]
		rm told
	done
	# Homebrew does not want to be root.
	use_system brew
	user_is 1000
	run -1 configure --install-deps
	[[ $(grep -c '^brew install ' told) == 2 ]]
}

@test "a failed installation is said; of the tests' packages, the others are installed" {
	# As the real ones do, it installs none of those that it is given where there is one unknown.
	use_system zypper
	stand_in bin/zypper <<-'END'
		case " $* " in *' lld22 '* | *' icecream '*) exit 104 ;; esac
		echo "$*" >>"${0%/*}/../told"
	END
	run -1 configure --install-deps
	grep -qx "configure: of what make demo and make check need, these could not be installed: lld22 icecream" <<<"$output"
	[[ $output != *apt.llvm.org* ]]
	[[ $(grep -c '' told) -ge 10 ]]
	# The first is what building needs.
	for package in clang22 llvm22 libcmocka-devel ccache fish; do
		[[ $(sed 1d told | grep -cx ".* $package") == 1 ]]
	done
	# What building needs must all be there.
	stand_in bin/zypper <<<'exit 4'
	run -1 configure --install-deps
	[[ ${lines[-1]} == "configure: the packages above could not be installed" ]]
}

@test "with an apt that lacks LLVM 22, where it comes from is said" {
	use_system apt-get
	for tool in update-rc.d invoke-rc.d; do
		stand_in bin/$tool <<<'echo "${0##*/} $*" >>"${0%/*}/../told"'
	done
	stand_in bin/apt-get <<-'END'
		echo "$*" >>"${0%/*}/../told"
		case " $* " in *-22' '*) exit 100 ;; esac
	END
	# env is what runs it.
	ln -s "$(command -v env)" bin
	run -1 configure --install-deps
	grep -qx "configure: of what make demo and make check need, these could not be installed: clang-22 lld-22 llvm-22" <<<"$output"
	grep -qx "configure: where apt has no LLVM 22: https://apt.llvm.org has it" <<<"$output"
	[[ $(grep -cx update told) == 1 ]]
	# icecc was installed, and so started.
	grep -qx "update-rc.d iceccd disable" told
	# Not installed, it is not there to be stopped.
	rm told
	stand_in bin/apt-get <<<'case " $* " in *" icecc "*) exit 100 ;; esac'
	run -1 configure --install-deps
	[[ $output == *"these could not be installed: icecc"* && $output != *apt.llvm.org* && ! -e told ]]
}

@test "what has no package, and a system without a package manager that is known" {
	use_system pacman
	run -0 configure --print-deps
	grep -qx 'configure: icecream is missing; no package of it is known here' <<<"$output"
	use_system
	run -1 configure --install-deps
	[[ $output == "configure: found none of apt-get, dnf, pacman, apk, zypper, brew and pkg; install what is missing by hand: ./configure lists it" ]]
}

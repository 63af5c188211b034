#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# What is around the program: installing, releases, configure, the templates under contrib.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
}

# The project's files, as in a clean clone, in the folder source.
clean_copy() {
	mkdir source
	tar -C "$root" --exclude=./.git --exclude=./build --exclude=./build-sanitize --exclude=./config.mk \
		-cf - . | tar -C source -xf -
	cd source || return
}
# make, as if it was not called by one that runs these tests.
plain_make() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u BUILD -u SANITIZE -u TESTS -u FLAGS make "$@"
}

@test "the top level holds what it should" {
	cd "$root"
	found=$(find . -mindepth 1 -maxdepth 1 ! -name '.*' ! -name build ! -name build-sanitize \
		! -name config.mk -printf '%f\n' | LC_ALL=C sort | xargs)
	[[ $found == "CONTRIBUTING.md LICENSE Makefile NEWS.md README.md SECURITY.md configure contrib src templates tests" ]]
}

@test "make install and make uninstall, with DESTDIR and PREFIX" {
	clean_copy
	./configure --prefix=/opt/x
	plain_make install DESTDIR="$PWD/../stage"
	cd ../stage
	warm=()
	if has_warm; then
		warm=(opt/x/lib/dtlto-ninja/dtlto-warm{,.so})
	fi
	only_files opt opt/x opt/x/bin opt/x/bin/dtlto-{clang,ninja} opt/x/share opt/x/share/dtlto-ninja \
		opt/x/share/dtlto-ninja/templates opt/x/share/dtlto-ninja/templates/{ccache,ccache-distcc,ccache-icecream,distcc,icecream,local}.ninja \
		opt/x/share/dtlto-ninja/cmake{,/DtltoNinja.cmake} opt/x/share/meson{,/native{,/dtlto-ninja.ini}} \
		opt/x/lib opt/x/lib/dtlto-ninja opt/x/lib/dtlto-ninja/{icecream-environment,setup-node} "${warm[@]}" \
		opt/x/share/man opt/x/share/man/man1 opt/x/share/man/man1/dtlto-{clang,ninja}.1 \
		opt/x/share/bash-completion{,/completions{,/dtlto-{clang,ninja}}} \
		opt/x/share/zsh{,/site-functions{,/_dtlto-{clang,ninja}}} \
		opt/x/share/fish{,/vendor_completions.d{,/dtlto-{clang,ninja}.fish}}
	grep -qxF "dtlto_ninja = '/opt/x/bin/dtlto-ninja'" opt/x/share/meson/native/dtlto-ninja.ini
	grep -qF ' PATHS "/opt/x/bin" ' opt/x/share/dtlto-ninja/cmake/DtltoNinja.cmake
	grep -rF /usr/local opt/x/share/{meson,dtlto-ninja/cmake} | lacks .
	cd ../source
	plain_make uninstall DESTDIR="$PWD/../stage"
	[[ -z $(find ../stage ! -type d) && ! -e ../stage/opt/x/share/dtlto-ninja ]]
	# PREFIX may come as late as this; the program looks for templates there.
	plain_make install PREFIX="$PWD/../moved"
	cp contrib/templates/nice.ninja ../moved/share/dtlto-ninja/templates
	run -0 ../moved/bin/dtlto-ninja --list-templates
	grep -qxF "nice            $PWD/../moved/share/dtlto-ninja/templates/nice.ninja" <<<"$output"
}

@test "the directories that configure is given" {
	clean_copy
	./configure --bindir=/b --libdir=/l --datadir=/d --mandir=/m
	plain_make install DESTDIR="$PWD/../stage"
	[[ -x ../stage/b/dtlto-ninja && -f ../stage/d/dtlto-ninja/templates/local.ninja ]]
	[[ -x ../stage/b/dtlto-clang && -x ../stage/l/dtlto-ninja/icecream-environment ]]
	[[ -f ../stage/m/man1/dtlto-ninja.1 && -f ../stage/m/man1/dtlto-clang.1 ]]
	! has_warm || [[ -x ../stage/l/dtlto-ninja/dtlto-warm && -x ../stage/l/dtlto-ninja/dtlto-warm.so ]]
}

# The folders of which make says that they are where things go.
folders_of_make() {
	plain_make -s --eval='folders: ; @echo $(BINDIR) $(LIBDIR) $(DATADIR) $(MANDIR)' folders "$@"
}

@test "configure takes what packagers give to every configure" {
	clean_copy
	ours='--shared-libarchive'
	# As Fedora's %configure.
	./configure $ours --build=x86_64-redhat-linux --host=x86_64-redhat-linux --program-prefix= \
		--disable-dependency-tracking --prefix=/usr --exec-prefix=/usr --bindir=/usr/bin \
		--sbindir=/usr/sbin --sysconfdir=/etc --datadir=/usr/share --includedir=/usr/include \
		--libdir=/usr/lib64 --libexecdir=/usr/libexec --localstatedir=/var --runstatedir=/run \
		--sharedstatedir=/var/lib --mandir=/usr/share/man --infodir=/usr/share/info
	[[ $(folders_of_make) == "/usr/bin /usr/lib64 /usr/share /usr/share/man" ]]
	# As Gentoo's econf.
	./configure $ours --prefix=/usr --build=x86_64-pc-linux-gnu --host=x86_64-pc-linux-gnu \
		--mandir=/usr/share/man --infodir=/usr/share/info --datadir=/usr/share \
		--datarootdir=/usr/share --sysconfdir=/etc --localstatedir=/var/lib \
		--docdir=/usr/share/doc/dtlto-ninja --htmldir=/usr/share/doc/dtlto-ninja/html \
		--disable-dependency-tracking --disable-silent-rules --libdir=/usr/lib64
	[[ $(folders_of_make) == "/usr/bin /usr/lib64 /usr/share /usr/share/man" ]]
	# As Alpine's and Homebrew's recipes.
	./configure $ours --build=x86_64-alpine-linux-musl --host=x86_64-alpine-linux-musl --prefix=/usr \
		--sysconfdir=/etc --mandir=/usr/share/man --localstatedir=/var
	./configure $ours --disable-debug --disable-dependency-tracking --disable-silent-rules \
		--prefix=/opt/b --libdir=/opt/b/lib
	[[ $(folders_of_make) == "/opt/b/bin /opt/b/lib /opt/b/share /opt/b/share/man" ]]
	# As debhelper, which names folders by others.
	./configure $ours --build=x86_64-linux-gnu --prefix=/usr '--includedir=${prefix}/include' \
		'--mandir=${prefix}/share/man' '--infodir=${prefix}/share/info' --sysconfdir=/etc \
		--localstatedir=/var --disable-option-checking --disable-silent-rules \
		'--libdir=${prefix}/lib/x86_64-linux-gnu' --runstatedir=/run --disable-maintainer-mode \
		--disable-dependency-tracking
	[[ $(folders_of_make) == "/usr/bin /usr/lib/x86_64-linux-gnu /usr/share /usr/share/man" ]]
	[[ $(folders_of_make PREFIX=/p) == "/p/bin /p/lib/x86_64-linux-gnu /p/share /p/share/man" ]]
	# These two are for what others are not given for.
	./configure $ours --exec-prefix=/e --datarootdir=/d
	[[ $(folders_of_make) == "/e/bin /e/lib /d /d/man" ]]
	run -1 ./configure --program-prefix=g
	[[ $output == "configure: '--program-prefix=g': expected no prefix; "* ]]
}

@test "configure takes CC, CFLAGS and others as arguments, which win" {
	clean_copy
	mkdir bin
	for tool in cc pkg-config; do
		stand_in bin/other-$tool <<<"exec $tool \"\$@\""
	done
	PATH=$PWD/bin:$PATH
	CC=no-cc CFLAGS=-no-flag run -0 ./configure CC=other-cc 'CFLAGS=-O1 -DA=1' CPPFLAGS=-DB \
		LDFLAGS=-Wl,-z,now PKG_CONFIG=other-pkg-config
	[[ ${lines[0]} =~ ^'C compiler '\ *other-cc$ ]]
	grep -qx "pkg-config  *$PWD/bin/other-pkg-config" <<<"$output"
	for line in 'CC = other-cc' 'CFLAGS = -O1 -DA=1' 'CPPFLAGS = -DB' 'LDFLAGS = -Wl,-z,now'; do
		grep -qxF -- "$line" config.mk
	done
	run -1 ./configure CXX=c++
	[[ $output == "configure: unknown option 'CXX=c++'; --help lists the options" ]]
}

@test "make dist makes an archive that builds, installs and makes itself again" {
	clean_copy
	./configure
	plain_make dist
	mkdir ../unpacked
	tar -C ../unpacked -xzf build/dtlto-ninja-*.tar.gz
	[[ -z $(find ../unpacked ! -type d -newermt "@$(stat -c %Y ../unpacked/*/configure)") ]]
	archive=$(sha256sum <build/dtlto-ninja-*.tar.gz)
	diff -r . ../unpacked/dtlto-ninja-* | grep -vx -e 'Only in .: config.mk' -e 'Only in .: build' |
		lacks .
	cd ../unpacked/dtlto-ninja-*
	./configure
	plain_make dist
	[[ $(sha256sum <build/dtlto-ninja-*.tar.gz) == "$archive" ]]
	plain_make
	build/dtlto-ninja --version
	plain_make install DESTDIR="$BATS_TEST_TMPDIR/stage"
	"$BATS_TEST_TMPDIR/stage/usr/local/bin/dtlto-ninja" --version
}

@test "make dist has what git knows, with its time, whatever lies around and whoever calls" {
	need git
	clean_copy
	git init -q .
	git add .
	GIT_COMMITTER_DATE='@1700000000 +0000' git -c user.name=x -c user.email=x@x commit -q -m x
	./configure
	plain_make dist
	archive=$(sha256sum <build/dtlto-ninja-*.tar.gz)
	[[ $(tar -tvzf build/dtlto-ninja-*.tar.gz | grep -c ' 0/0 .* 2023-11-14 ') == "$(git ls-files | wc -l)" ]]
	echo draft >src/draft.c
	find . -path ./.git -prune -o -exec touch {} +
	chmod -R go-rwx src tests
	(umask 077 && TZ=America/Lima LC_ALL=C.UTF-8 plain_make dist)
	[[ $(sha256sum <build/dtlto-ninja-*.tar.gz) == "$archive" ]]
}

@test "make clean leaves what was there" {
	clean_copy
	find . | sort >../before
	./configure
	plain_make all dist
	plain_make clean
	rm config.mk
	find . | sort | diff ../before -
}

@test "one version, in configure: the change logs agree" {
	version=$(sed -n 's/^version=//p' "$root/configure")
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	[[ $("$dtlto" --version) == "dtlto-ninja $version" ]]
	[[ $("$dtlto_clang" --version) == "dtlto-clang $version" ]]
	[[ $(grep -m 1 '^## ' "$root/NEWS.md") == "## $version"* ]]
	[[ $(head -n 1 "$root/contrib/debian/changelog") == "dtlto-ninja ($version-"* ]]
}

@test "configure explains itself, and refuses what it does not know" {
	run -0 "$root/configure" --help
	[[ ${lines[0]} == "usage: ./configure [OPTION ...]" ]]
	run -1 "$root/configure" --frefix=/x
	[[ $output == "configure: unknown option '--frefix=/x'; --help lists the options" ]]
}

@test "configure asks the pkg-config that PKG_CONFIG names, and no other" {
	clean_copy
	mkdir bin
	stand_in bin/pkg-config <<<'echo asked >>"$0.log"; exit 1'
	stand_in bin/other-pkg-config <<-'EOF'
		case $1 in
		--modversion) echo "7.6.$*" ;;
		--libs) echo "-lfrom-$2" ;;
		esac
	EOF
	PATH=$PWD/bin:$PATH PKG_CONFIG='other-pkg-config' run -0 ./configure --shared-libarchive
	[[ $output == *$'\n'"pkg-config                   $PWD/bin/other-pkg-config"$'\n'* ]]
	[[ $output == *$'\n'"json-c                       7.6.--modversion json-c"$'\n'* ]]
	grep -qx 'JSON_LIBS = -lfrom-json-c' config.mk
	grep -qx 'CMOCKA_LIBS = -lfrom-cmocka' config.mk
	[[ ! -e bin/pkg-config.log ]]
	# It may have words of its own.
	PKG_CONFIG='pkg-config --static' ./configure >/dev/null
	grep -qx "ARCHIVE_LIBS = $(pkg-config --static --libs libarchive | sed 's/ *$//') *" config.mk
	rm config.mk
	PKG_CONFIG=no-pkg-config run -1 ./configure
	[[ ${lines[-1]} == "configure: there is no no-pkg-config, which PKG_CONFIG names" && ! -e config.mk ]]
}

@test "configure says what is missing" {
	clean_copy
	mkdir bin
	for tool in sh cc gcc as ld dirname mktemp cat rm command sed; do
		path=$(command -v $tool) && [[ $path == /* ]] && ln -s "$path" bin
	done
	run -1 env PATH="$PWD/bin" ./configure
	[[ $output == *"pkg-config                   missing (pkg-config)"* ]]
	[[ $output == *"json-c                       missing (libjson-c-dev)"* ]]
	[[ $output == *"ninja (to run)               missing (ninja-build)"* ]]
	[[ $output == *"clang 22 (demo, check)       missing (clang-22)"* ]]
	[[ ${lines[-1]} == "configure: the programs cannot be built: json-c or libarchive is missing; ./configure --install-deps installs it" ]]
	[[ ! -e config.mk ]]
}

# What configure says of libarchive, with the options and variables given; then builds dtlto-clang, and
# puts the libraries that it is linked with into $libraries.
build_clang() { # WORD ...
	run -0 env CFLAGS=-O0 "$@"
	linking=$(sed -n 's/^linking of libarchive  *//p' <<<"$output")
	# Nothing is compiled otherwise the next time, only linked.
	rm -f build/dtlto-clang
	[[ ! -e build/flags ]] || as_it_is=(--assume-old=build/flags)
	plain_make -j2 "${as_it_is[@]}" build/dtlto-clang >/dev/null
	libraries=$(readelf -d build/dtlto-clang | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
}

@test "configure says how libarchive is linked, and so it is" {
	need readelf objcopy
	archive=$(cc -print-file-name=libarchive.a)
	[[ $archive == /* ]] || skip "there is no libarchive.a"
	clean_copy
	build_clang ./configure
	[[ $linking == static && $libraries == libc.so* && $(wc -l <<<"$libraries") == 1 ]]
	grep -qx 'ARCHIVE_STATIC = yes' config.mk
	build_clang ./configure --shared-libarchive
	[[ $linking == "shared (--shared-libarchive)" ]]
	grep -q '^libarchive\.so' <<<"$libraries"
	grep -qx 'ARCHIVE_STATIC = ' config.mk
	# All of it, for a node with other libraries.
	build_clang LDFLAGS=-static ./configure
	[[ $linking == static && ! $libraries ]]
	./build/dtlto-clang --version
	# One that has not all that the programs call.
	mkdir lib
	cp "$archive" lib
	objcopy --redefine-sym archive_read_data=gone lib/libarchive.a
	ln -s "$(cc -print-file-name=libarchive.so)" lib
	build_clang LDFLAGS="-L$PWD/lib" ./configure
	[[ $linking == "shared (there is no libarchive.a that serves)" ]]
	grep -q '^libarchive\.so' <<<"$libraries"
}

@test "configure tries all functions of libarchive that the programs call" {
	calls() {
		grep -ohE '\barchive_[a-z_]+\(' "$@" | sort -u
	}
	# Ours have this name.
	diff <(calls "$root"/src/*.c | grep -vxF 'archive_failed(') <(calls "$root/configure")
}

@test "the Debian packages declare libarchive where it is linked statically" {
	for tool in dpkg-gencontrol dpkg-query; do
		command -v $tool >/dev/null || skip "$tool is missing"
	done
	dpkg-query -W libarchive-dev >/dev/null || skip "libarchive-dev is not installed"
	# In place of debhelper's, which calls it for each package.
	mkdir bin package
	stand_in bin/dh_gencontrol <<-'EOF'
		shift
		exec dpkg-gencontrol -pdtlto-clang -Ppackage -O "$@"
	EOF
	cp -r "$root/contrib/debian" debian
	control() {
		echo "ARCHIVE_STATIC = $1" >config.mk
		PATH=$PWD/bin:$PATH plain_make -s -f debian/rules override_dh_gencontrol
	}
	control yes >static
	grep -q '^Static-Built-Using: libarchive (= [0-9]' static
	control '' >shared
	diff <(grep -v '^Static-Built-Using' static) shared
}

@test "make demo links and runs a program" {
	need clang-22 ld.lld-22 ninja
	mkdir build
	cp "$dtlto" build
	run -0 "$root/tests/demo/run" build/dtlto-ninja
	[[ $output == *"squares to 10 sum to 385"* ]]
	[[ $output == *"ThinLTO [5/5]"* ]]
	[[ $output == *"calls of them in main(): 2 without ThinLTO, 0 with it"* ]]
}

@test "the README's two commands, and its table of options" {
	grep -qx './configure --install-deps && make demo' "$root/README.md"
	grep -qx 'make check' "$root/README.md"
	for option in $("$dtlto" --help | grep -oE -- '--[a-z-]+' | sort -u); do
		grep -qF -- "$option" "$root/README.md" || {
			echo "the README lacks $option"
			return 1
		}
	done
}

@test "the man pages are clean" {
	need mandoc
	# Whether the machine has the manuals of ninja, lld and farms is nothing of these.
	mandoc -Tlint "$root"/src/*.1 2>/dev/null | grep -v 'STYLE: referenced manual not found' | lacks .
}

@test "the manual of dtlto-clang has each variable and each status of the sources" {
	need mandoc col
	manual=$(mandoc -Tutf8 -O width=1000 "$root/src/dtlto-clang.1" | col -b)
	mapfile -t words < <(grep -hoE '"(DTLTO|DISTCCD?|ICECC|CCACHE|CCC)_[A-Z_]+"' "$root"/src/*.[ch] | tr -d '"' | sort -u)
	# Some in .c files, some in headers.
	[[ " ${words[*]} " == *" DTLTO_CLANG_IDENTITY "*" DTLTO_CLANG_JOB "* ]]
	for word in "${words[@]}"; do
		case $word in
		# Those of dtlto-ninja and the warm compiler, and one of distccd that is only looked at.
		DTLTO_NINJA_* | DTLTO_WARM_* | DISTCCD_PATH) continue ;;
		esac
		grep -qwF -- "$word" <<<"$manual" || {
			echo "the manual lacks $word"
			return 1
		}
	done
	while read -r status; do
		grep -qE "^ +$status " <<<"$manual"
	done < <(sed -n 's/^    FAR_.* = \(12[0-9]\),.*/\1/p' "$root/src/far.h")
}

@test "the manual sets up a node of icecream as Debian's icecc is set up" {
	need mandoc col
	config=/etc/icecc/icecc.conf
	[[ -r $config ]] || skip "there is no $config"
	farm=$(mandoc -Tutf8 -O width=1000 "$root/src/dtlto-clang.1" | col -b | sed -n '/^AN ICECREAM FARM/,/^WHEN IT/p')
	mapfile -t names < <(grep -oE 'ICECC_[A-Z_]+=' <<<"$farm" | sort -u)
	[[ ${names[*]} == "ICECC_CACHE_LIMIT= ICECC_SCHEDULER_HOST=" ]]
	for name in "${names[@]}"; do
		grep -q "^$name" "$config"
		grep -qF "\$${name%=}" /etc/init.d/iceccd
	done
	change=$(grep -oE 's/\^ICECC_CACHE_LIMIT[^ ]*/' <<<"$farm")
	sed "$change" "$config" | grep -qx 'ICECC_CACHE_LIMIT="2000"'
	mapfile -t services < <(grep -oE 'service [a-z-]+' <<<"$farm" | sort -u)
	[[ ${services[*]} == "service icecc-scheduler service iceccd" ]]
	[[ -x /etc/init.d/icecc-scheduler && -x /etc/init.d/iceccd ]]
}

@test "the templates under contrib work" {
	need ninja
	# In place of recc and rewrapper, which are not in Debian: they note what is named to them.
	mkdir bin
	stand_in bin/recc <<-'EOF'
		echo "$RECC_FORCE_REMOTE $RECC_NO_PATH_REWRITE $RECC_DEPS_OVERRIDE > $RECC_OUTPUT_FILES_OVERRIDE" >>named
		exec "$@"
	EOF
	stand_in bin/rewrapper <<-'EOF'
		while [ "$1" != -- ]; do
			case $1 in
			-exec_root=* | -output_files=*) named="$named$1 " ;;
			-input_list_paths=*) named="$named$(echo $(cat "${1#*=}")), " ;;
			esac
			shift
		done
		echo "$named" >>named
		shift
		exec "$@"
	EOF
	PATH=$PWD/bin:$PATH
	stand_in cc <<<'echo object >"$2"'
	describe x.json ./cc a b c
	sed -i 's/"inputs":\["b.bc"/&,"a.bc","sub\/c.bc"/' x.json
	mkdir sub
	echo module >sub/c.bc
	for template in "$root"/contrib/templates/*.ninja; do
		rm -f named
		"$dtlto" -q --template="$template" x.json
		[[ -s a.o && -s b.o && -s c.o ]]
		case $template in
		*/recc.ninja)
			[[ $(sort named) == "1 1 a.bc > a.o
1 1 b.bc,a.bc,sub/c.bc > b.o
1 1 c.bc > c.o" ]]
			;;
		*/reclient.ninja)
			[[ $(sort named) == "-exec_root=$PWD a.bc, -output_files=a.o 
-exec_root=$PWD b.bc a.bc sub/c.bc, -output_files=b.o 
-exec_root=$PWD c.bc, -output_files=c.o " ]]
			;;
		*) [[ ! -e named ]] ;;
		esac
	done
	# An empty object is a failure where the compilation runs.
	stand_in cc <<<': >"$2"'
	stand_in bin/recc <<<'"$@"; echo "status $?"'
	run "$dtlto" -q -k0 --template="$root/contrib/templates/recc.ninja" x.json
	[[ $(grep -c '^status 1$' <<<"$output") == 3 ]]
}

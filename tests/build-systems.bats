#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# The CMake module and the Meson native file under contrib, with the demo program: a static library and
# a program that it is linked to.

load common

setup_file() {
	bats_require_minimum_version 1.5.0
	unset CC CXX CFLAGS CXXFLAGS LDFLAGS CMAKE_GENERATOR MAKEFLAGS MFLAGS MAKELEVEL
}

# A CMake project in the current folder; its last lines on standard input.
cmake_project() {
	cp "$root"/tests/demo/*.[ch] .
	{
		cat <<-'EOT'
			cmake_minimum_required(VERSION 3.18)
			project(numbers C)
			if(EARLY)
			  include(DtltoNinja)
			endif()
			add_library(table STATIC table.c sum.c)
			add_executable(numbers main.c square.c prime.c)
			target_link_libraries(numbers PRIVATE table)
		EOT
		cat
	} >CMakeLists.txt
}
# Configures it, with the options given.
configure_cmake() {
	cmake -S . -B build -DCMAKE_MODULE_PATH="$root/contrib/cmake" -DDTLTO_NINJA_PROGRAM="$dtlto" \
		-DCMAKE_C_COMPILER=clang-22 -DCMAKE_BUILD_TYPE=Release "$@"
}

# Makes the distributor one that writes its options to the file "given" here, and does its work.
use_witness() {
	stand_in witness <<-EOT
		echo "\${*%.*.dist-file.json}" >>"$PWD/given"
		exec "$dtlto" "\$@"
	EOT
	dtlto=$PWD/witness
}

# What make install installs as the file, with the programs in a folder with a difficult name, goes to
# the folder.
as_installed() { # FILE FOLDER
	mkdir 'r&d|1'
	ln -s "$dtlto" 'r&d|1'
	env -u FLAGS make -s -C "$root" BUILD="$PWD/made" BINDIR="$PWD/r&d|1" "$PWD/made/$1"
	cp "made/$1" "$2"
}

# $output shows that $1 modules were compiled by dtlto-ninja in one link.
compiled() {
	[[ $output == *"ThinLTO [$1/$1]"* ]] || {
		echo "expected a link of $1 modules, found: $output" >&2
		return 1
	}
}

# CMake's message, which it wraps, has the words $1.
cmake_says() {
	local text
	text=$(xargs -d '\n' <<<"$output" | tr -s ' ')
	[[ $text == *"$1"* ]] || {
		echo "expected: $1" >&2
		echo "found: $output" >&2
		return 1
	}
}

@test "CMake: one target, with Ninja and with Makefiles" {
	need cmake clang-22 ld.lld-22 ninja make
	use_witness
	cmake_project <<-'EOT'
		include(DtltoNinja)
		dtlto_ninja_target(numbers JOBS 2 OPTIONS --verbose --load=99)
	EOT
	for generator in Ninja "Unix Makefiles"; do
		rm -rf build
		configure_cmake -G "$generator"
		run -0 cmake --build build
		compiled 3
		[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
	done
	[[ $(uniq -c given) == "      2 --jobs=2 --verbose --load=99 numbers" ]]
}

@test "CMake: a static library takes part where it is named too" {
	need cmake clang-22 ld.lld-22 ninja
	cmake_project <<-'EOT'
		include(DtltoNinja)
		dtlto_ninja_target(table)
		dtlto_ninja_target(numbers)
	EOT
	configure_cmake -G Ninja
	run -0 cmake --build build
	compiled 5
	[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
}

@test "CMake: a static library of GNU ar, which has no index of bitcode" {
	need cmake clang-22 ld.lld-22 ninja ar ranlib nm
	cmake_project </dev/null
	# Where it finds no plug-ins.
	mkdir -p gnu/bin
	cp "$(command -v ar)" "$(command -v ranlib)" "$(command -v nm)" gnu/bin
	[[ $(gnu/bin/ar --version) == "GNU ar"* ]] || skip "ar is not GNU ar"
	run -0 configure_cmake -G Ninja -DEARLY=ON -DDTLTO_NINJA=ON -DCMAKE_C_COMPILER_AR=NOTFOUND \
		-DCMAKE_AR="$PWD/gnu/bin/ar" -DCMAKE_RANLIB="$PWD/gnu/bin/ranlib"
	[[ $output != *Warning* ]]
	run -0 cmake --build build
	compiled 5
	[[ $(gnu/bin/nm -s build/libtable.a 2>&1) != *"Archive index"* ]]
	[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
	# An llvm-ar that is older than clang.
	stand_in old-ar <<<'echo "  LLVM version 14.0.6"'
	rm -r build
	run -0 configure_cmake -G Ninja -DEARLY=ON -DDTLTO_NINJA=ON -DCMAKE_AR="$PWD/old-ar"
	cmake_says "DtltoNinja: $PWD/old-ar is of LLVM 14 and may refuse the bitcode of"
	[[ $output == *"CMake Warning"* ]]
}

@test "CMake: the switch for all targets, in the project and without it" {
	need cmake clang-22 ld.lld-22 ninja make
	use_witness
	cmake_project </dev/null
	configure_cmake -G Ninja -DEARLY=ON -DDTLTO_NINJA=ON -DDTLTO_NINJA_JOBS=1 -DDTLTO_NINJA_OPTIONS="-v;-k3"
	run -0 cmake --build build
	compiled 5
	[[ $(<given) == "--jobs=1 -v -k3 numbers" ]]
	[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
	for generator in Ninja "Unix Makefiles"; do
		rm -rf build
		configure_cmake -G "$generator" -DDTLTO_NINJA=ON \
			-DCMAKE_PROJECT_INCLUDE="$root/contrib/cmake/DtltoNinja.cmake"
		run -0 cmake --build build
		compiled 5
		[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
	done
	# Off, it is as if it were not there.
	rm -rf build
	configure_cmake -G Ninja -DEARLY=ON -DDTLTO_NINJA_PROGRAM=
	run -0 cmake --build build
	[[ $output != *ThinLTO* ]]
	[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
}

@test "CMake: what the target says goes before the cache" {
	need cmake clang-22 ld.lld-22 ninja
	use_witness
	cmake_project <<-'EOT'
		include(DtltoNinja)
		dtlto_ninja_target(numbers TEMPLATE local)
	EOT
	configure_cmake -G Ninja -DDTLTO_NINJA_TEMPLATE=./none -DDTLTO_NINJA_JOBS=1 -DDTLTO_NINJA_OPTIONS=-v
	run -0 cmake --build build
	compiled 3
	[[ $(<given) == "--template=local --jobs=1 -v numbers" ]]
	# And after what the switch says, so that it wins.
	rm given
	configure_cmake -G Ninja -DEARLY=ON -DDTLTO_NINJA=ON
	run -0 cmake --build build
	compiled 5
	[[ $(<given) == "--template=./none --jobs=1 -v --template=local numbers" ]]
}

@test "CMake: the module as make install writes it finds the program that it came with" {
	need cmake clang-22 ld.lld-22 ninja make
	cmake_project </dev/null
	as_installed DtltoNinja.cmake .
	# Nothing is looked for in PATH and where systems have programs: there may be another.
	cmake -S . -B build -G Ninja -DCMAKE_C_COMPILER="$(command -v clang-22)" \
		-DCMAKE_MAKE_PROGRAM="$(command -v ninja)" -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF \
		-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \
		-DCMAKE_PROJECT_INCLUDE="$PWD/DtltoNinja.cmake" -DDTLTO_NINJA=ON
	grep -qxF "DTLTO_NINJA_PROGRAM:FILEPATH=$PWD/r&d|1/dtlto-ninja" build/CMakeCache.txt
	run -0 cmake --build build
	compiled 5
}

@test "CMake: what is wrong is said" {
	need cmake clang-22 ld.lld-22 ninja
	cmake_project <<-'EOT'
		include(DtltoNinja)
		dtlto_ninja_target(${TARGET} ${ARGUMENTS})
	EOT
	wrong() {
		local text=$1
		shift
		rm -rf build
		run -1 configure_cmake -G Ninja -DTARGET=numbers "$@"
		cmake_says "DtltoNinja: $text"
	}
	wrong "dtlto-ninja is neither in PATH nor in /usr/local/bin; name it with -DDTLTO_NINJA_PROGRAM=/path/to/dtlto-ninja" \
		-DDTLTO_NINJA_PROGRAM=NOTFOUND -DCMAKE_FIND_ROOT_PATH=/nowhere \
		-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=ONLY -DCMAKE_MAKE_PROGRAM="$(command -v ninja)" \
		-DCMAKE_C_COMPILER="$(command -v clang-22)"
	wrong "DTLTO_NINJA_PROGRAM is '/nowhere/dtlto-ninja'; expected the absolute path of dtlto-ninja" \
		-DDTLTO_NINJA_PROGRAM=/nowhere/dtlto-ninja
	wrong "there is no target 'nothing'" -DTARGET=nothing
	wrong "JOBS is 'many'; expected a number, 0 for no limit" "-DARGUMENTS=JOBS;many"
	wrong "'--load=1,2' has a comma, at which clang would split it" "-DARGUMENTS=OPTIONS;--load=1,2"
	wrong "dtlto_ninja_target(numbers): did not expect 'JOB;3'; expected [TEMPLATE <name>] [JOBS <n>]" \
		"-DARGUMENTS=JOB;3"
	wrong "dtlto_ninja_target(numbers): did not expect 'JOBS'" -DARGUMENTS=JOBS
	wrong "DTLTO needs clang 21 or later, but the C compiler is GNU" -DCMAKE_C_COMPILER=gcc
	# A clang that finds another linker, and one that finds none.
	stand_in old-lld <<<'[ "$1" != -fuse-ld=lld ] || { echo "LLD 14.0.6"; exit; }; exec clang-22 "$@"'
	wrong "DTLTO needs lld 21 or later, but $PWD/old-lld -fuse-ld=lld calls lld 14.0.6" \
		-DCMAKE_C_COMPILER="$PWD/old-lld"
	stand_in no-lld <<<'[ "$1" != -fuse-ld=lld ] || { echo "no such linker" >&2; exit 1; }; exec clang-22 "$@"'
	wrong "$PWD/no-lld finds no lld; install lld of the same version (Debian: lld-22). It says: no such linker" \
		-DCMAKE_C_COMPILER="$PWD/no-lld"
	echo 'add_library(headers INTERFACE)' >headers.cmake
	sed -i 's/^include(DtltoNinja)/include(headers.cmake)\n&/' CMakeLists.txt
	wrong "'headers' is not built here: expected a program or a library" -DTARGET=headers
}

@test "Meson: the native file, and a second one over it" {
	need meson clang-22 ld.lld-22 ninja
	cp "$root"/tests/demo/*.[ch] .
	cat >meson.build <<-'EOT'
		project('numbers', 'c')
		table = static_library('table', 'table.c', 'sum.c')
		numbers = executable('numbers', 'main.c', 'square.c', 'prime.c', link_with: table)
		test('numbers', numbers)
	EOT
	cat >mine.ini <<-EOT
		[constants]
		dtlto_ninja = '$dtlto'
		dtlto_options = ['-Xthinlto-distributor=-v']
	EOT
	meson setup build --buildtype=release --native-file="$root/contrib/meson/dtlto-ninja.ini" --native-file=mine.ini
	run -0 ninja -v -C build
	compiled 5
	[[ $output == *"dtlto-ninja: ninja is "* ]]
	[[ $(build/numbers) == *"squares to 10 sum to 385"* ]]
	run -0 meson test -C build
	# As make install writes it, it names the program, and is found by name.
	mkdir -p share/meson/native
	as_installed dtlto-ninja.ini share/meson/native
	XDG_DATA_HOME=/nowhere XDG_DATA_DIRS=$PWD/share meson setup alone --buildtype=release --native-file=dtlto-ninja.ini
	run -0 ninja -v -C alone
	compiled 5
}

# Links of CMake targets with DTLTO, through dtlto-ninja.
#
#   include(DtltoNinja)
#   dtlto_ninja_target(<target> [TEMPLATE <name>] [JOBS <n>] [OPTIONS <option>...])
#
# compiles the target to ThinLTO bitcode and, where it is linked (a program, a shared library or a
# module), has lld give the backend compilations to dtlto-ninja. A static or object library that is to
# take part needs a call of its own. TEMPLATE, JOBS and OPTIONS are options of dtlto-ninja: --template,
# --jobs, and any others, as OPTIONS --verbose --load=8. Neither may hold a comma.
#
#   -DDTLTO_NINJA=ON
#
# does so for all targets made after the include, in its folder and those below. It is also the way for
# a project that does not know this module: -DCMAKE_PROJECT_INCLUDE=/path/to/DtltoNinja.cmake. make install
# puts it into share/dtlto-ninja/cmake.
#
# Variables of the cache:
#
#   DTLTO_NINJA           every target; OFF by default
#   DTLTO_NINJA_PROGRAM   dtlto-ninja; looked for in PATH by default, and then in /usr/local/bin
#   DTLTO_NINJA_TEMPLATE, DTLTO_NINJA_JOBS, DTLTO_NINJA_OPTIONS
#                         what holds where dtlto_ninja_target says nothing else; none by default
#
# Links side by side multiply the compilations; with Ninja, -DCMAKE_JOB_POOLS=link=1
# -DCMAKE_JOB_POOL_LINK=link runs one link after the other.
#
# It needs CMake 3.18, and clang and lld 21 or later. What is missing is an error when DTLTO is first asked
# for, not at the include. Static libraries may be made by any ar but an llvm-ar older than clang: lld does
# without the index, which GNU ar cannot make of bitcode. Languages other than C and C++ are left alone.
# The compilations of lld-link for Windows are not set up by this: clang-cl hands no options to it.

if(CMAKE_VERSION VERSION_LESS 3.18)
  message(FATAL_ERROR "DtltoNinja: expected CMake 3.18 or later, found ${CMAKE_VERSION}")
endif()
# Of this file only; the project's own policies stay.
cmake_policy(VERSION 3.18...3.31)
include_guard(DIRECTORY)

option(DTLTO_NINJA "Link every target with DTLTO, through dtlto-ninja" OFF)
set(DTLTO_NINJA_TEMPLATE "" CACHE STRING "How dtlto-ninja runs compilations: its --template")
set(DTLTO_NINJA_JOBS "" CACHE STRING "How many compilations dtlto-ninja runs at a time: its --jobs")
set(DTLTO_NINJA_OPTIONS "" CACHE STRING "Other options for dtlto-ninja, a list")

set(_dtlto_ninja_oldest 21)

# Ends CMake with a message, of the arguments as they are: there may be semicolons in them.
function(_dtlto_ninja_error)
  set(text "")
  math(EXPR last "${ARGC} - 1")
  foreach(i RANGE ${last})
    string(APPEND text "${ARGV${i}}")
  endforeach()
  message(FATAL_ERROR "DtltoNinja: ${text}")
endfunction()

# The version of the lld that the compiler of the language calls becomes the variable named.
function(_dtlto_ninja_lld_version language variable)
  execute_process(
    COMMAND "${CMAKE_${language}_COMPILER}" -fuse-ld=lld -Wl,--version
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT output MATCHES "LLD ([0-9]+(\\.[0-9]+)*)")
    string(STRIP "${output}" output)
    _dtlto_ninja_error("${CMAKE_${language}_COMPILER} finds no lld; install lld of the same version"
      " (Debian: lld-22). It says: ${output}")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# Warns of an archiver that refuses the bitcode of that compiler: CMake takes an llvm-ar of any version.
# Only a warning, as there may be no static library.
function(_dtlto_ninja_check_archiver language)
  execute_process(COMMAND "${CMAKE_AR}" --version OUTPUT_VARIABLE output ERROR_QUIET)
  if(output MATCHES "LLVM version ([0-9]+)"
      AND "${CMAKE_MATCH_1}.999" VERSION_LESS "${CMAKE_${language}_COMPILER_VERSION}")
    message(WARNING "DtltoNinja: ${CMAKE_AR} is of LLVM ${CMAKE_MATCH_1} and may refuse the bitcode of"
      " ${CMAKE_${language}_COMPILER} for a static library; install that of the same version (Debian: llvm-22)"
      " or choose another with -DCMAKE_AR, GNU ar or a newer llvm-ar")
  endif()
endfunction()

# That compiler, linker and archiver of one language are such that DTLTO can be.
function(_dtlto_ninja_check_language language)
  set(compiler "${CMAKE_${language}_COMPILER}")
  set(found "${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION}")
  if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang"
      OR CMAKE_${language}_COMPILER_VERSION VERSION_LESS _dtlto_ninja_oldest)
    _dtlto_ninja_error("DTLTO needs clang ${_dtlto_ninja_oldest} or later, but the ${language} compiler is"
      " ${found}, ${compiler}; choose another with -DCMAKE_${language}_COMPILER")
  endif()
  if(CMAKE_${language}_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
    _dtlto_ninja_error("clang-cl, ${compiler}, hands no options to lld-link; give"
      " -thinlto-distributor and -thinlto-remote-compiler to the linker by hand")
  endif()
  _dtlto_ninja_lld_version(${language} lld)
  if(lld VERSION_LESS _dtlto_ninja_oldest)
    _dtlto_ninja_error("DTLTO needs lld ${_dtlto_ninja_oldest} or later, but ${compiler} -fuse-ld=lld"
      " calls lld ${lld}")
  endif()
  _dtlto_ninja_check_archiver(${language})
endfunction()

# Finds and checks all that DTLTO needs; once, as the cache remembers what was found good.
function(_dtlto_ninja_check)
  find_program(DTLTO_NINJA_PROGRAM dtlto-ninja PATHS "/usr/local/bin" DOC "dtlto-ninja, the distributor")
  if(NOT DTLTO_NINJA_PROGRAM)
    _dtlto_ninja_error("dtlto-ninja is neither in PATH nor in /usr/local/bin; name it with"
      " -DDTLTO_NINJA_PROGRAM=/path/to/dtlto-ninja")
  endif()
  if(NOT IS_ABSOLUTE "${DTLTO_NINJA_PROGRAM}" OR NOT EXISTS "${DTLTO_NINJA_PROGRAM}")
    _dtlto_ninja_error("DTLTO_NINJA_PROGRAM is '${DTLTO_NINJA_PROGRAM}'; expected the absolute path of"
      " dtlto-ninja")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(checked "")
  foreach(language IN ITEMS C CXX)
    if(language IN_LIST languages)
      list(APPEND checked "${language} ${CMAKE_${language}_COMPILER}")
    endif()
  endforeach()
  if(NOT checked)
    _dtlto_ninja_error("neither C nor C++ is enabled; include it, or ask for DTLTO, after project()")
  endif()
  if(checked STREQUAL "${_DTLTO_NINJA_CHECKED}")
    return()
  endif()
  foreach(language IN ITEMS C CXX)
    if(language IN_LIST languages)
      _dtlto_ninja_check_language(${language})
    endif()
  endforeach()
  set(_DTLTO_NINJA_CHECKED "${checked}" CACHE INTERNAL "What DtltoNinja has checked")
endfunction()

# The options of the link become the variable named. The last argument are options of dtlto-ninja.
function(_dtlto_ninja_link_options variable template jobs)
  set(options "")
  if(NOT template STREQUAL "")
    list(APPEND options "--template=${template}")
  endif()
  if(NOT jobs STREQUAL "")
    if(NOT jobs MATCHES "^[0-9]+$")
      _dtlto_ninja_error("JOBS is '${jobs}'; expected a number, 0 for no limit")
    endif()
    list(APPEND options "--jobs=${jobs}")
  endif()
  list(APPEND options ${ARGN})
  set(link -fuse-ld=lld "-fthinlto-distributor=${DTLTO_NINJA_PROGRAM}")
  foreach(option IN LISTS options)
    if(option MATCHES ",")
      _dtlto_ninja_error("'${option}' has a comma, at which clang would split it; dtlto-ninja can have it"
        " from the environment, in DTLTO_NINJA_OPTIONS")
    endif()
    list(APPEND link "-Xthinlto-distributor=${option}")
  endforeach()
  # CUDA, Fortran and others may link with a compiler that does not know these.
  set(${variable} "$<$<LINK_LANGUAGE:C,CXX>:${link}>" PARENT_SCOPE)
endfunction()

function(dtlto_ninja_target target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "TEMPLATE;JOBS" "OPTIONS")
  if(given_UNPARSED_ARGUMENTS OR given_KEYWORDS_MISSING_VALUES)
    _dtlto_ninja_error("dtlto_ninja_target(${target}): did not expect"
      " '${given_UNPARSED_ARGUMENTS}${given_KEYWORDS_MISSING_VALUES}'; expected"
      " [TEMPLATE <name>] [JOBS <n>] [OPTIONS <option>...]")
  endif()
  if(NOT TARGET ${target})
    _dtlto_ninja_error("there is no target '${target}'")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(imported OR aliased
      OR NOT type MATCHES "^(EXECUTABLE|(SHARED|MODULE|STATIC|OBJECT)_LIBRARY)$")
    _dtlto_ninja_error("'${target}' is not built here: expected a program or a library, no alias and none"
      " that is imported or of headers only")
  endif()
  _dtlto_ninja_check()
  foreach(name IN ITEMS TEMPLATE JOBS OPTIONS)
    if(NOT DEFINED given_${name})
      set(given_${name} "${DTLTO_NINJA_${name}}")
    endif()
  endforeach()
  # Not by INTERPROCEDURAL_OPTIMIZATION: what that does depends on the policies of the folder that made
  # the target, which nothing can ask.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:-flto=thin>")
  if(type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    _dtlto_ninja_link_options(link "${given_TEMPLATE}" "${given_JOBS}" ${given_OPTIONS})
    target_link_options(${target} PRIVATE "$<$<LINK_LANGUAGE:C,CXX>:-flto=thin>" "${link}")
  endif()
endfunction()

if(DTLTO_NINJA)
  _dtlto_ninja_check()
  _dtlto_ninja_link_options(_dtlto_ninja_link "${DTLTO_NINJA_TEMPLATE}" "${DTLTO_NINJA_JOBS}"
    ${DTLTO_NINJA_OPTIONS})
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-flto=thin>")
  add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-flto=thin>" "${_dtlto_ninja_link}")
endif()

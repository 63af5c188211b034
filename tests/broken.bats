#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# Broken descriptions: each ends with status 2, exactly one message, and nothing left behind; ninja
# is not run. "broken JSON MESSAGE": JSON is a format of printf; MESSAGE is what follows
# "dtlto-ninja: x.json: ".

load common

broken() {
	# shellcheck disable=SC2059 # \000 and the like are meant
	printf -- "$1" >x.json
	touch a.bc a.idx
	run --separate-stderr "$dtlto" --ninja=/bin/false x.json
	[[ $status == 2 ]]
	[[ -z $output ]]
	# shellcheck disable=SC2154 # of run
	[[ $stderr == "dtlto-ninja: x.json: $2" ]] || {
		echo "expected: dtlto-ninja: x.json: $2"
		echo "found:    $stderr"
		return 1
	}
	only_files a.bc a.idx x.json
}

setup_file() {
	bats_require_minimum_version 1.5.0
}

# A flat description with the jobs $1, and common.args and the rest of common where given.
flat() {
	echo "{\"common\":{\"linker_output\":\"p\",\"args\":${2:-[\"cc\"]},\"inputs\":[]${3:-}},\"jobs\":[$1]}"
}
# A job that is right.
job='{"args":[],"inputs":["a.bc"],"outputs":["a.o"]}'
# A description with references: common.args $1, a job's members $2.
refs() {
	echo "{\"common\":{\"linker_output\":\"p\",\"args\":$1},\"jobs\":[{$2}]}"
}
named='"primary_input":["a.bc"],"summary_index":["a.idx"],"primary_output":["a.o"]'

# What is no JSON.
@test "an empty file" { broken '' "line 1, column 1: expected an object, found the end of the file"; }
@test "white space only" { broken ' \n\n ' "line 3, column 2: expected an object, found the end of the file"; }
@test "an array" { broken '[]' "line 1, column 1: expected an object, found an array"; }
@test "a string" { broken '"x"' "line 1, column 1: expected an object, found a string"; }
@test "a word" { broken 'jobs' "line 1, column 1: expected an object, found 'j'"; }
@test "an object that does not end" { broken '{' "line 1, column 2: expected a key in double quotes, found the end of the file"; }
@test "a key without quotes" { broken '{common:1}' "line 1, column 2: expected a key in double quotes, found 'c'"; }
@test "a key without a colon" { broken '{"common" 1}' "line 1, column 11: common: expected ':' after the key, found '1'"; }
@test "a file cut in a string" { broken '{"common":{"linker_output":"pro' "line 1, column 32: common.linker_output: expected the rest of a string, found the end of the file"; }
@test "a file cut in an array" { broken '{"common":{"args":["cc",' "line 1, column 25: common.args[1]: expected the rest of the value, found the end of the file"; }
@test "a file cut between jobs" { broken "$(flat "$job," | sed 's/]}$//')" "line 1, column 115: jobs[1]: expected an object, found the end of the file"; }
@test "members without a comma" { broken '{"a":1 "b":2}' "line 1, column 8: a: expected ',' or '}', found a string"; }
@test "elements without a comma" { broken "$(flat '{"args":["a" "b"]}')" "line 1, column 80: jobs[0].args: expected ',' or ']', found a string"; }
@test "a comma too many in an array" { broken "$(flat '{"args":["a",]}')" "line 1, column 80: jobs[0].args: expected a value, found ']'"; }
@test "a comma too many among jobs" { broken "$(flat "$job,")" "line 1, column 115: jobs[1]: expected an object, found ']'"; }
@test "a comma too many in an object" { broken '{"common":{"linker_output":"p",}}' "line 1, column 32: common: expected a key in double quotes, found '}'"; }
@test "brackets that do not match" { broken "$(flat '{"args":["a"}}')" "line 1, column 79: jobs[0].args: expected ',' or ']', found '}'"; }
@test "a comment" { broken '{/* x */}' "line 1, column 2: expected a key in double quotes, found '/'"; }
@test "single quotes" { broken "{'common':1}" "line 1, column 2: expected a key in double quotes, found '''"; }
@test "NaN" { broken '{"x":NaN}' "line 1, column 6: x: expected a value, found 'NaN'"; }
@test "a number with a leading zero" { broken '{"x":[1,01]}' "line 1, column 9: x[1]: expected a value, found '01'"; }
@test "a number with a bare point" { broken '{"x":1.}' "line 1, column 6: x: expected a value, found '1.'"; }
@test "True" { broken '{"x":True}' "line 1, column 6: x: expected a value, found 'True'"; }
@test "bytes after the end" { broken "$(flat "$job")}" "line 1, column 116: expected nothing after the end, found '}'"; }
@test "a second description after the end" { broken "$(flat "$job")\n{}" "line 2, column 1: expected nothing after the end, found '{'"; }
@test "a NUL byte after the end" { broken "$(flat "$job")\000" "line 1, column 116: expected nothing after the end, found a NUL byte"; }
@test "a NUL byte between values" { broken '{"a":1,\000"b":2}' "line 1, column 8: expected a key in double quotes, found a NUL byte"; }
@test "a NUL byte in a string" { broken "$(flat '{"args":["a\000b"]}')" "line 1, column 78: jobs[0].args[0]: expected no control character in a string, found a NUL byte"; }
@test "an escaped NUL" { broken "$(flat '{"args":["a","b\\u0000"]}')" "line 1, column 82: jobs[0].args[1]: expected no NUL in a string, found \\u0000"; }
@test "an escaped NUL in a key" { broken '{"a\\u0000":1}' "line 1, column 4: expected no NUL in a string, found \\u0000"; }
@test "a newline in a string" { broken "$(flat '{"args":["a\nb"]}')" "line 1, column 78: jobs[0].args[0]: expected no control character in a string, found a newline"; }
@test "a tab in a string" { broken "$(flat '{"args":["a\tb"]}')" "line 1, column 78: jobs[0].args[0]: expected no control character in a string, found the byte 0x09"; }
@test "an escape that JSON does not know" { broken "$(flat '{"args":["\\x"]}')" "line 1, column 78: jobs[0].args[0]: expected an escape that JSON knows after the backslash, found 'x'"; }
@test "a short \\u escape" { broken "$(flat '{"args":["\\u12"]}')" "line 1, column 79: jobs[0].args[0]: expected four hexadecimal digits after \\u, found '1'"; }
@test "half a surrogate pair" { broken "$(flat '{"args":["\\ud83d"]}')" "line 1, column 77: jobs[0].args[0]: expected a pair of surrogates, found half of one"; }
@test "surrogates in the wrong order" { broken "$(flat '{"args":["\\ude00\\ud83d"]}')" "line 1, column 77: jobs[0].args[0]: expected a pair of surrogates, found half of one"; }
@test "a byte that is not UTF-8" { broken "$(flat '{"args":[],"inputs":["a\377"]}')" "line 1, column 90: jobs[0].inputs[0]: expected UTF-8, found the byte 0xff"; }
@test "overlong UTF-8" { broken "$(flat '{"args":["\300\257"]}')" "line 1, column 77: jobs[0].args[0]: expected UTF-8, found the byte 0xc0"; }
@test "a surrogate in UTF-8" { broken "$(flat '{"args":["\355\240\200"]}')" "line 1, column 77: jobs[0].args[0]: expected UTF-8, found the byte 0xed"; }
@test "UTF-8 cut by the end of the string" { broken "$(flat '{"args":["\303"]}')" "line 1, column 77: jobs[0].args[0]: expected UTF-8, found the byte 0xc3"; }
deep=$(printf '[%.0s' {1..40})
place=x$(printf '[0]%.0s' {1..31})
@test "nesting without end" { broken "{\"x\":$deep" "line 1, column 37: $place: expected at most 32 levels of nesting, found more"; }

# JSON, but no description.
@test "an empty object" { broken '{}' "common: expected an object, found nothing"; }
@test "no common" { broken '{"jobs":[]}' "common: expected an object, found nothing"; }
@test "no jobs" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":[]}}' "jobs: expected an array, found nothing"; }
@test "common twice" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":[]},"common":{}}' "line 1, column 59: common: expected each key once, found it again"; }
@test "jobs twice" { broken "$(flat "$job" | sed 's/}$/,"jobs":[]}/')" "line 1, column 116: jobs: expected each key once, found it again"; }
@test "a key of a job twice" { broken "$(flat '{"args":[],"inputs":["a.bc"],"args":[]}')" "line 1, column 96: jobs[0].args: expected each key once, found it again"; }
@test "a key twice, once written with an escape" { broken "$(flat '{"args":[],"\\u0061rgs":[]}')" "line 1, column 78: jobs[0].args: expected each key once, found it again"; }
@test "a key twice in what is passed over" { broken '{"x":{"y":[{"z":1,"z":2}]}}' "line 1, column 19: x.y[0].z: expected each key once, found it again"; }
@test "common is a number" { broken '{"common":7}' "line 1, column 11: common: expected an object, found '7'"; }
@test "jobs is an object" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":[]},"jobs":{}}' "line 1, column 66: jobs: expected an array, found an object"; }
@test "a job is a string" { broken "$(flat '"a"')" "line 1, column 67: jobs[0]: expected an object, found a string"; }
@test "no linker_output" { broken '{"common":{"args":["cc"],"inputs":[]},"jobs":[]}' "common.linker_output: expected a string, found nothing"; }
@test "linker_output is an array" { broken '{"common":{"linker_output":["p"],"args":["cc"],"inputs":[]},"jobs":[]}' "common.linker_output: expected a string, found an array"; }
@test "linker_version is a number" { broken "$(flat "$job" '["cc"]' ',"linker_version":22')" "common.linker_version: expected a string, found the number 22"; }
@test "no common.args" { broken '{"common":{"linker_output":"p","inputs":[]},"jobs":[]}' "common.args: expected an array, found nothing"; }
@test "empty common.args" { broken "$(flat "$job" '[]')" "common.args: expected the compiler and its arguments, found an empty array"; }
@test "the compiler is empty" { broken "$(flat "$job" '[""]')" "common.args[0]: expected the compiler, found an empty string: the linker was not told one (lld's --thinlto-remote-compiler=)"; }
@test "the compiler is a reference" { broken "$(refs '[["primary_input",0]]' "$named")" "common.args[0]: expected the compiler, a string, found an array"; }
@test "a number in common.args" { broken "$(flat "$job" '["cc",7]')" "common.args[1]: expected a string or an array, found the number 7"; }
@test "common.inputs is a string" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":"x"},"jobs":[]}' "common.inputs: expected an array of strings, found the string 'x'"; }
@test "null in common.inputs" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":[null]},"jobs":[]}' "common.inputs[0]: expected a string, found null"; }
@test "no common.inputs" { broken "{\"common\":{\"linker_output\":\"p\",\"args\":[\"cc\"]},\"jobs\":[$job]}" "common.inputs: expected an array of strings, found nothing"; }
@test "args of a job is missing" { broken "$(flat '{"inputs":["a.bc"],"outputs":["a.o"]}')" "jobs[0].args: expected an array of strings, found nothing"; }
@test "inputs of the second job is missing" { broken "$(flat "$job,"'{"args":[],"outputs":["b.o"]}')" "jobs[1].inputs: expected an array of strings, found nothing"; }
@test "outputs of a job is missing" { broken "$(flat '{"args":[],"inputs":["a.bc"]}')" "jobs[0].outputs: expected an array of strings, found nothing"; }
@test "a job without outputs" { broken "$(flat '{"args":[],"inputs":["a.bc"],"outputs":[]}')" "jobs[0].outputs: expected at least one file name, found an empty array"; }
@test "an output without a name" { broken "$(flat '{"args":[],"inputs":["a.bc"],"outputs":["a.o",""]}')" "jobs[0].outputs[1]: expected a file name, found an empty string"; }
@test "a number among the inputs" { broken "$(flat '{"args":[],"inputs":["a.bc",7],"outputs":["a.o"]}')" "jobs[0].inputs[1]: expected a string, found the number 7"; }
@test "an object among the inputs" { broken "$(flat '{"args":[],"inputs":[{}],"outputs":["a.o"]}')" "jobs[0].inputs[0]: expected a string, found an object"; }
@test "true for args" { broken "$(flat '{"args":true,"inputs":[],"outputs":["a.o"]}')" "jobs[0].args: expected an array of strings, found true"; }
@test "members of both shapes" { broken "$(flat '{"args":[],"inputs":[],"outputs":["a.o"],"primary_input":["a.bc"]}')" "jobs[0].primary_input: expected a member of the flat shape (args, inputs, outputs), found one of the other shape"; }
@test "the 2024 draft" { broken "$(cat "$BATS_TEST_DIRNAME/fixtures/s0-2024.json")" "common.modules: expected a description of LLVM 21 or later, found the draft of 2024, which no release of LLVM writes: link with LLVM 21 or later"; }

# References.
@test "a flat job under references" { broken "$(refs '["cc",["primary_input",0]]' '"args":[],"inputs":[],"outputs":["a.o"]')" "jobs[0].args: expected a member of the reference shape (primary_input, summary_index, primary_output), found one of the other shape"; }
@test "no summary_index" { broken "$(refs '["cc",["primary_input",0]]' '"primary_input":["a.bc"],"primary_output":["a.o"]')" "jobs[0].summary_index: expected an array of strings, found nothing"; }
@test "two primary outputs" { broken "$(refs '["cc",["primary_input",0]]' '"primary_input":["a.bc"],"primary_output":["a.o","b.o"]')" "jobs[0].primary_output: expected one string, found 2 of them"; }
@test "a reference out of range" { broken "$(refs '["cc",["primary_input",1]]' "$named")" "common.args[1][1]: expected a string or an index into jobs[0].primary_input, which has 1 element, found the number 1"; }
@test "a negative reference" { broken "$(refs '["cc","-o",["primary_output",-1]]' "$named")" "common.args[2][1]: expected a string or an index into jobs[0].primary_output, which has 1 element, found the number -1"; }
@test "a fraction for a reference" { broken "$(refs '["cc",["primary_input",0.5]]' "$named")" "common.args[1][1]: expected a string or an index into jobs[0].primary_input, which has 1 element, found the number 0.5"; }
@test "a reference to an array that the job lacks" { broken "$(refs '["cc",["imports",0]]' "$named")" "common.args[1][1]: expected a string or an index into jobs[0].imports, which has 0 elements, found the number 0"; }
@test "a reference to an array that does not exist" { broken "$(refs '["cc",["objects",0]]' "$named")" 'common.args[1]: expected the name of an array of the job, then strings and indices into it, found ["objects",0]'; }
@test "a reference to nothing" { broken "$(refs '["cc",["primary_input"]]' "$named")" 'common.args[1]: expected the name of an array of the job, then strings and indices into it, found ["primary_input"]'; }
@test "an empty reference" { broken "$(refs '["cc",[]]' "$named")" "common.args[1]: expected the name of an array of the job, then strings and indices into it, found an empty array"; }

# Files.
@test "a missing input, with its job" { broken "$(flat '{"args":[],"inputs":["a.bc","b.idx"],"outputs":["a.o"]}')" "jobs[0].inputs[1]: expected a file that can be read, found none: 'b.idx' (module 'a.bc' needs it)"; }
@test "a missing module" { broken "$(flat "$job,"'{"args":[],"inputs":["b.bc"],"outputs":["b.o"]}')" "jobs[1].inputs[0]: expected a file that can be read, found none: 'b.bc'"; }
@test "a missing common input" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":["x.prof"]},"jobs":[]}' "common.inputs[0]: expected a file that can be read, found none: 'x.prof'"; }
@test "a missing import of the reference shape" { broken "$(refs '["cc"]' "$named,\"imports\":[\"a.bc\",\"b.bc\"]")" "jobs[0].imports[1]: expected a file that can be read, found none: 'b.bc' (module 'a.bc' needs it)"; }
@test "a directory for an input" { broken "$(flat '{"args":[],"inputs":["."],"outputs":["a.o"]}')" "jobs[0].inputs[0]: expected a file that can be read, found a directory: '.'"; }
@test "two jobs with one output" { broken "$(flat "$job,$job")" "jobs[1].outputs[0]: expected a file of its own, found an output of jobs[0]: 'a.o'"; }
@test "two spellings of one output" { broken "$(flat "$job,"'{"args":[],"inputs":["a.bc"],"outputs":["./../here/a.o"]}')" "jobs[1].outputs[0]: expected a file of its own, found an output of jobs[0]: './../here/a.o'"; }
@test "one output twice in a job" { broken "$(flat '{"args":[],"inputs":["a.bc"],"outputs":["a.o",".//a.o"]}')" "jobs[0].outputs[1]: expected a file of its own, found an output of jobs[0]: './/a.o'"; }
@test "an output that is an input of its job" { broken "$(flat '{"args":[],"inputs":["a.bc"],"outputs":["./a.bc"]}')" "jobs[0].outputs[0]: expected a file of its own, found an input of jobs[0]: './a.bc'"; }
@test "an output that is an input of a later job" { broken "$(flat '{"args":[],"inputs":["a.bc"],"outputs":["a.o"]},{"args":[],"inputs":["a.o"],"outputs":["b.o"]}')" "jobs[1].inputs[0]: expected a file of its own, found an output of jobs[0]: 'a.o'"; }
@test "an output that is an input of all jobs" { broken '{"common":{"linker_output":"p","args":["cc"],"inputs":["a.idx"]},"jobs":[{"args":[],"inputs":["a.bc"],"outputs":["a.idx"]}]}' "jobs[0].outputs[0]: expected a file of its own, found an input of all jobs (common.inputs): 'a.idx'"; }

# Completion of dtlto-ninja for fish.

# Files that end in the suffix, and folders.
function __dtlto_ninja_files --argument-names suffix
    set -l word (string replace -r -- '^(--[a-z-]+=|-[a-z])' '' (commandline -ct))
    complete -C "'' $word" | string match -r -- '^\S.*(?:/|\Q'$suffix'\E)(?=\t|$)'
end

function __dtlto_ninja_templates
    # The program as it is called here, which may not be in PATH.
    set -l program (commandline -opc)[1]
    $program --list-templates 2>/dev/null | string replace -r '^(\S+)\s+' '$1\t'
    __dtlto_ninja_files .ninja
end

complete -c dtlto-ninja -f -a '(__dtlto_ninja_files .json)' -d 'Job description'

# One line for each option.
complete -c dtlto-ninja -s h -l help -d 'Print a short help'
complete -c dtlto-ninja -s V -l version -d 'Print the version'
complete -c dtlto-ninja -s j -l jobs -x -d 'Run N backend compilations at a time'
complete -c dtlto-ninja -s l -l load -x -d 'Start none while the load average is over N'
complete -c dtlto-ninja -s k -l keep-going -x -d 'Go on until N have failed'
complete -c dtlto-ninja -l memory -x -a none -d 'Run no more than fit into SIZE'
complete -c dtlto-ninja -s n -l dry-run -d 'Show what would be compiled, and compile nothing'
complete -c dtlto-ninja -s v -l verbose -d 'Show the commands and what was chosen'
complete -c dtlto-ninja -s q -l quiet -d 'Show no progress, only what compilers say'
complete -c dtlto-ninja -l ninja -r -a '(__fish_complete_command)' -d 'The ninja to run'
complete -c dtlto-ninja -s t -l template -x -a '(__dtlto_ninja_templates)' -d 'How to run them'
complete -c dtlto-ninja -l warm -d 'Load the compiler once'
complete -c dtlto-ninja -l no-warm -d 'Load the compiler for each compilation'
complete -c dtlto-ninja -l list-templates -d 'List the templates and where they come from'
complete -c dtlto-ninja -l print-template -x -a '(__dtlto_ninja_templates)' -d 'Print a template'
complete -c dtlto-ninja -l generate -d 'Only write the manifest'
complete -c dtlto-ninja -s o -l output -r -d 'Where --generate writes it'
complete -c dtlto-ninja -l keep -d 'Keep the manifest and the log of ninja'
complete -c dtlto-ninja -l repro -r -d 'Pack all that is needed to compile again'
complete -c dtlto-ninja -l repro-failed -d 'Pack only what failed'
complete -c dtlto-ninja -l explain -r -d 'Say what a compilation reads, and when it ran'
complete -c dtlto-ninja -l trace -r -d 'Write a time trace'
complete -c dtlto-ninja -l report -r -d 'Write a page about the link'

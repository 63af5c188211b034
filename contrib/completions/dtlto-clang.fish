# Completion of dtlto-clang for fish. People call it with --check; the rest is what manifests say.

# One line for each option.
complete -c dtlto-clang -s h -l help -d 'Print a short help'
complete -c dtlto-clang -s V -l version -d 'Print the version'
complete -c dtlto-clang -l check -d 'Say what is right and what is missing on this node of a farm'
complete -c dtlto-clang -l through -x -a 'distcc icecream ccache ccache-distcc ccache-icecream' -d 'The client'
complete -c dtlto-clang -l inputs -r -d 'A response file that lists what the compilation reads'

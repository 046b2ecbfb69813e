# fish.sh LINE: fish's completions of the line, one word a line with its description.
git plan completion fish | source
complete -C $argv[1]

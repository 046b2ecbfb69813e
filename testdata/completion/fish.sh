# fish.sh LINE: what fish offers for the line, one word a line with what it is about.
git plan completion fish | source
complete -C $argv[1]

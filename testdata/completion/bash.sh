# bash.sh LINE: bash's completions of the line, one word a line.
set -u
source /usr/share/bash-completion/bash_completion
source /usr/share/bash-completion/completions/git
source <(git plan completion bash)
COMP_LINE=$1
COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
set +u
__git_wrap__git_main
printf '%s\n' "${COMPREPLY[@]}"

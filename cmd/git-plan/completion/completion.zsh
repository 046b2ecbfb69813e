#compdef git-plan
#description plan and execute work on a branch, step by step

# git plan, for zsh's completion of git: it calls _git-plan for `git plan`.

_git-plan () {
	local -a typed found
	typed=("${(@Q)words[2,CURRENT]}")
	found=("${(@f)$(_call_program plan git plan complete zsh -- "${(@q)typed}" 2>/dev/null)}")
	found=(${found:#})
	if (( $#found )); then
		_describe -V 'git plan' found
	else
		_files
	fi
}

_git-plan "$@"

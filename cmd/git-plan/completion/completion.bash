# git plan, for git's own completion: it calls _git_plan for `git plan`.

_git_plan ()
{
	local at=${__git_cmd_idx:-}
	if [ -z "$at" ]; then # git before 2.30 does not say where the command stands
		for ((at = 1; at < cword; at++)); do
			[ "${words[at]}" = plan ] && break
		done
	fi
	__gitcomp_nl "$(__git plan complete bash -- "${words[@]:at+1:cword-at}" 2>/dev/null)"
}

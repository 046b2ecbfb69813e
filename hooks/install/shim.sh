# Written by "git plan hooks install", removed by "git plan hooks uninstall". GIT_PLAN_HOOKS=0 skips it.
git_plan_hook() {
	[ "${GIT_PLAN_HOOKS-}" != 0 ] || return 0
@mark@	git_plan=$(command -v git-plan) || git_plan=@program@
	git_plan_code=127
	if [ -x "$git_plan" ]; then
		# What git says on standard input is read twice: by git-plan, and by the rest of this hook.
		git_plan_code=1
		git_plan_in=$(mktemp) || return @code@
		cat >|"$git_plan_in" || { rm -f "$git_plan_in"; return 1; }
		exec <"$git_plan_in"
		git_plan_code=0
		{ rm -f "$git_plan_in"; "$git_plan" hook @hook@ "$@"; } <"$git_plan_in" || git_plan_code=$?
	fi
	case $git_plan_code in
	126 | 127)
		echo "git-plan cannot be run by @hook@; if it is gone for good, take its lines out of $0" >&2
		case @hook@$(git config plan.prePush) in
		pre-push | pre-pushwarn | pre-pushoff) ;; # it goes on without
		pre-push*) return 1 ;;
		esac
		;;
	*) return @code@ ;;
	esac
}
git_plan_hook "$@" || exit $?
unset -f git_plan_hook
unset git_plan git_plan_in git_plan_code git_plan_dir git_plan_word

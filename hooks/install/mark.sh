	[ -z "${GIT_PLAN_DEPTH-}" ] || return 0
	# Where git-plan left no mark there is nothing to do, and no program is started to find that out.
	git_plan_dir=${GIT_DIR:-.git}
	if [ -f "$git_plan_dir" ]; then read -r git_plan_word git_plan_dir <"$git_plan_dir" || :; fi
	case "@hook@ ${1-} ${3-}" in
	"post-checkout "*" 0") return 0 ;; # of files
	"post-rewrite rebase "*) ;;
	*) [ ! -d "$git_plan_dir/rebase-merge" ] && [ ! -d "$git_plan_dir/rebase-apply" ] || return 0 ;; # its end tells all
	esac
	if [ -f "$git_plan_dir/commondir" ]; then
		read -r git_plan_word <"$git_plan_dir/commondir" || :
		case $git_plan_word in
		/* | ?:*) git_plan_dir=$git_plan_word ;;
		*) git_plan_dir=$git_plan_dir/$git_plan_word ;;
		esac
	fi
	[ -e "$git_plan_dir/plan/@folder@" ] || return 0

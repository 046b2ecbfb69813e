#!/bin/sh
# packaging/action.sh install|gate|review|run: what action.yml does in a job. Its inputs are in
# BASE, OPTIONS, APPROVE and PUSH.
set -eu

out=$(mktemp)
trap 'rm -f "$out"' EXIT

# install builds the program from the commit of the action that the workflow names.
install() {
	bin=${RUNNER_TEMP:-/tmp}/git-plan-bin
	mkdir -p "$bin"
	(cd "$GITHUB_ACTION_PATH" && CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_docs -o "$bin/" ./cmd/git-plan)
	echo "$bin" >>"$GITHUB_PATH"
}

# branch goes to the branch of the job: a checkout of a pull request is a merge that nobody made.
branch() {
	if ! name=$(git symbolic-ref -q --short HEAD); then
		name=${GITHUB_HEAD_REF:-$GITHUB_REF_NAME} tip=HEAD
		[ -z "${GITHUB_HEAD_REF:-}" ] || ! git rev-parse -q --verify HEAD^2 >/dev/null || tip=HEAD^2
		git switch -q -C "$name" "$tip"
	fi
	if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
		stop "the checkout is shallow" "add to actions/checkout: with: {fetch-depth: 0}"
	fi
}

# stop ends the job with what is wrong and what to do.
stop() {
	echo "::error title=git plan::$1; $2"
	exit 1
}

# finish ends with a code, after it said so to later steps.
finish() {
	state=$(git plan status --porcelain 2>/dev/null | sed -n 's/^state.//p' || true)
	printf 'code=%s\nstate=%s\n' "$1" "$state" >>"${GITHUB_OUTPUT:-/dev/null}"
	exit "$1"
}

# gate prints what others wrote, so the runner obeys nothing in it.
gate() {
	branch
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	echo "::stop-commands::$token"
	git plan fetch origin
	code=0
	git plan status >"$out" || code=$?
	cat "$out"
	{ printf '### git plan\n\n'; sed 's/^/    /' "$out"; echo; } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
	[ "$code" = 0 ] || finish "$code"
	git plan approve --yes
	if ! git plan status --porcelain | grep -q '^state.done$'; then
		echo "::$token::"
		echo "::error title=git plan::the plan of this branch is not done: git plan status"
		finish 3
	fi
	git plan verify || code=$?
	finish "$code"
}

# review shows the findings at their lines, unless its options choose a form. It ends with the review's code.
review() {
	branch
	[ -n "$BASE" ] || [ -z "${GITHUB_BASE_REF:-}" ] || BASE=origin/$GITHUB_BASE_REF
	set -f # options are words, not patterns
	code=0
	# shellcheck disable=SC2086
	set -- --no-fix ${BASE:+--base "$BASE"} $OPTIONS
	case " $OPTIONS" in
	*" --format"* | *" --json-events"*)
		git plan review "$@" || code=$?
		finish "$code"
		;;
	esac
	command -v jq >/dev/null || stop "jq is not installed, which shows findings at their lines" "install it, or choose a form: options: --format text"
	git plan review "$@" --format rdjsonl >"$out" || code=$?
	annotate <"$out" || [ "$code" != 0 ] || code=1
	finish "$code"
}

# annotate turns rdjsonl into annotations. No text of a finding becomes a command of the runner.
annotate() {
	jq -r 'def data: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A") | gsub("[[:cntrl:]]"; "?");
		def property: data | gsub(":"; "%3A") | gsub(","; "%2C");
		"::\({ERROR: "error", WARNING: "warning"}[.severity] // "notice") " +
		(if .location then "file=\(.location.path | property),line=\(.location.range.start.line // 1)," else "" end) +
		"title=\(.code.value | property)::\(.message | data)"'
}

run() {
	branch
	git config user.name >/dev/null || git config user.name 'github-actions[bot]'
	git config user.email >/dev/null || git config user.email 41898282+github-actions[bot]@users.noreply.github.com
	git plan fetch origin
	[ "$APPROVE" != true ] || git plan approve --yes
	set -f
	code=0 when=never
	# A job that is killed at its limit of time has pushed every step that was done.
	[ "$PUSH" != true ] || when=step
	# shellcheck disable=SC2086
	git -c plan.push=$when plan run $OPTIONS || code=$?
	if [ "$PUSH" = true ]; then
		git push origin "HEAD:refs/heads/$name"
		git plan push origin
	fi
	finish "$code"
}

case ${1:-} in
install | gate | review | run) "$1" ;;
*) stop "do: $1 is none of gate, review and run" "see https://github.com/git-plan/git-plan" ;;
esac

#!/bin/sh
# packaging/action.sh install|gate|review|run: what action.yml does in a job. Its inputs are in
# BASE, OPTIONS, APPROVE and PUSH; nothing of them becomes part of a script.
set -eu

out=$(mktemp) findings=$(mktemp)
trap 'rm -f "$out" "$findings"' EXIT

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

# summary writes standard input to the job's page: as it is, or with -c as text only.
summary() {
	{
		printf '### git plan %s\n\n' "$1"
		if [ "${2:-}" = -c ]; then sed 's/^/    /'; else cat; fi
		echo
	} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# finish ends with a code, after it said so to later steps.
finish() {
	state=$(git plan status --porcelain 2>/dev/null | sed -n 's/^state.//p' || true)
	printf 'code=%s\nstate=%s\n' "$1" "$state" >>"${GITHUB_OUTPUT:-/dev/null}"
	exit "$1"
}

# annotate shows findings (rdjsonl) where they are in the pull request's files.
annotate() {
	command -v jq >/dev/null || return 0
	jq -r '
		def text: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
		def property: text | gsub(":"; "%3A") | gsub(","; "%2C");
		({ERROR: "error", WARNING: "warning"}[.severity] // "notice") as $kind |
		"::\($kind) file=\(.location.path | property),line=\(.location.range.start.line // 1),title=git plan::\(.message | text)"
	' "$findings"
}

gate() {
	branch
	git plan fetch origin
	code=0
	git plan status >"$out" || code=$?
	cat "$out"
	summary gate -c <"$out"
	[ "$code" = 0 ] || finish "$code"
	git plan approve
	if ! git plan status --porcelain | grep -q '^state.done$'; then
		echo "::error title=git plan::the plan of this branch is not done: git plan status"
		finish 3
	fi
	git plan verify || code=$?
	finish "$code"
}

review() {
	branch
	[ -n "$BASE" ] || [ -z "${GITHUB_BASE_REF:-}" ] || BASE=origin/$GITHUB_BASE_REF
	set -f # options are words, not patterns
	code=0
	# shellcheck disable=SC2086
	git plan review --no-fix ${BASE:+--base "$BASE"} --format rdjsonl $OPTIONS >"$findings" || code=$?
	annotate
	report <"$findings"
	finish "$code"
}

# report is findings as lines of a list.
report() {
	if command -v jq >/dev/null; then
		jq -r '"\(.severity): \(.location.path):\(.location.range.start.line // 1): \(.message | gsub("\\s+"; " "))"'
	else
		cat
	fi >"$out"
	[ -s "$out" ] || echo "no findings" >"$out"
	summary review -c <"$out"
}

run() {
	branch
	git config user.name >/dev/null || git config user.name 'github-actions[bot]'
	git config user.email >/dev/null || git config user.email 41898282+github-actions[bot]@users.noreply.github.com
	git plan fetch origin
	[ "$APPROVE" != true ] || git plan approve
	set -f
	code=0
	# shellcheck disable=SC2086
	git plan run $OPTIONS || code=$?
	git plan export --format pr | summary run || true
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

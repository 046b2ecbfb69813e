# Functions for reviewers, verifiers and fixers of stories, which answer in the form that git plan asks for:
#
#	finds FILE QUOTE [TITLE]   a finding, of the CATEGORY and SEVERITY
#	reviewed [FILE ...|all]    a reviewer's answer: these files read, or all, and the findings so far
#	answers WORD QUOTE         a verifier's answer, the same to each finding
#	disposed WORD BECAUSE      a fixer's answer, the same for each finding
finds() {
	found="$found${found:+,}{\"category\":\"${CATEGORY:-correctness}\",\"severity\":\"${SEVERITY:-high}\",\"file\":\"$1\",\"quote\":\"$2\",\"title\":\"${3:-a bug}\",\"detail\":\"it is one\",\"trigger\":\"always\",\"remedy\":\"fix\"}"
}
reviewed() {
	[ "$*" != all ] || set -- $(git ls-files)
	covered=
	for file; do covered="$covered${covered:+,}\"$file\""; done
	printf '{"nonce":"%s","covered":[%s],"findings":[%s]}' "$GIT_PLAN_NONCE" "$covered" "$found"
}
each() { # with % for the id of each finding, separated by commas
	sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' "$GIT_PLAN_FINDINGS" | while read -r id; do printf '%s' "$comma"; printf "$1" "$id"; comma=,; done
}
answers() {
	printf '{"nonce":"%s","answers":[%s]}' "$GIT_PLAN_NONCE" "$(each "{\"id\":\"%s\",\"answer\":\"$1\",\"because\":\"looked\",\"quote\":\"$2\"}")"
}
disposed() {
	printf '{"status":"done","summary":"done","dispositions":[%s]}' "$(each "{\"id\":\"%s\",\"disposition\":\"$1\",\"because\":\"$2\"}")" >"$GIT_PLAN_RESULT"
}

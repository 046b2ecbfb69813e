#!/bin/sh
# A reviewer: each changed file that contains the word BUG has one high finding,
# whose quote is that line. It reads the clone in which it is started.
cat >/dev/null
covered= findings=
for f in $(git diff --name-only --diff-filter=d "$GIT_PLAN_BASE" "$GIT_PLAN_HEAD"); do
	covered="$covered${covered:+, }\"$f\""
	quote=$(grep -m 1 BUG "$f" 2>/dev/null) || continue
	findings="$findings${findings:+, }{\"category\": \"correctness\", \"severity\": \"${SEVERITY:-high}\", \"file\": \"$f\",
		\"quote\": \"$quote\", \"title\": \"there is a bug\", \"detail\": \"it says so\", \"trigger\": \"any input\", \"remedy\": \"fix\"}"
done
printf 'I looked at everything.\n{"nonce": "%s", "covered": [%s], "findings": [%s]}\n' "$GIT_PLAN_NONCE" "$covered" "$findings"

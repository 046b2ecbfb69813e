#!/bin/sh
# A fixer: removes the word BUG from a.txt, and does what a verification asks for.
cat >/dev/null
if [ "$GIT_PLAN_ROUND" = 0 ] || ! grep -q BUG a.txt; then echo made >verified.txt; fi
sed 's/BUG/fixed/' a.txt >a.new && mv a.new a.txt
answers=
for id in $(sed -n 's/^    "id": "\(.*\)",*$/\1/p' "$GIT_PLAN_FINDINGS"); do
	answers="$answers${answers:+, }{\"id\": \"$id\", \"disposition\": \"fixed\", \"because\": \"it is gone\"}"
done
printf '{"status": "done", "summary": "fixed", "dispositions": [%s]}' "$answers" >"$GIT_PLAN_RESULT"

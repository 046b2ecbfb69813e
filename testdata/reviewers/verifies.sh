#!/bin/sh
# A verifier: answers $ANSWER (confirmed) for every finding, and refuted if a
# fixer's reason is "as intended". Each cites the first line of a.txt.
cat >/dev/null
answers=
quote=$(head -n 1 a.txt)
for id in $(sed -n 's/^    "id": "\(.*\)",*$/\1/p' "$GIT_PLAN_FINDINGS"); do
	answer=${ANSWER:-confirmed}
	grep -q 'as intended' "$GIT_PLAN_FINDINGS" && answer=refuted
	answers="$answers${answers:+, }{\"id\": \"$id\", \"answer\": \"$answer\", \"because\": \"seen\", \"quote\": \"$quote\"}"
done
printf '{"nonce": "%s", "answers": [%s]}\n' "$GIT_PLAN_NONCE" "$answers"

# A command that plays the stories of the agents' contract (testdata/contract).
# The step's id is the story.
result() { cat >"$GIT_PLAN_RESULT"; }

case "$GIT_PLAN_STEP" in
done)
	cat >prompt.txt
	echo made >made.txt
	echo '{"status": "done", "subject": "Make it", "summary": "made it",
	       "handoff": {"did": "made.txt", "why": "asked for", "rejected": "nothing"},
	       "tokens": {"in": 100, "cached": 40, "out": 7}}' | result ;;
blocked)
	echo '{"status": "blocked", "question": "Which one?"}' | result ;;
failed)
	echo '{"status": "failed", "summary": "It cannot be done."}' | result ;;
silent)
	: ;;
limited)
	exit 75 ;;
garbage)
	echo '{"status": "done"' | result ;;
stall)
	sleep 300 ;;
leave)
	(while sleep 0.1; do touch late; done) &
	touch started
	sleep 300 ;;
plan)
	printf '# A plan\n' ;;
review)
	printf '{"nonce": "%s", "covered": ["a.go"], "findings": []}' "$GIT_PLAN_NONCE" ;;
verify)
	printf '{"nonce": "%s", "answers": [{"id": "f1", "answer": "confirmed", "because": "it is so", "quote": "x"}]}' "$GIT_PLAN_NONCE" ;;
fix)
	echo '{"dispositions": [{"id": "f1", "disposition": "fixed", "because": "mended"}]}' | result ;;
env)
	env >env.txt ;;
*)
	echo "no such story: $GIT_PLAN_STEP" >&2
	exit 1 ;;
esac

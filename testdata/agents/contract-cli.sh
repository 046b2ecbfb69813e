# One of the command-line agents, as far as the stories of the agents' contract
# (testdata/contract) need it. Its own name says which agent it plays, the prompt
# says which story. Its versions and the formats of its events are those of the
# captured streams.
me=$(basename "$0")
if [ "$1" = --version ]; then
	case "$me" in
	claude) echo '2.1.329 (Claude Code)' ;;
	codex) echo 'codex-cli 0.169.0' ;;
	gemini) echo 0.61.0 ;;
	opencode) echo 1.18.33 ;;
	esac
	exit
fi
[ "$me" != gemini ] || me=acp

if [ "$me" = acp ]; then # the prompt is one message among others
	read -r line && echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
	read -r line && echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
	read -r line && printf '%s\n' "$line" | sed 's/\\n/\n/g; s/\\"/"/g' >"$TMPDIR/prompt"
else
	cat >"$TMPDIR/prompt"
fi
step=$(sed -n 's/^Step: //p' "$TMPDIR/prompt" | head -n 1)
nonce=$(sed -n 's/.*{"nonce": "\([^"]*\)", "status".*/\1/p' "$TMPDIR/prompt" | tail -n 1)

# string makes a JSON string of standard input.
string() { awk 'BEGIN { printf "\"" } { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); printf "%s%s", n++ ? "\\n" : "", $0 } END { printf "\"" }'; }

event() { printf '%s\n' "$1"; } # echo would read the backslashes

begin() {
	case "$me" in
	claude) echo '{"type":"system","subtype":"init","session_id":"s"}' ;;
	codex) echo '{"type":"thread.started","thread_id":"s"}'; echo '{"type":"turn.started"}' ;;
	esac
}

# say ends the session with a last message, which is standard input.
say() {
	text=$(string)
	case "$me" in
	claude)
		event "{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"content\":[{\"type\":\"text\",\"text\":$text}],\"usage\":{\"input_tokens\":60,\"cache_read_input_tokens\":40,\"output_tokens\":1}}}"
		event "{\"usage\":{\"input_tokens\":60,\"cache_read_input_tokens\":40,\"output_tokens\":7},\"is_error\":false,\"subtype\":\"success\",\"result\":$text,\"type\":\"result\"}" ;;
	codex)
		event "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":$text}}"
		echo '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}' ;;
	opencode)
		echo '{"type":"step_start","sessionID":"s","part":{"messageID":"m1"}}'
		event "{\"type\":\"text\",\"sessionID\":\"s\",\"part\":{\"messageID\":\"m1\",\"text\":$text}}"
		echo '{"type":"step_finish","sessionID":"s","part":{"messageID":"m1","reason":"stop","tokens":{"input":60,"output":7,"reasoning":0,"cache":{"write":0,"read":40}},"cost":0}}' ;;
	acp)
		event "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":$text}}}}"
		echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":{"inputTokens":60,"cachedReadTokens":40,"outputTokens":7,"totalTokens":107}}}' ;;
	esac
}

limited() {
	case "$me" in
	claude) echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: 429","usage":{}}'; exit 1 ;;
	codex) echo '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'; exit 1 ;;
	opencode) echo '{"type":"error","error":{"name":"APIError","data":{"message":"Rate limit","statusCode":429}}}'; exit 1 ;;
	acp) echo '{"jsonrpc":"2.0","id":3,"error":{"code":429,"message":"Rate limit"}}' ;;
	esac
}

begin
case "$step" in
done)
	[ "$me" = acp ] || cp "$TMPDIR/prompt" prompt.txt
	echo made >made.txt
	say <<-END
		I made it. It has {braces} in its text.
		\`\`\`json
		{"nonce": "$nonce", "status": "done", "subject": "Make it", "summary": "made it",
		 "handoff": {"did": "made.txt", "why": "asked for", "rejected": "nothing"}}
		\`\`\`
	END
	;;
blocked) echo "{\"nonce\": \"$nonce\", \"status\": \"blocked\", \"question\": \"Which one?\"}" | say ;;
failed) echo "I gave up. {\"nonce\": \"$nonce\", \"status\": \"failed\", \"summary\": \"It cannot be done.\"}" | say ;;
silent) echo 'Here is what I think.' | say ;;
limited) limited ;;
garbage) echo "{\"nonce\": \"$nonce\", \"status\": \"done\"" | say ;;
stall)
	[ "$me" != acp ] || echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk"}}}'
	sleep 300 ;;
leave)
	(while sleep 0.1; do touch late; done) &
	touch started
	sleep 300 ;;
plan) printf '```markdown\n# A plan\n```\n{"nonce": "%s", "status": "done"}\n' "$nonce" | say ;;
review) printf '{"nonce": "%s", "covered": ["a.go"], "findings": []}' "$nonce" | say ;;
verify) printf '{"nonce": "%s", "answers": [{"id": "f1", "answer": "confirmed", "because": "it is so", "quote": "x"}]}' "$nonce" | say ;;
fix) echo "{\"nonce\": \"$nonce\", \"status\": \"done\", \"dispositions\": [{\"id\": \"f1\", \"disposition\": \"fixed\", \"because\": \"mended\"}]}" | say ;;
env)
	env >env.txt
	echo "{\"nonce\": \"$nonce\", \"status\": \"done\"}" | say ;;
*)
	echo "no such story: $step" >&2
	exit 1 ;;
esac

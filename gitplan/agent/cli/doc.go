// Package cli runs agents that are other programs: claude, codex, gemini and opencode as they are
// installed, any that speaks the Agent Client Protocol, and a command of the person's own. Each is
// started once for a session, with the prompt on its standard input.
//
//	agent.go    the programs that are known, more of them in speakers.json; find.go finds them
//	run.go      a session of one: how it is started, confined and ended
//	stream.go   its output, line by line; claude.go, codex.go, opencode.go and acp*.go read it
//	command.go  a command of the person's own
//	result.go   how a program is asked to end its session, what it says then, and how it ended
//
// Events and exit codes decide how a session ended. Of a last message only the JSON object at its end counts, and only
// with the session's nonce; a planner's may be the plan alone.
package cli

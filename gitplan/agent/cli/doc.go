// Package cli is the agents that are other programs: claude, codex, gemini and opencode as they are
// installed, any that speaks the Agent Client Protocol, and a command of the person's own. Each is
// started once for a session, with the prompt on its standard input.
//
//	known.go           the programs that are known, and where they are installed
//	agent.go, run.go   a command-line agent: how it is started, confined and ended
//	stream.go          its stream, line by line: turns, tools, retries, silence
//	claude.go, codex.go, opencode.go
//	                   what differs: arguments, what it may write, and its stream
//	acp.go             the same for a program that speaks the protocol; acp_turn.go is a turn of it,
//	                   acp_wire.go its messages
//	command.go         a command of the person's own
//	result.go          how a program is asked to end its session, and what it then says
//	ended.go           how a session ended
//	find.go            whether a program is installed, in which version, and signed in
//
// Events and exit codes decide how a session ended. Of a last message only the JSON object
// at its end counts, and only with the session's nonce.
package cli

// Package cli is the agents that are installed programs: the four command-line agents, and any that
// speaks the Agent Client Protocol. Each is started once for a session, with the prompt on its
// standard input.
//
//	programs.go        the four that are known, and where they are installed
//	agent.go           a command-line agent, and what can differ between them
//	run.go             one session: how it is started, confined and ended
//	claude.go ...      what differs: arguments, what it may write, and its stream (codex.go,
//	                   gemini.go, opencode.go)
//	acp.go             the same for a program that is spoken to; outbox.go is what it has yet to read,
//	                   speakers.go which programs are known to speak
//	lines.go, hear.go  its stream, line by line, as it is heard: turns, tools, retries, silence
//	ended.go           how it ended; what its last message says is read by package answer
//	versions.go        whether one is installed, and in which version; upkeep.go is what installs it
//	login.go           whether somebody is signed in to one
//
// Events and exit codes decide how a session ended. Of a last message only the JSON object
// at its end counts, and only with the session's nonce.
package cli

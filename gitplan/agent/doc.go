// Package agent says what a session with a coding agent is: what it is given, what may
// happen in it, and how it ends. The agents themselves are in the rooms below.
//
// A session is one fresh conversation in a role. It is given everything it may know as a
// [Session] and ends as a [Result]; nothing is carried from one session to the next. An
// [Agent] is whoever holds the conversation:
//
//	builtin.Agent   tools, limits and the conversation are ours, the model is any
//	                OpenAI-compatible endpoint
//	builtin.Replay  the same with a recording in place of a model
//	cli.Agent       claude, codex, gemini or opencode as they are installed, or any program
//	                that speaks the Agent Client Protocol
//	command.Agent   a program of the person's own
//
// The rooms, each above the ones named before it; package settings makes agents of what is
// configured, nobody else does:
//
//	script   a model server that plays recordings
//	wire     how a model is asked over HTTP, and what can go wrong
//	tools    what the built-in agent's model may call
//	answer   how a program is asked to end its session, and what it then says
//	command  a command of the person's own
//	acp      our side of the Agent Client Protocol
//	cli      agents that are installed programs
//	builtin  the built-in agent's conversation
//
// Here is what they share:
//
//	agent.go            Agent, Session, Result, and what happens in between
//	used.go             what a session costs, in tokens and money
//	noanswer.go         a session that ended without an answer that can be used
//	life.go             the session's own time limits
//	dropped.go          the note in place of turns that a conversation dropped
//	mask.go             keys and what looks like one, taken out of a text
//	transcript.go       what is kept of a session, without secrets
//	transcript_read.go  the same for people
//	environ.go          the variables that say what a session is about
//	text.go             what of hostile text a line may hold
//
// A Result never says that work is done, only that the session says so: what is done is
// decided by checks, elsewhere. Nothing is read from a model's prose.
package agent

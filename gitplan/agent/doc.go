// Package agent runs one fresh session with a coding agent.
//
// A session is one conversation in a role. It is given everything it may know
// as a [Session] and ends as a [Result]; nothing is carried from one session to
// the next. An [Agent] is whoever holds the conversation:
//
//	OpenAI   the built-in one: tools, limits and the conversation are ours,
//	         the model is any OpenAI-compatible endpoint
//	CLI      claude, codex, gemini or opencode as they are installed
//	Command  a program of the person's own (command.go, command_answer.go)
//	Replay   the built-in one against recorded answers (replay.go, script.go)
//
// How data walks through the built-in agent: Session.Prompt -> first request ->
// the model's tool calls -> their answers -> next request -> ... -> finish (or
// submit_plan, submit_review, submit_answers) -> Session.Accept -> Result.
//
//	openai.go        what is configured: endpoint, key, price, limits; reach.go
//	                 tries whether it would work
//	conversation.go  the session, turn by turn; answer.go answers its calls,
//	                 context.go keeps it within the model's context
//	turn.go          one model call and its repetition; fault.go what went wrong,
//	                 learned.go what an endpoint turned out to be, window.go how
//	                 much its model takes
//	wire.go          how it goes over the wire, by one of two APIs: wire_chat.go
//	                 (chat completions) and wire_responses*.go, each read with
//	                 sse.go and in a way that forgives what servers get wrong;
//	                 calls.go puts a stream's calls together
//	tools.go         what a model may call; tool_<name>.go each tool, with what
//	                 the model is told about it in tool_<name>.md; edit.go finds
//	                 what is to be replaced
//	workspace.go     the tree as tools see it: confined; commands are confined by
//	                 Session.Confine. outputs.go keeps what commands wrote in full
//	progress.go      tells a model that it stands still
//	life.go          the session's own time limits
//	cli.go           a command-line agent: how it is started, and ended; what
//	                 differs between them is in a file for each (claude.go, ...)
//	cli_hear.go      its session as it is heard, line by line (cli_lines.go)
//	cli_closing.go   what it is told about how to end, and how it ended
//	cli_versions.go  which of them are installed
//	transcript.go    what is kept of it, without secrets; transcript_read.go
//	                 tells it to a person
//	text.go          what of hostile text a line may hold
//	server.go        a model server that plays a script (server_play.go,
//	                 server_events.go), for replays and tests
//
// A Result never says that work is done, only that the session says so: what is
// done is decided by checks, elsewhere. Nothing is read from a model's prose.
package agent

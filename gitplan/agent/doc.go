// Package agent says what a session with a coding agent is: what it is given, what may
// happen in it, and how it ends. The agents themselves are in the packages below.
//
// A session is one fresh conversation in a role. It is given everything it may know as a
// [Session] and ends as a [Result]; nothing is carried from one session to the next. Package
// settings makes an [Agent] of what is configured:
//
//	builtin  tools, limits and the conversation are ours, the model is any OpenAI-compatible
//	         endpoint (package model) or a recording (package script)
//	cli      claude, codex, gemini or opencode as they are installed, any program that speaks
//	         the Agent Client Protocol, and a command of the person's own
//
// A Result never says that work is done, only that the session says so: what is done is
// decided by checks, elsewhere. Nothing is read from a model's prose.
package agent

// Package script is a model server that plays recorded conversations over the chat-completions API.
// Replays, the demo and tests talk to it as to a model.
//
//	script.go  a recording: lanes (one for each session, or kind of it) of turns
//	server.go  finds the turn that a request asks for; sends it, or the fault recorded before it
//	events.go  a turn as a stream of events
package script

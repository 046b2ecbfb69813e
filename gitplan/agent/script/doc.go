// Package script is a model server that plays recorded conversations, over both APIs that
// OpenAI-compatible servers have. Replays, the demo and tests talk to it as to a model.
//
//	script.go         a recording: lanes (one for each session, or kind of it) of turns, and
//	                  which lane a request belongs to
//	server.go         the server: reads a request, finds the turn that it asks for, and sends it, or
//	                  the fault that is recorded before it
//	events.go         a turn as the events of each API
//
// A server keeps no state but what its faults need, and refuses what is not recorded, so
// that no recording pretends.
package script

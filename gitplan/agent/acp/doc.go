// Package acp is the client's side of one session by the Agent Client Protocol, version 1: JSON-RPC,
// a message a line, with a program that holds the conversation with a model itself.
//
//	initialize -> session/new -> the model is chosen -> session/prompt -> the answer: an [End]
//
//	client.go      what is asked, in which order, and what the agent asks us
//	message.go     the messages, and what went wrong ([Fault])
//	update.go      what the agent reports meanwhile, each an [Event]
//	options.go     choosing the model
//	permission.go  which tools a role may use, and what happens to a turn that a refusal ends
//	usage.go       tokens, in the forms in which agents report them
//
// It starts nothing and reads no files: a [Client] is given lines, and what it says is handed to a
// function. No file and no terminal is offered to the agent, which is confined as a whole. Nothing
// is read from prose: codes, kinds and stop reasons say how a session ended.
//
// Sizes are in bytes.
package acp

// Package builtin implements the agent that needs no other program: it holds the conversation with a model itself.
//
//	conversation.go  the session, turn by turn, within its limits; context.go keeps it within the context
//	calls.go         runs the calls of a turn
//	tools.go         a tool and its arguments, and which role has which; tools.json describes them for the model
//	ends.go          the tools that end a session or ask a person, and the call for which a text stands
//	files.go         the tools that read; search.go, edit.go and calls.go the others
//	workspace.go     the tree in which these work: no name leads out of it or to git's own files
package builtin

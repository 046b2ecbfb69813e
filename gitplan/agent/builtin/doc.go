// Package builtin is the agent that needs no other program: it holds the conversation with a model itself.
//
//	conversation.go  the session, turn by turn, within its limits; context.go keeps it within the context
//	calls.go         runs the calls of a turn; a call that was cut off is not run
//	tools.go         a tool, its arguments, and which role has which
//	<name>.go        the tools that read and write files, each described for the model in <name>.md
//	ends.go          the tools that end a session, and the one that asks a person
//	workspace.go     the tree: no name leads out of it or to git's own files
package builtin

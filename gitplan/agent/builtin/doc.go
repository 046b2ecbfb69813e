// Package builtin is the agent that needs no other program: it holds the conversation with a model
// itself.
//
//	Session.Prompt -> first request -> the model's calls of tools -> their answers
//	-> next request -> ... -> finish, or a submit tool -> Session.Accept -> Result
//
//	agent.go         what is configured; the same with a recording in place of a model
//	conversation.go  the session, turn by turn, within its limits
//	calls.go         runs the calls of a turn; a call that was cut off is not run
//	context.go       keeps the conversation within the model's context
//	tools.go         a tool, its arguments, and which role has which
//	<name>.go        the tools that read and write files, each described for the model in <name>.md
//	edit.go          finds what an edit replaces; it never guesses by likeness
//	ends.go          the tools that end a session, and the one that asks a person
//	workspace.go     the tree: no name leads out of it or to git's own files; commands
package builtin

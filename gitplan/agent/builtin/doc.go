// Package builtin is the agent that needs no other program: it holds the conversation with
// a model itself.
//
//	Session.Prompt -> first request -> the model's calls of tools -> their answers
//	-> next request -> ... -> finish, or a submit tool -> Session.Accept -> Result
//
//	agent.go         what is configured
//	run.go           the session, turn by turn, within its limits
//	conversation.go  what is known of it
//	closing.go       what the prompt says about how the session ends
//	turn.go          one turn: what the model is asked, and who hears of it
//	calls.go         runs the calls of a turn, but not one that was cut off; ends the session
//	context.go       keeps the conversation within the model's context
//	lastturn.go      what happens if it does not end by itself
//	progress.go      finds that a model makes no progress, and warns it
//	replay.go        the same with a recording in place of a model
package builtin

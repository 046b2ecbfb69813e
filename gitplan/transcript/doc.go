// Package transcript is what sessions did, said and were answered, turn by turn: a file for each, which only
// this clone has.
//
//	kept.go     Keep a session's, Open it again by its name or its step's, Forget the old ones
//	bounded.go  the file: one JSON object a line, bounded, with its end
//	why.go      NoteWhy an attempt failed, where no event and no kept attempt says all of it; SaidBy finds it
//
// What the lines are, agent.Record says.
package transcript

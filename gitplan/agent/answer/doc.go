// Package answer is how a program that holds a session is asked to end it, and what it then says.
//
//	asked.go   what it is asked: the form of a JSON object, and where that goes
//	last.go    the object at the end of a last message, and the answer before it
//	result.go  what the object says, also from a file, and the result that it makes
//
// Only the object counts, in a message only one with the session's nonce: no word of prose does.
package answer

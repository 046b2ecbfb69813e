// Package protocol is what git plan and a git-plan worker on another machine say to each other, over
// the standard input and output of the command that connects them.
//
//	near  git-plan-wire 2 NONCE\n           the worker speaks second: an engine may lose what is said
//	far   \0git-plan-worker 2 NONCE\n       before it is attached; what a shell prints first is skipped
//	far   Hello
//	near  Job, Bytes... Tree
//	far   Event, Usage (near: Grant), Turn, Bytes... Tree Offer (near: Verdict)
//	far   Bytes... Tree, Result
//
// A frame is a kind (1 byte), a length (4 bytes, big-endian), the payload and a newline, since some
// engines pass on whole lines only. The end of near's input is the cancel: far sends what it has within
// a second, and ends. Only a Result says how a session ended; no exit code does.
//
//	conn.go      the greeting, frames, and streams of them
//	messages.go  what the frames hold
//	tree.go      trees, there and back
//
// Near believes nothing that it reads: frames are bounded, a kind that is not expected ends the
// connection, and numbers and texts are brought within bounds.
package protocol

// Package wire is what git plan and a git-plan worker on another machine say to each other, over
// the standard input and output of whatever command connects the two.
//
//	near  git-plan-wire 1 NONCE\n            who was started speaks second: engines may lose what is
//	far   \0git-plan-worker 1 NONCE\n        said before they are attached; noise before it is skipped
//	far   Hello        near  Want            neither waits for the other
//	far   Have
//	near  Bytes... Tree, Bytes... Job        by as few writes as possible
//	far   Event, Usage (near: Grant), Turn, Bytes... Tree Offer (near: Verdict)
//	far   Bytes... Tree, Result              of a session that only reads, no Tree, but perhaps Ask (near: Told)
//
// To look at a machine: near Look in place of Want, far Seen, and that is all.
//
// A job of kind check has in place of a session: far Checked..., Result.
//
// A frame is a kind (1 byte), a length (4 bytes, big-endian), at most 1 MiB of payload, and a
// newline, since some engines hand on whole lines only. Both ends send a Ping every five seconds,
// and end if they hear nothing for a minute. The end of near's input is the cancel: far sends what it has
// within a second, and ends. Only a Result says how a session ended: no exit code does.
//
//	greet.go     who speaks first, and what stands in the way of an answer
//	frame.go     Conn: frames, bounded; Stream, one large thing in many frames
//	job.go       a job, which is compressed
//	alive.go     pings, and silence
//	messages.go  what the frames hold
//	passing.go   which variables and settings may cross
//
// Near believes nothing that it reads: a frame is bounded before it is read, a kind that has no
// place there ends the connection, and numbers and texts are brought within bounds (messages.go).
package wire

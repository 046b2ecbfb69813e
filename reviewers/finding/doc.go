// Package finding reads what reviewers say of a change, from any form, gives it its place in the code, and merges what
// several say of one place.
//
//	text.go        foreign texts, bounded and safe to show
//	finding.go     what is wrong where, how bad it is, and what became of it; its fingerprint has no line number
//	answer.go      what models say; linted.go (rdjsonl) and sarif.go: what linters say
//	quote.go       the line of a quote; code.go: what the program adds; a finding whose quote is nowhere cannot block
//	merge.go       several findings that are one
//
// A verifier confirms or refutes a finding; an earlier round's status holds while its code is there; a fixer fixes it
// or asks, and dismisses it only if the verifier agrees; a person dismisses it.
package finding

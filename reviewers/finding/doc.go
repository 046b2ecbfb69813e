// Package finding reads what reviewers say of a change, from any form, gives it its place in the code, and merges what
// several say of one place.
//
//	finding.go     what is wrong where, and what became of it; its fingerprint has no line number; foreign texts, safe to show
//	answer.go      what models say; linted.go (rdjsonl) and sarif.go: what linters say
//	code.go        the line of a quote, and what the program adds; a finding whose quote is nowhere cannot block
//	merge.go       several findings that are one
//
// A verifier confirms or refutes a finding; an earlier round's status holds while its code is there; a fixer fixes it
// or asks, and dismisses it only if the verifier agrees; a person dismisses it.
package finding

// Package finding is one thing that a reviewer says of a change: read from any form, given
// its place in the code, and made one with what others say of that place.
//
//	finding     what is wrong where, how bad it is, and what became of it
//	quote       text of a file: a model quotes, the program finds the line; a finding whose quote is
//	            nowhere stays a note and cannot block (finding.go, CouldBlock)
//	fingerprint what makes a finding the same one in the next round: its code, no line number
//	answer      one JSON object of a model: what it judged, and its findings
//
// Who gives it its status:
//
//	a verifier        confirmed, plausible or refuted     reviewers/rounds/round.go
//	a command         confirmed at once                   reviewers/panel/command.go
//	an earlier round  what it had, if its code is there   reviewers/rounds/earlier.go
//	a fixer           fixed or asked; dismissed only if the verifier agrees   reviewers/rounds/fixing.go
//	a person          dismissed                           reviewers/ledger/dismissal.go
//
// The files, in the order of the way in: text.go (foreign texts, bounded and safe to show);
// finding.go; answer.go (what models say), linted.go with sarif_read.go and rdjsonl.go
// (what linters say); sarif.go (how a review is written for programs); quote.go
// and code.go (where in the code it is); and merge.go (several that are one).
package finding

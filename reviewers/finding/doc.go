// Package finding reads the answers of reviewers in several formats, finds the code that they quote, and merges
// findings about the same place.
//
//	finding.go     Finding, its status and its fingerprint, which has no line number; foreign texts, made safe to show
//	answer.go      answers of models; linted.go (rdjsonl) and sarif.go: output of linters
//	code.go        the line of a quote, and the digest of the code around; a finding with a wrong quote cannot block
//	merge.go       findings that are the same
//
// A verifier confirms or refutes a finding. Its status stays while the code around it is the same. A fixer fixes it or
// asks, and dismisses it only if the verifier agrees. A person may dismiss it.
package finding

package reviewers

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// What a command may write at most. More is no answer, rather than a part of one.
const (
	maxOutput = 128 << 20 // bytes, with its errors; SARIF repeats the description of every rule
	maxLinted = 20_000    // findings, before those of old code are left out
)

var (
	errWrongNonce = errors.New(`"nonce" is not the one of this round`)
	errTooMany    = fmt.Errorf("more than %d findings", maxLinted)
)

// linted is a finding of a linter, as far as all forms have it.
func linted(message, file string) Finding {
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return Finding{
		Category: "lint", Severity: Medium, File: file, Title: cmp.Or(line(first, maxTitle), "(no message)"),
		Detail: block(strings.TrimSpace(rest), maxText), Remedy: "fix",
	}
}

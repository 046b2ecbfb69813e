package finding

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Output limits. Larger output is rejected, not truncated.
const (
	MaxOutput = 128 << 20 // bytes, with its errors; SARIF repeats the description of every rule
	maxLinted = 20_000    // findings, before those of old code are left out
)

var (
	errWrongNonce = errors.New(`"nonce" is not the one of this round`)
	errTooMany    = fmt.Errorf("more than %d findings", maxLinted)
)

func linted(message, file string) Finding {
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return Finding{
		Category: "lint", Severity: Medium, File: file, Title: cmp.Or(Line(first, MaxTitle), "(no message)"),
		Detail: Block(strings.TrimSpace(rest), MaxText), Remedy: "fix",
	}
}

// noCode are the categories of linters that could not read the code, and so did not look for anything else.
var noCode = map[string]bool{"compile": true, "typecheck": true} // staticcheck, golangci-lint

// noFile are the categories of linters that could not read one file, and so did not look for anything else there.
var noFile = map[string]bool{
	"sc1072": true, "sc1073": true, // shellcheck
	"invalid-syntax": true, "syntax-error": true, "e999": true, "f999": true, // ruff and others
}

// unread returns an error if the linter could not read the code, or found something bad in no file, so that it is
// unknown whether the change brought it.
func (f *Finding) unread() error {
	text := Line(f.Title+" "+f.Detail, MaxTitle)
	switch {
	case noCode[f.Category]:
		return fmt.Errorf("it could not read the code: %s", text)
	case f.File == "" && f.Severity.AtLeast(Medium):
		return fmt.Errorf("it found something wrong in no file: %s", text)
	}
	return nil
}

// ReadLinter reads SARIF or rdjsonl, with all findings, by the linter's paths; ok is false for other forms.
func ReadLinter(text, nonce string) (all []Finding, ok bool, err error) {
	switch formOf(text) {
	case "sarif":
		all, err = readSARIF(text, nonce)
	case "rdjsonl":
		all, err = readRDJSONL(text, nonce)
	default:
		return nil, false, nil
	}
	return all, true, err
}

func formOf(text string) string {
	var head struct {
		Runs     json.RawMessage `json:"runs"`
		Message  json.RawMessage `json:"message"`
		Location json.RawMessage `json:"location"`
	}
	if json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).Decode(&head) != nil {
		return ""
	}
	switch {
	case head.Runs != nil:
		return "sarif"
	case head.Message != nil && head.Location != nil:
		return "rdjsonl"
	}
	return ""
}

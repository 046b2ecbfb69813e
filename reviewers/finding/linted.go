package finding

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The limits of a linter's output. Larger output is rejected, not truncated.
const (
	MaxOutput = 128 << 20 // in bytes, with standard error; SARIF describes every rule
	maxLinted = 20_000    // findings, including those in old code
)

var errWrongNonce = errors.New(`"nonce" is not the one of this round`)

func linted(message, file string) Finding {
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return Finding{
		Category: "lint", Severity: Medium, File: file, Title: cmp.Or(Line(first, MaxTitle), "(no message)"),
		Detail: Block(strings.TrimSpace(rest), MaxText), Remedy: "fix",
	}
}

// noCode has the categories by which linters report that they could not read the code, and checked nothing else.
var noCode = map[string]bool{"compile": true, "typecheck": true} // staticcheck, golangci-lint

// noFile has the categories by which linters report that they could not read a file, and checked nothing else there.
var noFile = map[string]bool{
	"sc1072": true, "sc1073": true, // shellcheck
	"invalid-syntax": true, "syntax-error": true, "e999": true, "f999": true, // ruff and others
}

// ReadLinter reads all findings in SARIF or rdjsonl, with the linter's paths; ok is false for other formats. It is an
// error if the linter could not read the code, or a severe finding has no file.
func ReadLinter(text, nonce string) (all []Finding, ok bool, err error) {
	var head struct{ Runs, Message, Location json.RawMessage }
	text = strings.TrimPrefix(text, "\ufeff")
	switch err = json.NewDecoder(strings.NewReader(text)).Decode(&head); {
	case err == nil && head.Runs != nil:
		all, err = readSARIF(text, nonce)
	case err == nil && head.Message != nil && head.Location != nil:
		all, err = readRDJSONL(text, nonce)
	default:
		return nil, false, nil
	}
	if len(all) > maxLinted {
		err = fmt.Errorf("more than %d findings", maxLinted)
	}
	for _, f := range all {
		switch {
		case err != nil:
			return nil, true, err
		case noCode[f.Category]:
			err = fmt.Errorf("it could not read the code: %s", Line(f.Title+" "+f.Detail, MaxTitle))
		case f.File == "" && f.Severity.AtLeast(Medium):
			err = fmt.Errorf("it found something wrong in no file: %s", Line(f.Title+" "+f.Detail, MaxTitle))
		}
	}
	return all, true, err
}

// diagnostic is one line of rdjsonl, the Diagnostic of reviewdog's format (reviewdog.proto and its JSON schema).
type diagnostic struct {
	Message  string            `json:"message"`
	Location rdLocation        `json:"location,omitzero"`
	Severity string            `json:"severity,omitempty"`
	Source   map[string]string `json:"source,omitempty"`
	Code     map[string]string `json:"code,omitempty"`
	Nonce    *string           `json:"nonce,omitempty"` // an extension of the format; optional, but never wrong
}

type rdLocation struct {
	Path  string `json:"path"`
	Range struct {
		Start rdPosition `json:"start"`
		End   rdPosition `json:"end,omitzero"` // inclusive, since positions here have no columns
	} `json:"range,omitzero"`
}

type rdPosition struct {
	Line int `json:"line"`
}

// WriteRDJSONL prints findings for reviewdog -f=rdjsonl.
func WriteRDJSONL(w io.Writer, list []Finding) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, f := range list {
		d := diagnostic{
			Message: message(f), Source: map[string]string{"name": programName}, Code: map[string]string{"value": f.kind()},
			Severity: cmp.Or(map[Severity]string{Critical: "ERROR", High: "ERROR", Medium: "WARNING"}[f.Severity], "INFO"),
		}
		if d.Location.Path = f.File; f.File != "" && f.Line > 0 {
			d.Location.Range.Start.Line, d.Location.Range.End.Line = f.Line, f.last()
		}
		if err := e.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

// readRDJSONL reads a linter's output; a line that is not a diagnostic is an error.
func readRDJSONL(text, nonce string) ([]Finding, error) {
	var out []Finding
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var d diagnostic
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return nil, fmt.Errorf("a line is not rdjsonl: %w", err)
		}
		switch {
		case d.Message == "" || d.Location.Path == "":
			return nil, errors.New("a line of rdjsonl has no message or no path")
		case d.Nonce != nil && *d.Nonce != nonce:
			return nil, errWrongNonce
		}
		f := linted(d.Message, d.Location.Path)
		f.Severity = cmp.Or(map[string]Severity{"ERROR": High, "INFO": Low}[strings.ToUpper(d.Severity)], Medium)
		f.Category = cmp.Or(Kebab(d.Code["value"]), f.Category)
		f.Line, f.Last = d.Location.Range.Start.Line, d.Location.Range.End.Line
		out = append(out, f)
	}
	return out, nil
}

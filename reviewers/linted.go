package reviewers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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

// parseOutput reads what a command wrote: SARIF, rdjsonl, or an answer as models
// give it. The first two come from programs that look at a whole repository, so
// of theirs only what is about a changed line is kept; the rest was there before.
func (t *Target) parseOutput(ctx context.Context, text, dir string) (*Answer, error) {
	var all []Finding
	var err error
	switch formOf(text) {
	case "sarif":
		all, err = readSARIF(text, t.Nonce)
	case "rdjsonl":
		all, err = readRDJSONL(text, t.Nonce)
	default:
		return ParseAnswer(text, Terms{Nonce: t.Nonce, Lenient: true})
	}
	if err != nil {
		return nil, err
	}
	for i := range all {
		if f := &all[i]; f.File != "" {
			if f.File, err = inside(dir, f.File); err != nil {
				return nil, err
			}
		}
	}
	about := make([]bool, len(all))
	t.eachPlaced(ctx, all, func(i int, file *placed) { about[i] = file == nil || file.place(&all[i]) })
	a := &Answer{}
	for i, f := range all {
		if about[i] {
			a.Findings = append(a.Findings, f)
		}
	}
	return a, nil
}

// formOf returns the format of a program's output, which it knows by what only that has.
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

// linted is a finding of a linter, as far as all forms have it.
func linted(message, file string) Finding {
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return Finding{
		Category: "lint", Severity: Medium, File: file, Title: cmp.Or(line(first, maxTitle), "(no message)"),
		Detail: block(strings.TrimSpace(rest), maxText), Remedy: "fix",
	}
}

// inside returns a path of a program that ran in dir as one of the repository.
func inside(dir, p string) (string, error) {
	out := filepath.ToSlash(p)
	if filepath.IsAbs(p) {
		real, _ := filepath.EvalSymlinks(dir)
		for _, d := range []string{dir, real} {
			if rel, err := filepath.Rel(d, p); err == nil && filepath.IsLocal(rel) {
				out = filepath.ToSlash(rel)
			}
		}
	}
	out = strings.TrimPrefix(out, "./")
	if !inRepository(out) {
		return "", fmt.Errorf("it names %s, which is not in the repository", showPath(line(p, maxTitle)))
	}
	return out, nil
}

// place quotes the line that a linter names, and reports whether the finding is
// about the change: a line that it added, or a changed file as a whole. A line beyond
// what is kept of a large difference counts, since nobody knows.
func (p *placed) place(f *Finding) bool {
	if p.diff == nil {
		return false
	}
	if !p.there || f.Line < 1 || f.Line > len(p.lines) {
		f.Line = 0
		return true
	}
	f.Quote = p.quote(f.Line)
	return p.added.touches(f.Line, f.Line) || p.diff.Cut && f.Line > lastHeld(p.diff)
}

package finding

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// readSARIF reads what a linter wrote. A run that says it failed, or that did not look, is no
// answer.
func readSARIF(text, nonce string) ([]Finding, error) {
	var log struct {
		sarifLog
		Nonce *string `json:"nonce"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &log); err != nil {
		return nil, fmt.Errorf("the SARIF cannot be read: %w", err)
	}
	switch {
	case log.Nonce != nil && *log.Nonce != nonce:
		return nil, errWrongNonce
	case !strings.HasPrefix(log.Version, "2.1."):
		return nil, errors.New("the SARIF is not of version 2.1.0")
	case len(log.Runs) == 0:
		return nil, errors.New("the SARIF holds no run: nothing was looked at")
	}
	var out []Finding
	for _, run := range log.Runs {
		if err := run.failed(); err != nil {
			return nil, err
		}
		if run.Results == nil {
			continue
		}
		for _, r := range *run.Results {
			if r.passes() {
				continue
			}
			f, ok := run.finding(&r)
			if !ok {
				continue
			}
			if err := f.unread(); err != nil {
				return nil, err
			}
			if out = append(out, f); len(out) > maxLinted {
				return nil, errTooMany
			}
		}
	}
	return out, nil
}

// failed says why a run is no answer. One without results did not look, unless it says that
// it succeeded: staticcheck leaves them out if it finds nothing.
func (r *sarifRun) failed() error {
	succeeded := false
	for _, i := range r.Invocations {
		for _, n := range slices.Concat(i.Notifications, i.Configuration) {
			if n.Level == "error" {
				text := r.text(n.Message, nil)
				if file, line, _ := r.place(n.Locations); file != "" {
					text = fmt.Sprintf("%s:%d: %s", file, line, text)
				}
				return fmt.Errorf("the program reports an error: %s", Line(text, MaxTitle))
			}
		}
		if i.Successful != nil && !*i.Successful {
			return errors.New("the SARIF says that its program did not succeed")
		}
		succeeded = succeeded || i.Successful != nil
	}
	if r.Elsewhere != nil && len(r.Elsewhere.Results) > 0 {
		return errors.New("the SARIF has its results in other files")
	}
	if r.Results == nil && !succeeded {
		return errors.New("the SARIF has a run without results: nothing was looked at")
	}
	return nil
}

// passes reports whether a result does not say that something is wrong now: it passed, is
// gone since the baseline, or somebody accepted it.
func (r *sarifResult) passes() bool {
	if r.Kind != "" && r.Kind != "fail" || r.Baseline == "absent" {
		return true
	}
	pending := slices.ContainsFunc(r.Suppressions, func(s sarifSuppression) bool { return s.Status != "" && s.Status != "accepted" })
	return len(r.Suppressions) > 0 && !pending
}

// finding returns what a result says; ok is false if its level is none.
func (r *sarifRun) finding(result *sarifResult) (f Finding, ok bool) {
	rule, id := r.Tool.ruleOf(result)
	level := cmp.Or(result.Level, r.level(rule))
	if level == "none" {
		return Finding{}, false
	}
	path, first, last := r.place(result.Locations)
	f = linted(r.text(result.Message, rule), path)
	f.Category, f.Line = cmp.Or(Kebab(id), f.Category), first
	f.Last = last
	if f.Severity = map[string]Severity{"error": High, "note": Low}[level]; f.Severity == "" {
		f.Severity = Medium // the standard's default is a warning
	}
	return f, true
}

// place returns the path and the lines of the first location that is in a file; empty if
// none is.
func (r *sarifRun) place(locations []sarifLocation) (path string, first, last int) {
	for _, l := range locations {
		if l.Physical == nil {
			continue
		}
		if path = r.path(l.Physical.Artifact); path == "" {
			continue
		}
		if l.Physical.Region != nil {
			first, last = l.Physical.Region.StartLine, l.Physical.Region.EndLine
		}
		return path, first, last
	}
	return "", 0, 0
}

// path returns where a file is: below the folder of its base, if the run says which that is.
func (r *sarifRun) path(a sarifArtifact) string {
	if a.URI == "" && a.Index != nil && *a.Index >= 0 && *a.Index < len(r.Artifacts) {
		a = r.Artifacts[*a.Index].Location
	}
	u, err := url.Parse(a.URI)
	if err != nil {
		return a.URI
	}
	for range 10 { // a base may have one of its own, or go round
		base, known := r.Bases[a.Base]
		if u.IsAbs() || !known {
			break
		}
		if b, err := url.Parse(base.URI); err == nil && base.URI != "" {
			u = b.ResolveReference(u)
		}
		a.Base = base.Base
	}
	if (u.Scheme == "" || u.Scheme == "file") && u.Path != "" {
		return u.Path
	}
	return a.URI
}

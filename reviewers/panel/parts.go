package panel

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

const (
	diffBudget = 350_000 // the maximum size of a part in bytes, about 100,000 tokens
	maxParts   = 6       // the maximum number of parts
)

// part is a part of a diff that one session is shown.
type part struct {
	N, Of   int              // the part's number, from 1, and the number of parts
	Paths   []string         // the files of the part
	Text    string           // their diffs
	NotSent []ledger.NotSent // the changed files that no part has
}

// split divides the files of d that models may see into parts, the riskiest first. The base alone decides which files
// are generated, so that a branch cannot hide its code.
func (t *Target) split(ctx context.Context, d *git.Diff) (parts []part, left []ledger.NotSent) {
	var shown []*git.FileDiff
	for i := range d.Files {
		f := &d.Files[i]
		if why := t.withheld(ctx, f); why != "" {
			left = append(left, notSent(f.Path, why))
			continue
		}
		shown = append(shown, f)
	}
	order := []rules.Class{rules.Source, rules.CI, rules.Config, rules.Test, rules.Other, rules.Docs}
	risk := func(f *git.FileDiff) int { return slices.Index(order, rules.ClassOf(f.Path)) }
	slices.SortStableFunc(shown, func(a, b *git.FileDiff) int { return cmp.Compare(risk(a), risk(b)) })
	for _, f := range shown {
		before := slices.Clone(parts)
		for _, piece := range patchesOf(f, diffBudget) {
			last := len(parts) - 1
			if last < 0 || len(parts[last].Text)+len(piece) > diffBudget {
				parts, last = append(parts, part{}), last+1
			}
			current := &parts[last]
			current.Text += piece
			current.Paths = append(current.Paths[:len(current.Paths):len(current.Paths)], f.Path)
		}
		if len(parts) > max(len(before), maxParts) {
			parts, left = before, append(left, notSent(f.Path, "budget"))
		}
	}
	for i := range parts {
		parts[i].N, parts[i].Of, parts[i].NotSent = i+1, len(parts), left
	}
	return parts, left
}

func notSent(path, why string) ledger.NotSent {
	code := slices.Contains([]rules.Class{rules.Source, rules.CI, rules.Test}, rules.ClassOf(path))
	return ledger.NotSent{Path: path, Why: why, Code: code && slices.Contains([]string{"binary", "too large", "budget"}, why)}
}

// withheld returns why no model is shown a file; "" if one is.
func (t *Target) withheld(ctx context.Context, f *git.FileDiff) string {
	class, set := rules.ClassOf(f.Path), []string{"set", "true"}
	switch {
	case t.Secret[f.Path]:
		return "secret"
	case class == rules.Lock, class == rules.Generated, class == rules.Vendored:
		return string(class)
	case slices.Contains(set, t.Attributes[f.Path]["linguist-generated"]):
		return "generated"
	case slices.Contains(set, t.Attributes[f.Path]["linguist-vendored"]):
		return "vendored"
	case f.Status == 'M' && t.generatedBefore(ctx, f.OldOID):
		return "generated"
	case f.Binary:
		return "binary"
	case f.Cut:
		return "too large"
	}
	return ""
}

// generatedBefore reports whether the base's version has the header of generated code by Go's convention.
func (t *Target) generatedBefore(ctx context.Context, oid string) bool {
	o, err := t.Repo.Read(ctx, oid)
	if err != nil {
		return false
	}
	head := o.Data[:min(len(o.Data), 1000)]
	return bytes.Contains(head, []byte("Code generated ")) && bytes.Contains(head, []byte("DO NOT EDIT"))
}

// patchesOf returns a file's diff in pieces of at most limit bytes, unless a line is longer.
func patchesOf(f *git.FileDiff, limit int) []string {
	var pieces []string
	var b strings.Builder
	title := titleOf(f)
	b.WriteString(title + "\n")
	for _, h := range f.Hunks {
		old, now := h.OldStart, h.NewStart
		at := func() string {
			return fmt.Sprintf("@@ -%d +%d @@ %s\n", old, now, finding.Line(h.Symbol, finding.MaxTitle))
		}
		b.WriteString(at())
		for _, l := range h.Lines {
			if b.Len()+len(l.Text)+2 > limit && b.Len() > len(title)+finding.MaxTitle {
				pieces = append(pieces, b.String())
				b.Reset()
				b.WriteString(title + " (continued)\n" + at())
			}
			b.WriteByte(l.Kind)
			b.WriteString(l.Text)
			b.WriteByte('\n')
			if l.Kind != '+' {
				old++
			}
			if l.Kind != '-' {
				now++
			}
		}
	}
	return append(pieces, b.String())
}

func titleOf(f *git.FileDiff) string {
	title := "=== " + finding.ShowPath(f.Path) + map[byte]string{'A': " (added)", 'D': " (deleted)",
		'T': " (type changed)"}[f.Status]
	if how := map[byte]string{'R': "renamed", 'C': "copied"}[f.Status]; how != "" {
		title += " (" + how + " from " + finding.ShowPath(f.OldPath) + ")"
	}
	switch {
	case f.NewMode == "160000":
		title += " (a submodule: only the name of its commit is here)"
	case f.NewMode == "120000":
		title += " (a symbolic link: the text is where it points)"
	case f.Status == 'A' && f.NewMode == "100755":
		title += " (executable)"
	case f.OldMode != f.NewMode && f.Status != 'A' && f.Status != 'D':
		title += fmt.Sprintf(" (mode %s to %s)", f.OldMode, f.NewMode)
	}
	return title
}

// NotSent returns the files of d that no model is shown, with the reasons.
func (t *Target) NotSent(ctx context.Context, d *git.Diff) []ledger.NotSent {
	_, left := t.split(ctx, d)
	return left
}

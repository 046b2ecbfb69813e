package reviewers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// diffBudget bounds the diff in a prompt, in bytes: about 100 000 tokens,
// which leaves room to think in the contexts of today's models.
const diffBudget = 350_000

// longLine is where a line of the diff is cut.
const longLine = 2000

// NotSent is a changed file that no model was shown, and why.
type NotSent struct {
	Path string `json:"path"`
	Why  string `json:"why"` // binary, too large, generated, vendored, lock, secret, submodule, unchanged or budget
}

// Material is what of a diff is put before a model.
type Material struct {
	Sent    []*git.FileDiff
	NotSent []NotSent
	Text    string // the diff of Sent, with plain marks
}

// material chooses what is shown of d: what people wrote, the riskiest first
// where not everything fits. Nothing in Head decides it, so that a branch
// cannot hide its code; only what the base already calls generated is left out
// for its header.
func (t *Target) material(ctx context.Context, d *git.Diff) Material {
	var m Material
	for i := range d.Files {
		f := &d.Files[i]
		if why := t.withheld(ctx, f); why != "" {
			m.NotSent = append(m.NotSent, NotSent{f.Path, why})
			continue
		}
		m.Sent = append(m.Sent, f)
	}
	slices.SortStableFunc(m.Sent, func(a, b *git.FileDiff) int { return cmp.Compare(risk(a.Path), risk(b.Path)) })
	var text strings.Builder
	kept := m.Sent[:0]
	for _, f := range m.Sent {
		patch := patchOf(f)
		if text.Len()+len(patch) > diffBudget {
			m.NotSent = append(m.NotSent, NotSent{f.Path, "budget"})
			continue
		}
		kept = append(kept, f)
		text.WriteString(patch)
	}
	m.Sent, m.Text = kept, text.String()
	return m
}

// sendable reports whether there is anything in d that a model could be shown.
func (t *Target) sendable(ctx context.Context, d *git.Diff) bool {
	return slices.ContainsFunc(d.Files, func(f git.FileDiff) bool { return t.withheld(ctx, &f) == "" })
}

func (t *Target) withheld(ctx context.Context, f *git.FileDiff) string {
	class := rules.ClassOf(f.Path)
	switch {
	case t.Secret[f.Path]:
		return "secret"
	case f.NewMode == "160000" || f.OldMode == "160000":
		return "submodule"
	case f.Binary:
		return "binary"
	case f.Cut:
		return "too large"
	case class == rules.Lock, class == rules.Generated, class == rules.Vendored:
		return string(class)
	case f.Status == 'M' && t.generatedBefore(ctx, f.OldOID):
		return "generated"
	}
	return ""
}

// generatedBefore looks for the header of generated code (Go's convention,
// which other generators took over) in the version of the base.
func (t *Target) generatedBefore(ctx context.Context, oid string) bool {
	if t.repo == nil {
		return false
	}
	o, err := t.repo.Read(ctx, oid)
	if err != nil {
		return false
	}
	head := o.Data[:min(len(o.Data), 1000)]
	return bytes.Contains(head, []byte("Code generated ")) && bytes.Contains(head, []byte("DO NOT EDIT"))
}

// risk orders what is shown where not all of it fits: the riskiest is 0.
func risk(path string) int {
	return slices.Index([]rules.Class{rules.Source, rules.CI, rules.Config, rules.Test, rules.Other, rules.Docs}, rules.ClassOf(path))
}

func patchOf(f *git.FileDiff) string {
	var b strings.Builder
	what := map[byte]string{'A': "added", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "type changed"}[f.Status]
	fmt.Fprintf(&b, "=== %s", showPath(f.Path))
	if what != "" {
		fmt.Fprintf(&b, " (%s", what)
		if f.Status == 'R' || f.Status == 'C' {
			fmt.Fprintf(&b, " from %s", showPath(f.OldPath))
		}
		b.WriteString(")")
	}
	if f.OldMode != f.NewMode && f.Status != 'A' && f.Status != 'D' {
		fmt.Fprintf(&b, " (mode %s to %s)", f.OldMode, f.NewMode)
	}
	b.WriteString("\n")
	for _, h := range f.Hunks {
		fmt.Fprintf(&b, "@@ -%d +%d @@ %s\n", h.OldStart, h.NewStart, line(h.Symbol, maxTitle))
		for _, l := range h.Lines {
			b.WriteByte(l.Kind)
			b.WriteString(cut(l.Text, longLine))
			if len(l.Text) > longLine {
				b.WriteString(" … (cut)")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// showPath writes a path so that nothing in it can pass for anything else.
func showPath(p string) string {
	if clean := line(p, maxPath); clean != p {
		return strconv.Quote(p)
	}
	return p
}

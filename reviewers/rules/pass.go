package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Find applies rules in one pass over c.Diff, and returns the hits by path, line and rule.
func Find(c Change, rules []Rule) []Hit {
	c.Diff = cmp.Or(c.Diff, &git.Diff{})
	s := begin(&c, rules)
	for i := range c.Diff.Files {
		s.file(&c.Diff.Files[i])
	}
	return s.hits()
}

// pass is one pass over a change. Files come one after the other, large ones in pieces.
type pass struct {
	c      *Change
	active []*active
	at     *File // that is being judged
	lined  []*active
}

type active struct {
	Rule
	hits []Hit
	more int             // hits beyond MaxHits
	gone map[string]bool // matches in removed lines
}

func begin(c *Change, rules []Rule) *pass {
	s := &pass{c: c}
	for _, r := range rules {
		s.active = append(s.active, &active{Rule: r, gone: map[string]bool{}})
	}
	return s
}

// file judges one file, or the next piece of the same one.
func (s *pass) file(f *git.FileDiff) {
	if f.Later {
		s.at.FileDiff = f
	} else {
		s.begin(about(f))
	}
	if len(s.lined) == 0 {
		return
	}
	p := Line{File: s.at}
	for i := range f.Hunks {
		p.Hunk = f.Hunks[i].Lines
		for p.At = range p.Hunk {
			kind := p.Hunk[p.At].Kind
			for _, a := range s.lined {
				if kind == '+' {
					a.add(a.Line(&p))
				} else if kind == '-' && a.Moves {
					for _, h := range a.Line(&p) { // what a removed line had
						if h.Moved != "" && len(a.gone) < 100*MaxHits {
							a.gone[h.Moved] = true
						}
					}
				}
			}
		}
	}
}

func (s *pass) begin(f *File) {
	s.at = f
	s.lined = s.lined[:0]
	for _, a := range s.active {
		if a.File != nil {
			a.add(a.File(s.c, f))
		}
		if a.Line != nil && (a.Wants == nil || a.Wants(f)) {
			s.lined = append(s.lined, a)
		}
	}
}

func (a *active) add(hits []Hit) {
	room := MaxHits - len(a.hits)
	a.hits = append(a.hits, hits[:min(len(hits), room)]...)
	a.more += max(len(hits)-room, 0)
}

func (s *pass) hits() []Hit {
	var out []Hit
	for _, a := range s.active {
		if a.End != nil {
			a.add(a.End(s.c))
		}
		last := len(out)
		for _, h := range a.hits {
			if h.Moved != "" && a.gone[h.Moved] {
				continue
			}
			h.Rule, h.Category, h.Why, h.NonBlocking = a.Name, a.Category, a.Why, !a.Blocks
			h.Severity = cmp.Or(h.Severity, a.Severity)
			out = append(out, h)
		}
		if a.more > 0 && len(out) > last {
			h := out[len(out)-1]
			h.Title = fmt.Sprintf("%s, and %d more", h.Title, a.more)
			out[len(out)-1] = h
		}
	}
	slices.SortStableFunc(out, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Title, b.Title))
	})
	return out
}

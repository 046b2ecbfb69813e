package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Find applies rules in one pass over c.Diff, and returns the hits by path, line and rule.
func Find(c Change, rules []Rule) []Hit {
	s := begin(&c, rules)
	for i := range c.Diff.Files {
		s.judge(&c.Diff.Files[i])
	}
	return s.hits()
}

// pass is one pass over a change. Files come one after the other, large ones in pieces.
type pass struct {
	c      *Change
	active []*active // all rules
	file   *File     // the present file
	lined  []*active // the rules that judge its lines
}

// active is a rule with its results.
type active struct {
	Rule
	hits []Hit
	more int             // the number of hits beyond MaxHits
	gone map[string]bool // the Moved texts of removed lines
}

func begin(c *Change, rules []Rule) *pass {
	s := &pass{c: c}
	for _, r := range rules {
		s.active = append(s.active, &active{Rule: r, gone: map[string]bool{}})
	}
	return s
}

// judge judges one file, or the next piece of the same one.
func (s *pass) judge(f *git.FileDiff) {
	if f.Later {
		s.file.FileDiff = f
	} else {
		s.file, s.lined = about(f), s.lined[:0]
		for _, a := range s.active {
			if a.File != nil {
				a.add(a.File(s.c, s.file))
			}
			if a.Line != nil && (a.Wants == nil || a.Wants(s.file)) {
				s.lined = append(s.lined, a)
			}
		}
	}
	p := Line{Change: s.c, File: s.file}
	for i := range f.Hunks {
		p.Hunk = f.Hunks[i].Lines
		for p.At = range p.Hunk {
			s.line(&p)
		}
	}
}

func (s *pass) line(p *Line) {
	kind := p.This().Kind
	for _, a := range s.lined {
		if kind == '+' {
			a.add(a.Line(p))
		} else if kind == '-' && a.Moves {
			for _, h := range a.Line(p) {
				if h.Moved != "" && len(a.gone) < 100*MaxHits {
					a.gone[h.Moved] = true
				}
			}
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
			out[len(out)-1].Title += fmt.Sprintf(", and %d more", a.more)
		}
	}
	slices.SortStableFunc(out, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Title, b.Title))
	})
	return out
}

// FindIn applies rules to the difference of two commits or trees ("" is the empty one), read unless c.Diff is complete.
func FindIn(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	c.Old, c.Read, c.Stream = FilesOf(ctx, r, from), git.Contents(ctx, r), git.Streams(ctx, r)
	c.Paths = func() ([]string, error) { return r.Paths(ctx, to) }
	if c.Diff != nil && !slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool { return f.Cut }) {
		return Find(c, rules), nil
	}
	var s *pass
	start := func(d *git.Diff) {
		c.Diff = d
		s = begin(&c, rules)
	}
	err := git.WalkDiff(ctx, r, from, to, start, func(f *git.FileDiff) { s.judge(f) })
	if err != nil || s == nil {
		return nil, err
	}
	return s.hits(), nil
}

// FilesOf returns a function that reads the files of a commit or tree; "" has none. A folder exists without data.
func FilesOf(ctx context.Context, r *git.Repo, from string) func(path string) ([]byte, bool) {
	var missing sync.Map // paths that do not exist, since the checks of a plan ask for the same ones
	return func(p string) ([]byte, bool) {
		if _, known := missing.Load(p); known || from == "" {
			return nil, false
		}
		o, err := r.Read(ctx, from+":"+p)
		if errors.Is(err, git.ErrMissing) {
			missing.Store(p, true)
		}
		if err == nil && o.Type == "blob" {
			return append([]byte{}, o.Data...), true
		}
		return nil, err == nil && o.Type == "tree"
	}
}

// Of applies all rules to the index ("staged"), a commit, or a range "A..B", and returns its last commit, if any.
func Of(ctx context.Context, r *git.Repo, what string) (head string, hits []Hit, err error) {
	var c Change
	from, to, isRange := strings.Cut(what, "..")
	switch {
	case what == "staged":
		from, _ = r.Resolve(ctx, "HEAD^{tree}") // "": nothing is committed yet
		to, err = r.Output(ctx, "write-tree")
	case isRange:
		for _, name := range []*string{&from, &to} {
			if *name, err = r.Resolve(ctx, cmp.Or(*name, "HEAD")+"^{commit}"); err != nil {
				return "", nil, err
			}
		}
		if c.Commits, err = CommitsOf(ctx, r, from, to); err != nil {
			return "", nil, err
		}
		if from, err = r.MergeBase(ctx, from, to); err == nil && from == "" {
			err = git.ErrMissing
		}
		head = to
	default:
		var k git.Commit
		k, err = r.ReadCommit(ctx, what)
		from, to, head, c.Commits = append(k.Parents, "")[0], k.OID, k.OID, []git.Commit{k}
	}
	if err == nil {
		hits, err = FindIn(ctx, r, from, to, c, All())
	}
	return head, hits, err
}

// CommitsOf returns the commits in from..to, newest first.
func CommitsOf(ctx context.Context, r *git.Repo, from, to string) ([]git.Commit, error) {
	if from == r.EmptyTree() {
		return r.Log(ctx, to)
	}
	return r.Log(ctx, from+".."+to)
}

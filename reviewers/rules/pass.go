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

// Between judges what changed from one commit or tree ("": the empty one) to another, in pieces.
func Between(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	c.reads(ctx, r, to)
	var s *pass
	start := func(d *git.Diff) {
		c.Diff = d
		s = begin(&c, rules)
	}
	err := git.WalkDiff(ctx, r, from, to, start, func(f *git.FileDiff) { s.file(f) })
	if err != nil || s == nil {
		return nil, err
	}
	return s.hits(), nil
}

// FindIn judges c.Diff, the difference between two commits or trees, which is read again if parts of it are missing.
func FindIn(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	c.Old = FilesOf(ctx, r, from)
	c.reads(ctx, r, to)
	if slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool { return f.Cut }) {
		return Between(ctx, r, from, to, c, rules)
	}
	return Find(c, rules), nil
}

// FilesOf returns the function that reads the files of a commit or tree, which may be ""; a folder exists without bytes.
func FilesOf(ctx context.Context, r *git.Repo, from string) func(path string) ([]byte, bool) {
	var missing sync.Map // by path: the checks of a plan lead to the same names
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

// reads has a change read from a repository, unless it is read from elsewhere.
func (c *Change) reads(ctx context.Context, r *git.Repo, to string) {
	if c.Read == nil {
		c.Read = git.Contents(ctx, r)
	}
	if c.Stream == nil {
		c.Stream = git.Streams(ctx, r)
	}
	if c.Paths == nil {
		c.Paths = func() ([]string, error) { return r.Paths(ctx, to) }
	}
}

// Staged is how the index is named to [Of].
const Staged = "staged"

// Of judges the staged change, a commit, or a range "A..B", and returns its last commit; "" for the staged change.
func Of(ctx context.Context, r *git.Repo, what string) (head string, hits []Hit, err error) {
	if what == Staged {
		tree, err := r.Output(ctx, "write-tree")
		if err != nil {
			return "", nil, err
		}
		from, err := r.Resolve(ctx, "HEAD^{tree}")
		if err != nil {
			from = "" // nothing is committed yet
		}
		hits, err = Between(ctx, r, from, strings.TrimSpace(tree), Change{}, All())
		return "", hits, err
	}
	from, to, isRange := strings.Cut(what, "..")
	if !isRange {
		k, err := r.ReadCommit(ctx, what)
		if err != nil {
			return "", nil, err
		}
		if from = ""; len(k.Parents) > 0 {
			from = k.Parents[0]
		}
		hits, err = Between(ctx, r, from, k.OID, Change{Commits: []git.Commit{k}}, All())
		return k.OID, hits, err
	}
	for _, name := range []*string{&from, &to} {
		if *name, err = r.Resolve(ctx, cmp.Or(*name, "HEAD")+"^{commit}"); err != nil {
			return "", nil, err
		}
	}
	commits, err := CommitsOf(ctx, r, from, to)
	if err != nil {
		return "", nil, err
	}
	if from, err = r.MergeBase(ctx, from, to); err == nil && from == "" {
		err = git.ErrMissing
	}
	if err != nil {
		return "", nil, err
	}
	hits, err = Between(ctx, r, from, to, Change{Commits: commits}, All())
	return to, hits, err
}

// CommitsOf returns the commits from one (exclusive) to another, newest first.
func CommitsOf(ctx context.Context, r *git.Repo, from, to string) ([]git.Commit, error) {
	if from == r.EmptyTree() {
		return r.Log(ctx, to)
	}
	return r.Log(ctx, from+".."+to)
}

package hooks

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// maxCommits bounds the messages that are kept in memory at once: the first push of an
// old repository brings its whole history.
const maxCommits = 5000

// reach is what the push of one ref brings.
type reach struct {
	head    git.Commit   // an annotated tag is peeled
	of      string       // the base of its work, as it is named; empty without one
	work    string       // the commit where it left that base; empty without one
	base    string       // the commit it is compared with; empty is the empty tree
	oids    []string     // of the commits that the remote lacks, newest first
	commits []git.Commit // the newest of them
	diff    *git.Diff    // base..head, without what the remote has through work
	first   bool         // nothing that it comes from is at the remote, and it is not work on a base
	huge    bool         // all of its history is new there, and too large for memory: diff is empty
	known   bool         // the remote has work, so nothing below it is brought
	notes   []string     // for the person
}

// empty reports that all of it is there already.
func (r *reach) empty() bool { return !r.huge && len(r.diff.Files) == 0 && len(r.commits) == 0 }

// brought returns what a ref brings, and reports its notes to the person. It is nil if the ref names
// no commit: then that object is judged.
func (p *pushing) brought(ctx context.Context, one Push, base, name string, d *Decision) (*reach, error) {
	r, err := p.reach(ctx, one, base)
	if errors.Is(err, git.ErrMissing) {
		return nil, p.object(ctx, one.LocalOID, name, d)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range r.notes {
		d.say("%s: %s", name, n)
	}
	return r, nil
}

// workBase returns the branch or commit with which the branch's work is compared: the
// plan's, else the one that is found; empty without one.
func (p *pushing) workBase(ctx context.Context, doc *journal.Document) (string, error) {
	given := ""
	if doc != nil {
		given = doc.Plan.Base
	}
	base, err := p.Checkout.Base(ctx, given)
	if errors.Is(err, fault.ErrNoBase) && given != "" {
		base, err = p.Checkout.Base(ctx, "")
	}
	if errors.Is(err, fault.ErrNoBase) {
		return "", nil
	}
	return base, err
}

// reach finds out what is pushed. git.ErrMissing means that it is not a commit.
func (p *pushing) reach(ctx context.Context, one Push, workBase string) (*reach, error) {
	r := &reach{of: workBase}
	var err error
	if r.head, err = p.Checkout.Repo.ReadCommit(ctx, one.LocalOID); err != nil {
		return nil, err
	}
	if tip := p.tip(ctx, workBase); tip != "" {
		if r.work, err = p.Checkout.Repo.MergeBase(ctx, tip, r.head.OID); err != nil && !errors.Is(err, git.ErrMissing) {
			return nil, err
		}
	}
	known := false
	if !one.New() {
		r.base, known, err = p.fork(ctx, one.RemoteOID, r.head.OID)
		if errors.Is(err, git.ErrMissing) {
			// Never fetched: there is no network in a hook.
			r.notes = append(r.notes, "what the remote has is not known here (git fetch), so it is treated as new")
		} else if err != nil {
			return nil, err
		}
	}
	if !known {
		if r.base, err = p.newBase(ctx, r.head.OID, r.work); err != nil {
			return nil, err
		}
	}
	r.first = one.New() && r.base == "" && (r.work == "" || r.work == r.head.OID)
	return r, p.read(ctx, r)
}

// read fills in the commits and the difference, side by side.
func (p *pushing) read(ctx context.Context, r *reach) error {
	logged := make(chan error, 1)
	go func() {
		var err error
		if r.oids, err = p.brings(ctx, r.head.OID, r.base); err == nil {
			r.commits, err = p.Checkout.Repo.Commits(ctx, r.oids[:min(p.most, len(r.oids))])
		}
		logged <- err
	}()
	var err error
	if r.base == "" && p.huge(ctx, r.head.OID) {
		r.diff, r.huge = &git.Diff{}, true
	} else {
		r.diff, err = git.DiffTrees(ctx, p.Checkout.Repo, r.base, r.head.OID)
	}
	if err = errors.Join(err, <-logged); err != nil {
		return err
	}
	r.known = r.work != "" && len(r.commits) < p.most &&
		!slices.ContainsFunc(r.commits, func(c git.Commit) bool { return c.OID == r.work })
	if r.known && r.work != r.base {
		r.diff.Files = slices.DeleteFunc(r.diff.Files, func(f git.FileDiff) bool { return p.same(ctx, r.work, f) })
	}
	return nil
}

// brings returns the names of head's commits that neither base nor the remote has, newest
// first. If nothing is known of the remote, the history below base is not walked.
func (p *pushing) brings(ctx context.Context, head, base string) (commits []string, err error) {
	var l *lacking
	if base != "" && !p.named && len(p.said()) == 0 {
		l, err = readLacking(ctx, p.Checkout.Repo, []string{head}, []string{base})
	} else {
		l, err = p.lack(ctx)
	}
	if err == nil {
		commits, _ = l.of(head, base)
	}
	return commits, err
}

// lack returns what the remote lacks of all that is pushed.
func (p *pushing) lack(ctx context.Context) (*lacking, error) {
	if p.lacks != nil {
		return p.lacks, nil
	}
	var tips []string
	for _, one := range p.all {
		if !one.Deletes() {
			tips = append(tips, one.LocalOID)
		}
	}
	known, err := p.tracked(ctx)
	if err != nil {
		return nil, err
	}
	p.lacks, err = readLacking(ctx, p.Checkout.Repo, tips, append(known, p.said()...))
	return p.lacks, err
}

// touches reports whether a path is among what is pushed.
func (r *reach) touches(path string) bool {
	return slices.ContainsFunc(r.diff.Files, func(f git.FileDiff) bool { return f.Path == path })
}

// same reports whether a file is as work has it: once its branch was merged into this
// one, the difference also shows what others pushed long ago.
func (p *pushing) same(ctx context.Context, work string, f git.FileDiff) bool {
	oid, err := p.Checkout.Repo.Resolve(ctx, work+":"+f.Path)
	return err == nil && oid == f.NewOID
}

// maxWhole is how many bytes of objects, as stored, may be compared with the empty tree:
// as text in memory they take a multiple of that.
const maxWhole = 64 << 20

func (p *pushing) huge(ctx context.Context, head string) bool {
	out, err := p.Checkout.Repo.Output(ctx, "rev-list", "--disk-usage", "--objects", head, "--")
	size, _ := strconv.ParseInt(out, 10, 64)
	return err == nil && size > maxWhole
}

// fork returns where head left what the remote has, which a forced push drops; known is
// false if they have no commit in common.
func (p *pushing) fork(ctx context.Context, remote, head string) (base string, known bool, err error) {
	at, err := p.Checkout.Repo.ReadCommit(ctx, remote)
	if err != nil {
		return "", false, err
	}
	if l, err := p.lack(ctx); err != nil {
		return "", false, err
	} else if _, below := l.of(head, ""); len(below) == 1 && below[0] == at.OID {
		return at.OID, true, nil
	}
	base, err = p.Checkout.Repo.MergeBase(ctx, remote, head)
	if errors.Is(err, git.ErrMissing) {
		return "", false, nil
	}
	return base, err == nil, err
}

// newBase returns what a ref that is new to the remote is compared with: the commit where
// it left the base of its work. If the remote is known to lack that commit too, or the
// ref is the base itself, it is the last commit that the remote has; empty without one.
func (p *pushing) newBase(ctx context.Context, head, work string) (string, error) {
	own := work != "" && work != head
	if own && !p.named {
		return work, nil
	}
	l, err := p.lack(ctx)
	if err != nil {
		return "", err
	}
	edge := ""
	if _, below := l.of(head, ""); len(below) > 0 {
		edge = below[0]
	}
	if _, lacks := l.parents[work]; !own || edge != "" && lacks {
		return edge, nil
	}
	return work, nil
}

// lacking is the part of the history that the remote, as far as we know here, does not
// have. One walk by git reads it for all refs of a push: what each of them brings is
// found in it without asking git again, however many there are.
type lacking struct {
	parents map[string][]string // of each commit in it
	at      map[string]int      // its place in git's list, newest first; also of commits right below it
}

// readLacking reads what tips have and the others do not. Object names that do not exist
// here are left out.
func readLacking(ctx context.Context, repo *git.Repo, tips, others []string, options ...string) (*lacking, error) {
	var in, out strings.Builder
	in.WriteString(strings.Join(tips, "\n") + "\n")
	for _, oid := range others {
		in.WriteString("^" + oid + "\n")
	}
	args := []string{"rev-list", "--topo-order", "--parents", "--boundary", "--ignore-missing", "--stdin"}
	if err := repo.Run(ctx, git.Command{Args: append(args, options...), Stdin: strings.NewReader(in.String()), Stdout: &out}); err != nil {
		return nil, err
	}
	l := &lacking{parents: map[string][]string{}, at: map[string]int{}}
	for line := range strings.Lines(out.String()) {
		names := strings.Fields(line)
		oid, below := strings.CutPrefix(names[0], "-")
		if l.at[oid] = len(l.at); !below {
			l.parents[oid] = names[1:]
		}
	}
	return l, nil
}

// of returns the commits that head adds to base ("": to what the remote has), newest
// first, and in below, newest first as well, the commits of the remote that they begin at.
func (l *lacking) of(head, base string) (commits, below []string) {
	without := map[string]bool{}
	l.down(base, without, func(string) {})
	edges := map[string]bool{}
	l.down(head, without, func(oid string) {
		commits = append(commits, oid)
		for _, parent := range l.parents[oid] {
			if _, lacks := l.parents[parent]; !lacks {
				edges[parent] = true
			}
		}
	})
	byAge := func(a, b string) int { return cmp.Compare(l.at[a], l.at[b]) }
	slices.SortFunc(commits, byAge)
	if below = slices.SortedFunc(maps.Keys(edges), byAge); len(commits) == 0 {
		below = []string{head} // the remote has all of it
	}
	return commits, below
}

// down calls each once for every commit from the given one down that the remote lacks and
// that was not seen.
func (l *lacking) down(from string, seen map[string]bool, each func(oid string)) {
	for next := []string{from}; len(next) > 0; {
		oid := next[len(next)-1]
		next = next[:len(next)-1]
		parents, lacks := l.parents[oid]
		if !lacks || seen[oid] {
			continue
		}
		seen[oid] = true
		each(oid)
		next = append(next, parents...)
	}
}

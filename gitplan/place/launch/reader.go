package launch

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Reader is where a session that only reads runs: in a folder here, or by plan.<role>.launcher on
// another machine, which is sent the files of the commit that it is about and of which nothing comes
// back but an answer.
type Reader struct {
	*site.Site
	launcher *elsewhere.Launcher // nil: here
	of       agent.Review
}

// ReaderFor returns where a session of a role runs that is about what a review names, or about HEAD.
func ReaderFor(s *site.Site, role agent.Role, of agent.Review) (*Reader, error) {
	l, err := Of(s.Config, role)
	return &Reader{s, l, of}, err
}

// Agent returns what holds the sessions of an agent here.
func (r *Reader) Agent(a agent.Agent, role agent.Role) agent.Agent {
	if r.launcher == nil {
		return a
	}
	out := From(r.Site, *r.launcher)
	out.Agent, out.Settings = a, elsewhere.Settings(r.Config, a, role)
	out.Tree = reads{r.Repo, r.of}
	return out
}

// ConfineSession returns what the commands of a session may do. Elsewhere that machine says it.
func (r *Reader) ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*confine.Bounds, error) {
	if r.launcher != nil {
		return nil, nil
	}
	return r.Site.ConfineSession(ctx, a, s)
}

// reads are the files of a commit.
type reads struct {
	repo *git.Repo
	of   agent.Review
}

func (f reads) Repo() *git.Repo { return f.repo }

// Snapshot returns the tree of the commit, without what no model sees.
func (f reads) Snapshot(ctx context.Context) (string, error) {
	commit := f.of.Head
	if commit == "" {
		commit = "HEAD"
	}
	tree, err := f.repo.Resolve(ctx, commit+"^{tree}")
	if errors.Is(err, git.ErrMissing) && f.of.Head == "" { // the branch has no commit yet
		return f.repo.EmptyTree(), nil
	}
	if err != nil || len(f.of.Hidden) == 0 {
		return tree, err
	}
	var gone []worktree.Entry
	for _, path := range f.of.Hidden {
		gone = append(gone, worktree.Entry{Path: path})
	}
	return worktree.WithEntries(ctx, f.repo, tree, gone)
}

func (f reads) Become(context.Context, *git.Repo, string) error {
	return errors.New("a session that only reads brings no files back")
}

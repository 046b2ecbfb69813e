package place

import (
	"cmp"
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func Dirty(st *worktree.Status) error {
	if unmerged := st.Unmerged(); len(unmerged) > 0 {
		return fault.New(fault.ErrUnmerged, "not merged: %s", visible.Few(unmerged))
	}
	return fault.New(fault.ErrDirty, "not committed: %s", visible.Few(st.Paths()))
}

// Ready looks at the tree before a task that is not a step: it must be clean
// but for untracked files.
func (p *Place) Ready(ctx context.Context) (err error) {
	if err := journal.FreeOfLocks(p.Repo, time.Time{}); err != nil {
		return err
	}
	if p.Before, err = worktree.ReadStatusIgnored(ctx, p.Repo); err == nil && !p.Before.Clean() {
		err = Dirty(p.Before)
	}
	return cmp.Or(err, p.CloneIsFree())
}

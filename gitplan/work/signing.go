package work

import (
	"context"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// signing is whether git can sign a commit here, found out once.
type signing struct {
	once sync.Once
	err  error
}

// lendToSign leaves the terminal to git while it signs commits, until back is called.
func (w *Worker) lendToSign() (back func()) {
	if w.Lend != nil && w.signs() {
		return w.Lend()
	}
	return func() {}
}

func (w *Worker) signs() bool { return w.Config.Git.Bool("commit.gpgsign", false) }

// CanSign returns an error if git must sign commits and cannot: before a session works for a
// commit that could not be made, it signs one that nothing refers to.
func (w *Worker) CanSign(ctx context.Context) error {
	if !w.signs() {
		return nil
	}
	s := &w.common().signing
	s.once.Do(func() {
		defer w.lendToSign()()
		said := &proc.Tail{}
		err := w.Repo.Run(ctx, git.Command{
			Args:   []string{"commit-tree", "-S", "-m", "git plan tries whether git can sign", w.Repo.EmptyTree()},
			Stderr: said, Localised: true, Writes: true,
		})
		if git.Code(err) > 0 {
			err = fault.New(fault.ErrCannotSign, "git cannot sign commits, as commit.gpgSign says: %s", visible.OneLine(visible.Reason(strings.TrimSpace(said.String())), 300))
		}
		s.err = err
	})
	return s.err
}

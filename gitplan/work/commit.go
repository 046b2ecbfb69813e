package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Turn is a worker's right to use the work tree, branch and index, which workers share; an only worker's is nil.
type Turn struct {
	Of   *sync.Mutex // of all workers
	mine bool
}

// Take waits for the turn, unless the worker has it; waits is called if another worker has it.
func (t *Turn) Take(waits func()) {
	if t == nil || t.mine {
		return
	}
	if t.mine = t.Of.TryLock(); !t.mine {
		waits()
		t.Of.Lock()
		t.mine = true
	}
}

// Release ends the turn.
func (t *Turn) Release() {
	if t != nil && t.mine {
		t.mine = false
		t.Of.Unlock()
	}
}

// land takes the turn at the work tree, and returns the tree to commit now: the one that passed, or the same on top of
// newer commits, once that passed as well. The turn is kept if checks are quick, or the second time, so that it ends.
func (a *Attempt) land(ctx context.Context, tree string, changes *workspace.Changes) (string, error) {
	for again := false; ; again = true {
		if a.w.Turn != nil {
			n := a.about().Of(journal.StepLands, "")
			waits := n
			waits.Reason = "waits until others are committed"
			a.w.Turn.Take(func() { a.w.Runner.Report(waits) })
			a.w.Runner.Report(n)
		}
		// Other commits end a fixer's task, which is about the commit that was reviewed, and a task in the work tree.
		rebases := a.w.Turn != nil || a.ws.InClone() && a.t.Role == agent.Executor
		if !rebases || a.t.needsNoSession(a.try) {
			return tree, nil
		}
		head, err := a.w.Checkout.Repo.Lookup(ctx, "refs/heads/"+a.w.Checkout.Branch)
		if err != nil || head == "" || head == a.ws.Before.Head {
			return tree, err
		}
		if !again && a.checks.took > 500*time.Millisecond {
			a.w.Turn.Release()
		}
		if err := a.ws.Rebase(ctx, head, tree, a.message()); err != nil {
			return "", err
		}
		a.inside.tree = ""
		a.report("the work is rebased onto newer commits and checked again")
		tree, err = a.toCommit(ctx, changes)
		if f := workspace.FailureOf(err); f != nil && f.Setup == nil {
			return "", a.ws.MovedOn() // a fresh session in a fresh clone learns of it
		}
		if err != nil || tree == "" {
			return "", err
		}
	}
}

func (a *Attempt) message() string {
	r := a.result
	if a.finished != nil {
		r = *a.finished
	}
	return a.w.Runner.Masked(journal.CommitMessage(r.Subject, a.t.Subject, cmp.Or(a.folded, r.Summary), a.t.Trailer))
}

// Finish commits the tree that was about to be committed when git plan was killed.
func (w *Worker) Finish(ctx context.Context, ws *workspace.Workspace, t Task, tree string) (oid string, err error) {
	a := w.Attempt(ws, t, prompt.Attempt{N: max(t.First, 1)})
	return ws.FinishCommit(ctx, func() (string, error) { return a.gitCommit(ctx, tree, &workspace.Changes{}) })
}

func (a *Attempt) gitCommit(ctx context.Context, tree string, changes *workspace.Changes) (oid string, err error) {
	repo, printed := a.w.Checkout.Repo, &proc.Tail{}
	defer a.w.lendToSign()()
	if err := journal.FreeOfLocks(repo); err != nil {
		return "", err
	}
	err = a.w.withCheckTimeout(ctx, a.about(), "git commit and its hooks",
		func(ctx context.Context) error { return a.ws.Commit(ctx, changes.Formatted, printed) })
	switch {
	case errors.Is(err, errLate):
		if made := a.ws.Committed(ctx); made != "" {
			return made, nil
		}
		return "", &workspace.Failure{Reason: withLastLines(err.Error(), printed.String()), Hopeless: true, Refused: true}
	case errors.Is(err, runner.ErrFormatted):
		return "", &workspace.Failure{Reason: err.Error(), Formats: true}
	case errors.Is(err, git.ErrLocked), err != nil && git.Code(err) <= 0:
		return "", err
	}
	made, unread := repo.ReadCommit(ctx, "HEAD")
	switch {
	case err != nil: // the code is 1 if a hook refuses; git died if it could not sign, or not run a hook
		return "", &workspace.Failure{Reason: withLastLines("git commit was refused", printed.String()),
			Hopeless: git.Code(err) == git.Fatal, Refused: true}
	case unread != nil:
		return "", unread
	case made.OID == a.ws.Before.Head:
		return "", workspace.Failf("%s", withLastLines("git commit made no commit", printed.String()))
	}
	if made.Tree != tree {
		a.Notes = append(a.Notes, "a commit hook changed the committed files after the checks")
	}
	return made.OID, nil
}

// errLate is the end of programs of the user's that were waited for.
var errLate = errors.New("did not end within plan.checkTimeout")

// withCheckTimeout calls do, which waits for hooks, or a signer that asks. After plan.checkTimeout it ends with errLate.
func (w *Worker) withCheckTimeout(ctx context.Context, about journal.Notice, what string, do func(context.Context) error) error {
	const slow = 3 * time.Second
	limit, err := w.Checkout.Config.Duration("plan.checkTimeout")
	if err != nil {
		return err
	}
	n := about.Of(journal.SessionText, "")
	n.Reason = what
	defer time.AfterFunc(slow, func() { w.Runner.Report(n) }).Stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := fmt.Errorf("%s %w, %s", what, errLate, agent.Short(limit))
	defer proc.NewClock(limit, func() { cancel(late) }).Stop()
	if err = do(ctx); err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	return err
}

// withLastLines adds what git and hooks printed to a reason, and the last lines, where most say why, to its first line.
func withLastLines(what, printed string) string {
	printed = strings.TrimSpace(printed)
	var lines []string
	for line := range strings.Lines(printed) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		what += ": " + strings.Join(lines[max(0, len(lines)-2):], "; ")
	}
	if len(lines) > 2 {
		what += "\n" + printed
	}
	return what
}

// lendToSign leaves the terminal to git while it signs commits, until back is called.
func (w *Worker) lendToSign() (back func()) {
	if w.Lend != nil && w.signs() {
		return w.Lend()
	}
	return func() {}
}

func (w *Worker) signs() bool { return w.Checkout.Config.Git.Bool("commit.gpgsign", false) }

// trySigning returns an error if git cannot sign, as a commit shows that nothing refers to.
func (w *Worker) trySigning(ctx context.Context) error {
	defer w.lendToSign()()
	printed := &proc.Tail{}
	err := w.withCheckTimeout(ctx, journal.Notice{}, "the signer of git's commits", func(ctx context.Context) error {
		return w.Checkout.Repo.Run(ctx, git.Command{
			Args:   []string{"commit-tree", "-S", "-m", "git plan tries whether git can sign", w.Checkout.Repo.EmptyTree()},
			Stderr: printed, Localised: true, Writes: true,
		})
	})
	if git.Code(err) > 0 || errors.Is(err, errLate) {
		why := cmp.Or(visible.Reason(strings.TrimSpace(printed.String())), err.Error())
		return fault.New(fault.ErrCannotSign, "commit.gpgSign is set, but git cannot sign commits: %s", why)
	}
	return err
}

package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RequireApproval returns an error unless a person approved what the plan means now, and this clone knows its events.
func (c *Checkout) RequireApproval() error {
	waits, err := c.NotApproved()
	if err == nil && !waits.None() {
		return unapproved(c, waits)
	}
	return err
}

// NotApproved returns the steps that wait for approval; an error if all do, or if the plan has unverified events.
func (c *Checkout) NotApproved() (plan.Unapproved, error) {
	if err := c.Doc.Plan.Approvable(); err != nil {
		return plan.Unapproved{}, err
	}
	waits, err := integrity.Waits(c.Repo, c.Doc.ID, c.Doc.Plan)
	if err == nil && waits.Whole != "" {
		err = unapproved(c, waits)
	}
	if err != nil {
		return waits, err
	}
	if strange := c.Store.Unverified(c.Doc); len(strange) > 0 {
		err = fault.New(fault.ErrUnapproved,
			"the plan has events that git plan did not write or fetch in this clone: %d; the last is: %s",
			len(strange), strange[len(strange)-1].Describe())
	}
	return waits, err
}

func unapproved(c *Checkout, waits plan.Unapproved) error {
	if text, unseen := c.SetupChange(); unseen {
		return fault.New(fault.ErrSetupUnseen, "%s, and the plan has not been approved since", text)
	}
	if waits.Whole != "" {
		return fault.New(fault.ErrUnapproved, "the plan of %s is not approved", c.Branch)
	}
	return fault.New(fault.ErrUnapproved, "the changes of the plan are not approved: step %s",
		visible.OneLine(strings.Join(slices.Concat(waits.Steps, waits.Gone), ", "), 200))
}

// RequirePlace refuses steps in a session, a bare repository or a merge, on a detached HEAD or a protected branch.
func (c *Checkout) RequirePlace(ctx context.Context) error {
	switch underWay := c.RequireNoOperation(); {
	case os.Getenv(proc.EnvDepth) != "":
		return fault.New(fault.ErrNested, "this is already a session of a plan (%s is set)", proc.EnvDepth)
	case c.Repo.Top == "":
		return fault.New(fault.ErrBare, "a bare repository has no work tree to work in")
	case underWay != nil: // a rebase detaches HEAD, too
		return underWay
	case c.Branch == "":
		return fault.New(fault.ErrDetached, "HEAD is detached")
	case c.Doc == nil:
		return nil
	}
	return unprotected(ctx, c, c.Doc)
}

// RequireBranch returns ErrLeftBranch if another branch is checked out than when the checkout was opened.
func (c *Checkout) RequireBranch(ctx context.Context) error {
	now, err := c.Repo.Branch(ctx)
	if err == nil && now != c.Branch {
		err = c.LeftBranch("the waiting work is committed once it is checked out again")
	}
	return err
}

// LeftBranch returns the error of a branch that was left while sessions worked for it.
func (c *Checkout) LeftBranch(what string) error {
	return &fault.Fault{
		Kind: fault.ErrLeftBranch, Text: visible.OneLine(c.Branch, 200) + " was left while a session worked for it; " + what,
		Next: "git switch " + visible.Shell(c.Branch),
	}
}

// RequireNoOperation returns ErrOperation if a merge, rebase or the like is under way here.
func (c *Checkout) RequireNoOperation() error {
	op := c.Repo.Operation()
	if op == "" {
		return nil
	}
	text, next := "a "+op, "git "+op+" --abort"
	if branch, _ := Rebased(c.Repo); branch != "" {
		text += " of " + visible.OneLine(branch, 200)
	}
	if op == "bisect" {
		next = "git bisect reset"
	}
	return &fault.Fault{Kind: fault.ErrOperation, Text: text + " is under way", Next: next}
}

// Rebased returns the branch that a rebase under way here moves, and where that, or HEAD, was before; "" if none.
func Rebased(r *git.Repo) (branch, before string) {
	for _, backend := range []string{"rebase-merge", "rebase-apply"} {
		name, _ := os.ReadFile(filepath.Join(r.GitDir, backend, "head-name"))
		if orig, err := os.ReadFile(filepath.Join(r.GitDir, backend, "orig-head")); err == nil {
			_, branch, _ = strings.Cut(strings.TrimSpace(string(name)), "refs/heads/") // else it is "detached HEAD"
			return branch, strings.TrimSpace(string(orig))
		}
	}
	return "", ""
}

// LockText locks the plan's text against sessions until release, and reads it again. It calls waiting if it waits.
func (c *Checkout) LockText(ctx context.Context, waiting func()) (release func(), err error) {
	text, err := journal.WaitText(ctx, c.Repo, c.Doc.ID, waiting)
	if err != nil {
		return nil, err
	}
	if err := c.Reload(ctx); err != nil {
		return nil, errors.Join(err, text.Close())
	}
	return func() { _ = text.Close() }, nil
}

// Reload reads the plan again if another process wrote to it. ErrPlanGone if it was dropped.
func (c *Checkout) Reload(ctx context.Context) error { return c.reload(ctx, false) }

// Renew is Reload with the progress derived again in any case: the branch may have moved.
func (c *Checkout) Renew(ctx context.Context) error { return c.reload(ctx, true) }

func (c *Checkout) reload(ctx context.Context, derive bool) error {
	doc, err := c.Store.Newer(ctx, c.Doc)
	if err != nil || doc.Tip == c.Doc.Tip && !derive {
		return err
	}
	if doc.Tip != c.Doc.Tip {
		doc.Renamed = c.Doc.Renamed
		*c.Doc = *doc
	}
	return c.Derive(ctx)
}

// RequireIdle refuses (ErrBusy) while another git plan works in this work tree on the branch's plan.
func (c *Checkout) RequireIdle(ctx context.Context) error {
	id, ok := c.PlanID(ctx)
	if h, busy := journal.Working(c.Repo, id); ok && busy && h.PID != os.Getpid() && h.GitDir == c.Repo.GitDir {
		return h.Busy()
	}
	return nil
}

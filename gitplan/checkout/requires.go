package checkout

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RequireApproval returns ErrUnapproved unless a person approved what the plan means now and
// this clone knows where its events came from, ErrSetupUnseen if a session changed the set-up
// since, and ErrHidden if the plan has something that nobody can see.
func (c *Checkout) RequireApproval() error {
	waits, err := c.NotApproved()
	if err == nil && !waits.None() {
		return c.unapproved(waits)
	}
	return err
}

// NotApproved is RequireApproval for whoever can leave steps out: it returns those that wait
// for approval. If all of them do, that is an error.
func (c *Checkout) NotApproved() (plan.Unapproved, error) {
	if err := c.Doc.Plan.Approvable(); err != nil {
		return plan.Unapproved{}, err
	}
	waits, err := setup.NotApproved(c.Repo, c.Doc.ID, c.Doc.Plan)
	if err == nil && waits.Whole != "" {
		err = c.unapproved(waits)
	}
	return waits, cmp.Or(err, c.requireWitnessed())
}

func (c *Checkout) unapproved(waits plan.Unapproved) error {
	if text, unseen := c.Unseen(); unseen {
		return fault.New(fault.ErrSetupUnseen, "%s, and nobody has approved the plan since", text)
	}
	switch {
	case waits.Whole == "" && len(waits.Steps) > 0:
		return fault.New(fault.ErrUnapproved, "nobody has approved what was changed in the plan: step %s", visible.OneLine(strings.Join(waits.Steps, ", "), 200))
	case waits.Whole == "":
		return fault.New(fault.ErrUnapproved, "nobody has approved that step %s is no longer in the plan", visible.OneLine(strings.Join(waits.Gone, ", "), 200))
	}
	return fault.New(fault.ErrUnapproved, "nobody has approved the plan of %s as it is now", c.Branch)
}

// RequirePlace refuses the places where no step may run: inside a session (ErrNested), in a
// bare repository (ErrBare), in the middle of a merge or the like (ErrOperation), on a
// detached HEAD (ErrDetached), and, if a plan is loaded, on a protected branch
// (ErrProtected).
func (c *Checkout) RequirePlace(ctx context.Context) error {
	switch {
	case os.Getenv(proc.EnvDepth) != "":
		return fault.New(fault.ErrNested, "this is already a session of a plan (%s is set)", proc.EnvDepth)
	case c.Repo.Top == "":
		return fault.New(fault.ErrBare, "a bare repository has no work tree to work in")
	}
	if err := c.UnderWay(); err != nil { // a rebase detaches HEAD, too
		return err
	}
	if c.Branch == "" {
		return fault.New(fault.ErrDetached, "HEAD is detached")
	}
	if c.Doc == nil {
		return nil
	}
	return c.unprotected(ctx, c.Doc)
}

// StillThere returns ErrLeftBranch if another branch is checked out than when the checkout was opened.
func (c *Checkout) StillThere(ctx context.Context) error {
	now, err := c.Repo.Branch(ctx)
	if err == nil && now != c.Branch {
		err = c.LeftBranch("what waits for it is committed once it is checked out again")
	}
	return err
}

// LeftBranch returns the error of a branch that was left while sessions worked for it, and what becomes of
// their work.
func (c *Checkout) LeftBranch(what string) error {
	return &fault.Fault{
		Kind: fault.ErrLeftBranch, Text: visible.OneLine(c.Branch, 200) + " was left while a session worked for it; " + what,
		Next: "git switch " + visible.Shell(c.Branch) + ", then the same command again",
	}
}

// UnderWay returns ErrOperation if git is in the middle of something here.
func (c *Checkout) UnderWay() error {
	op := c.Repo.Operation()
	if op == "" {
		return nil
	}
	for _, backend := range []string{"rebase-merge", "rebase-apply"} {
		name, _ := os.ReadFile(filepath.Join(c.Repo.GitDir, backend, "head-name"))
		if branch, ok := strings.CutPrefix(strings.TrimSpace(string(name)), "refs/heads/"); ok {
			op += " of " + visible.OneLine(branch, 200)
		}
	}
	return fault.New(fault.ErrOperation, "a %s is under way", op)
}

// Unmerged returns a list for people of the files that a stash left unmerged, of which git
// keeps no other sign; "" if there are none, or no stash.
func (c *Checkout) Unmerged(ctx context.Context) (files string) {
	if _, err := c.Repo.Resolve(ctx, "refs/stash"); err != nil {
		return "" // so that whoever has none need not wait for git
	}
	out, _ := c.Repo.Output(ctx, "ls-files", "--unmerged", "-z") // of the index alone, however many files there are
	var paths []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") { // MODE OID STAGE<tab>PATH
		if _, path, ok := strings.Cut(entry, "\t"); ok && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return visible.Few(paths)
}

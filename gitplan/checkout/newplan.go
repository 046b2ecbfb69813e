package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// NewPlan is what a person asks of a new plan, apart from its text.
type NewPlan struct {
	Branch string // to be made; "" for this one, or on a base for one named after the title
	Base   string // to compare the work with; "" for the text's own, else the likeliest
	Force  bool   // in place of the plan that the branch has
}

// Ready returns the error that Store would fail with, before a text is written in vain, and the base if known.
func (n NewPlan) Ready(ctx context.Context, c *Checkout) (base string, err error) {
	if err := c.RequirePlace(ctx); err != nil && (n.Branch == "" || !errors.Is(err, fault.ErrDetached)) {
		return "", err
	}
	anew := n.Force || n.Branch != ""
	id, ok := c.PlanID(ctx)
	if !ok && !anew && c.Load(ctx) == nil { // fetched, or of a git plan new that was killed before it attached it
		id, ok = c.Doc.ID, true
	}
	if ok && !anew {
		text := fmt.Sprintf("branch %s already has plan %s", c.Branch, id)
		if base, err := c.Base(ctx, n.Base); err == nil && base != "" && !c.OnBase(base) {
			text += "; for other work go to its base: git switch " + visible.Shell(strings.TrimPrefix(base, "origin/"))
		}
		return "", &fault.Fault{Kind: fault.ErrPlanExists, Text: text}
	}
	if err := c.RequireIdle(ctx); err != nil {
		return "", err
	}
	if n.Branch == "" {
		err = unsettled(ctx, c)
	} else {
		err = freeBranch(ctx, c, n.Branch)
	}
	if err != nil {
		return "", err
	}
	base, err = c.Base(ctx, n.Base)
	if err == nil && n.Branch == "" && needsBranch(ctx, c, base) {
		err = madeBeside(ctx, c, c.Config.String("plan.branchPrefix")+"...")
	}
	return base, err
}

// needsBranch reports whether a plan is not made on this branch: on a base, or where steps never run.
func needsBranch(ctx context.Context, c *Checkout, base string) bool {
	likeliest, _ := c.Base(ctx, "")
	return c.OnBase(base) || c.OnBase(likeliest) || unprotected(ctx, c, &journal.Document{Plan: &plan.Plan{Base: base}}) != nil
}

// StoredPlan is the outcome of storing a text.
type StoredPlan struct {
	Base   string
	NoBase string   // the base that the text names, if this repository has no such commit
	Ticked []string // the steps that are done already, by their boxes
}

// Store makes a branch if need be, stores the plan and attaches it, or nothing. Only a person sets base and boxes.
func (n NewPlan) Store(ctx context.Context, c *Checkout, p *plan.Plan, base string,
	e journal.Event) (s StoredPlan, err error) {
	c.Doc, s.Base = nil, base
	byPerson := e.By == journal.ByPerson
	// else --base names it, or none is known
	if named := p.Base; byPerson && named != "" && named != base && base != "" && n.Base == "" {
		if s.Base, err = c.Base(ctx, named); err != nil {
			s.Base, s.NoBase = base, named
		}
	}
	if err := c.RequireIdle(ctx); err != nil {
		return s, err
	}
	head, err := c.Repo.Lookup(ctx, "HEAD^{commit}")
	if err != nil {
		return s, err
	}
	e.Start, e.Head = journal.OrNone(head), journal.OrNone(head)
	if err := journal.FreeOfLocks(c.Repo, "config"); err != nil { // before a branch is made
		return s, err
	}
	from := c.Branch
	if name := n.branchOf(ctx, c, p, s.Base); name != "" {
		if err := c.NewBranch(ctx, name); err != nil {
			return s, err
		}
	}
	doc, err := c.Store.Create(ctx, p.Source, c.Branch, s.Base, e)
	if err == nil {
		err = c.Attach(ctx, doc.ID)
	}
	if err != nil {
		return s, errors.Join(err, rollBack(ctx, c, doc, from, head))
	}
	c.Doc = doc
	for _, step := range c.Doc.Plan.Steps {
		if step.Ticked() {
			s.Ticked = append(s.Ticked, step.ID)
		}
	}
	if byPerson {
		return s, c.Store.Apply(ctx, c.Doc, c.Branch, EventsOfEdit(&plan.Plan{}, c.Doc.Plan, &progress.Progress{})...)
	}
	return s, nil
}

// branchOf returns the branch that is to be made, or "": a plan is never made on a base.
func (n NewPlan) branchOf(ctx context.Context, c *Checkout, p *plan.Plan, base string) string {
	if n.Branch != "" || !needsBranch(ctx, c, base) {
		return n.Branch
	}
	stem := c.Config.String("plan.branchPrefix") + plan.Slug(p.Title, 50)
	name := stem
	for k := 2; ; k++ {
		if _, err := c.Repo.Resolve(ctx, "refs/heads/"+name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", stem, k)
	}
}

func freeBranch(ctx context.Context, c *Checkout, name string) error {
	if !utf8.ValidString(name) || !c.Repo.ValidBranch(ctx, name) {
		return fault.New(fault.ErrBranchName, "%q is not a valid branch name", name)
	}
	there, err := c.Repo.Lookup(ctx, "refs/heads/"+name)
	switch {
	case err != nil:
		return err
	case there != "" && name == c.Branch: // perhaps of a new that was killed
		return fault.New(fault.ErrBranchName, "branch %s already exists, and is this one: leave out -b", name)
	case there != "":
		return fault.New(fault.ErrBranchName, "branch %s already exists", name)
	}
	return madeBeside(ctx, c, name)
}

// madeBeside returns ErrBranchName if git cannot make a branch beside another, here or where it is pushed: a/b and a.
func madeBeside(ctx context.Context, c *Checkout, name string) error {
	remote, _ := c.Remote("", true)
	for _, at := range []string{"refs/heads/", "refs/remotes/" + remote + "/"} {
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			if _, err := c.Repo.Resolve(ctx, at+above); err == nil {
				return fault.New(fault.ErrBranchName, "git cannot make branch %s, since %s%s exists", name, at, above)
			}
		}
	}
	below, err := c.Repo.Refs(ctx, "refs/heads/"+name+"/")
	if err == nil && len(below) > 0 {
		err = fault.New(fault.ErrBranchName, "git cannot make branch %s, since %s exists", name, below[0].Name)
	}
	return err
}

// NewBranch makes a branch at HEAD and switches to it. ErrBranchName if that cannot be.
func (c *Checkout) NewBranch(ctx context.Context, name string) error {
	if err := freeBranch(ctx, c, name); err != nil {
		return err
	}
	if err := c.Repo.Run(ctx, git.Command{
		Args: []string{"switch", "--quiet", "--no-track", "--create", name}, Localised: true, Hooks: true, // else git push may go to the base
		Env: []string{proc.EnvDepth + "=1"}, // our own hooks have nothing to add
	}); err != nil {
		return err
	}
	c.Branch = name
	return nil
}

// rollBack removes a plan (or nil) that could not be attached, and its branch, and goes back to from ("": detached).
func rollBack(ctx context.Context, c *Checkout, d *journal.Document, from, start string) (err error) {
	ctx = context.WithoutCancel(ctx)
	if d != nil && d.Tip != "" {
		journal.TipsNote(c.Repo, d.ID).Remove()
		journal.MarkAttached.Clear(c.Repo, d.ID)
		err = c.Repo.DeleteRef(ctx, journal.RefPrefix+d.ID, d.Tip, "plan: could not be attached")
	}
	if c.Branch == from {
		return err
	}
	made := "refs/heads/" + c.Branch
	args := []string{"symbolic-ref", "HEAD", "refs/heads/" + from}
	if from == "" {
		args = []string{"update-ref", "--no-deref", "HEAD", start}
	}
	back := c.Repo.Run(ctx, git.Command{Args: args, Writes: true})
	if back == nil && start != "" {
		back = c.Repo.DeleteRef(ctx, made, start, "plan: could not be attached")
	}
	if back == nil {
		c.Branch = from
	}
	return errors.Join(err, back)
}

// PathInTree returns the path in the repository of a regular file of the work tree, else "".
func PathInTree(c *Checkout, name string) string {
	file, err := filepath.Abs(name)
	file = disk.Real(file)
	info, missing := os.Stat(file)
	rel, outside := filepath.Rel(disk.Real(c.Repo.Top), file)
	if errors.Join(err, missing, outside) != nil || !info.Mode().IsRegular() || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Load reads the branch's plan and derives what is done. ErrNoPlan, ErrDetached, ErrCopied for another branch's plan.
func (c *Checkout) Load(ctx context.Context) error {
	id, ok := c.PlanID(ctx)
	switch {
	case !ok && c.Branch == "":
		detached := fault.New(fault.ErrDetached, "HEAD is detached, so there is no branch that could have a plan")
		return cmp.Or(c.RequireNoOperation(), detached)
	case !ok:
		return adopt(ctx, c)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := claim(ctx, c, doc); err != nil {
		return err
	}
	c.Doc = doc
	c.adoptMoved(ctx)
	return c.Derive(ctx)
}

// LoadFor reads the plan with an id, or the branch's; during a bisect, that of the branch on which it began.
func (c *Checkout) LoadFor(ctx context.Context, id string) error {
	if id == "" {
		if began, err := os.ReadFile(filepath.Join(c.Repo.GitDir, "BISECT_START")); err == nil && c.Branch == "" {
			c.Branch = strings.TrimPrefix(strings.TrimSpace(string(began)), "refs/heads/")
		}
		return c.Load(ctx)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	c.Doc = doc
	return c.Derive(ctx)
}

// LoadElsewhere reads the plan with an id, and how far it is on its own branch.
func LoadElsewhere(ctx context.Context, c *Checkout, id, branch string) error {
	c.Branch, c.rev = branch, "refs/heads/"+branch
	return c.LoadFor(ctx, id)
}

// LoadToRead is Load for a command that only reads: during a rebase it reads the branch as it was.
func (c *Checkout) LoadToRead(ctx context.Context) error {
	if branch, _ := Rebased(c.Repo); c.Branch == "" && branch != "" {
		c.Branch, c.rev = branch, "refs/heads/"+branch
	}
	return c.Load(ctx)
}

// adopt attaches the plan that names this branch and continues on it, as in a fresh clone; others are named.
func adopt(ctx context.Context, c *Checkout) error {
	plans, err := c.Plans(ctx)
	if err != nil {
		return err
	}
	none := noPlan(ctx, c, plans)
	for _, p := range plans {
		if p.Branch != c.Branch {
			continue
		}
		if c.Doc, err = c.Store.Load(ctx, p.ID); err != nil {
			continue
		}
		if err := c.Derive(ctx); err != nil {
			return err
		}
		if ours, err := continues(ctx, c); err != nil {
			return err
		} else if ours {
			return c.Attach(ctx, p.ID)
		}
		none = fault.New(fault.ErrPlanOfOld, "branch %s has no plan; plan %s names it, but its work is not on it, or is merged (git plan attach %[2]s takes it, git plan drop %[2]s removes it)",
			visible.OneLine(c.Branch, 200), p.ID)
	}
	c.Doc, c.Progress = nil, nil
	return none
}

// continues reports whether the loaded plan goes on on this branch: the branch or its upstream has work of it, or
// it begins here. A complete plan that is merged belongs to an earlier branch of the name.
func continues(ctx context.Context, c *Checkout) (bool, error) {
	worked := false
	for _, step := range slices.Backward(c.Doc.Plan.Steps) {
		st := c.Progress.Steps[step.ID]
		if last := st.Last(); last.Kind != journal.Done || last.Head == journal.None || last.Head == "" {
			continue
		}
		worked = true
		switch {
		case st.Pull != "":
			_, pushed := c.AtRemotes(ctx)[c.Branch]
			return pushed, nil
		case st.State == progress.StateDone:
			base := strings.TrimPrefix(c.Doc.Plan.Base, "origin/")
			if !c.Progress.Complete() || base == "" || base == c.Branch || strings.Contains(base, "\x00") {
				return true, nil
			}
			merged, err := c.Repo.Output(ctx, "for-each-ref", "--count=1", "--contains="+st.Commit,
				"refs/heads/"+base, "refs/remotes/*/"+base)
			return merged == "", err
		}
	}
	head, err := c.Repo.Lookup(ctx, "HEAD^{commit}")
	return err == nil && !worked && !c.Progress.Complete() && journal.OrNone(head) == c.Doc.Start(), err
}

// noPlan returns the error that the branch has no plan, with what else has one.
func noPlan(ctx context.Context, c *Checkout, plans []Listed) error {
	if c.Repo.Top == "" {
		return fault.New(fault.ErrBare, "this repository is bare: plans are worked on in a work tree")
	}
	f := &fault.Fault{Kind: fault.ErrNoPlan, Text: "branch " + visible.OneLine(c.Branch, 200) + " has no plan"}
	if merge, _ := c.Config.Get("branch." + c.Branch + ".merge"); merge == "refs/heads/"+c.Branch {
		if base, err := c.Base(ctx, ""); err != nil || !c.OnBase(base) {
			f.Kind, f.Text = fault.ErrPlanPushed, f.Text+" here"
		}
	}
	if id, ok := c.Bound(); ok {
		f.Text += fmt.Sprintf(" (%s, which it had, is gone)", visible.OneLine(id, 80))
	}
	var branches, unattached []string
	for _, p := range plans {
		switch {
		case p.Unattached == "" || p.Remote != "":
			branches = append(branches, p.Branch)
		case p.State != string(progress.StateDone):
			unattached = append(unattached, p.ID)
		}
	}
	slices.Sort(branches)
	switch {
	case f.Kind == fault.ErrPlanPushed:
	case len(plans) == 0 && len(c.Config.Git.Subsections("remote", "url")) > 0:
		f.Kind = fault.ErrPlanPushed
	case len(branches) > 0:
		f.Kind, f.Text, f.Next = fault.ErrOtherBranches, f.Text+"; these have: "+visible.Few(branches),
			"git switch "+visible.Shell(branches[0])
	case len(unattached) > 0:
		f.Kind, f.Text, f.Next = fault.ErrPlanUnattached, f.Text+"; no branch has "+visible.Few(unattached),
			"git plan attach "+unattached[0]
	}
	return f
}

// Derive computes the progress again from the plan's events and the branch's commits.
func (c *Checkout) Derive(ctx context.Context) error {
	commits, err := commits(ctx, c)
	if err != nil {
		return err
	}
	c.Walked, c.walkedFor = commits, c.Doc.ID
	c.Progress = progress.Derive(ctx, c.Store, c.Doc, commits)
	notPulled(ctx, c)
	if h, ok := journal.Working(c.Repo, c.Doc.ID); ok && h.PID != os.Getpid() { // we know what we do
		for _, n := range h.Open {
			if n.Kind == journal.StepStart {
				c.Progress.Mark(n.Step, progress.StateRunning)
			}
		}
	}
	if step, ok := c.OpenByNext(); ok {
		c.Progress.Mark(step, progress.StateRunning)
	}
	return nil
}

// Apply records changes of the loaded plan, and derives the progress from them.
func (c *Checkout) Apply(ctx context.Context, changes ...journal.Change) error {
	if err := c.Store.Apply(ctx, c.Doc, c.Branch, changes...); err != nil {
		return err
	}
	return c.Derive(ctx)
}

func commits(ctx context.Context, c *Checkout) ([]git.Commit, error) {
	head, err := c.Repo.Lookup(ctx, c.Rev()+"^{commit}")
	if head == "" { // unborn
		return nil, err
	}
	if len(c.Walked) > 0 && c.walkedFor == c.Doc.ID { // only new commits
		if added, ok := c.Repo.Chain(ctx, head, c.Walked[0].OID, git.FewCommits); ok {
			return append(added, c.Walked...), nil
		}
	}
	return progress.Since(ctx, c.Store, c.Doc, head)
}

// notPulled finds the steps that were done in another clone, whose commits are upstream or not here at all.
func notPulled(ctx context.Context, c *Checkout) {
	var there []git.Commit
	ref, pull := "", ""
	for id, st := range c.Progress.Steps {
		if st.State != progress.StateReopened || st.Reason != progress.IsGone {
			continue
		}
		_, err := c.Repo.Resolve(ctx, st.Commit+"^{commit}")
		missing := errors.Is(err, git.ErrMissing)
		if missing && c.Repo.Shallow() {
			st.Pull, st.Reason = "git fetch --unshallow", "is not in this shallow clone"
			c.Progress.Steps[id] = st
			continue
		}
		if ref == "" {
			if ref, pull = upstream(ctx, c); ref == "" {
				return
			}
			there, _ = c.Repo.Log(ctx, "--ignore-missing", "-n", "5000", ref, "--not", c.Rev())
		}
		i := slices.IndexFunc(there, func(k git.Commit) bool {
			return k.OID == st.Last().Head || slices.Contains(journal.NamedSteps(k.Message), c.Doc.ID+"/"+id)
		})
		if i >= 0 {
			st.Commit, st.Pull = there[i].OID, pull
			st.Reason = "is on " + strings.TrimPrefix(strings.TrimPrefix(ref, "refs/remotes/"), "refs/heads/") + ", not here"
		} else if missing {
			st.Pull, st.Reason = pull, "is not in this clone"
		}
		c.Progress.Steps[id] = st
	}
}

// upstream returns the ref from which git pulls the branch, by its name at the remote if need be, and the command.
func upstream(ctx context.Context, c *Checkout) (ref, pull string) {
	if c.Branch == "" {
		return "", ""
	}
	if _, ok := c.Config.Get("branch." + c.Branch + ".merge"); ok {
		ref, _ = c.Repo.Output(ctx, "for-each-ref", "--format=%(upstream)", "refs/heads/"+c.Branch)
		return ref, "git pull"
	}
	remote, err := c.Remote("", false)
	if err != nil {
		return "", ""
	}
	return "refs/remotes/" + remote + "/" + c.Branch, "git pull " + visible.Shell(remote) + " " + visible.Shell(c.Branch)
}

// OpenByNext returns the step that a person opened with `git plan next`.
func (c *Checkout) OpenByNext() (step string, ok bool) {
	for id, e := range progress.LastEvents(c.Doc.Events) {
		if e.Kind == journal.Started && e.By == journal.ByPerson && (step == "" || id < step) {
			step = id
		}
	}
	return step, step != ""
}

package checkout

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Derive computes the progress again from the plan's events and the branch's
// commits, by one walk of start..HEAD.
func (c *Checkout) Derive(ctx context.Context) error {
	commits, err := commits(ctx, c)
	if err != nil {
		return err
	}
	c.Walked, c.walkedFor = commits, c.Doc.ID
	c.Progress = progress.Derive(ctx, c.Store, c.Doc, commits)
	notPulled(ctx, c)
	if h, ok := journal.Working(c.Repo, c.Doc.ID); ok && h.PID != os.Getpid() { // we know what we do
		for _, step := range append(h.Steps, h.Step) {
			c.Progress.Mark(step, progress.StateRunning)
		}
	}
	if step, ok := c.OpenByNext(); ok {
		c.Progress.Mark(step, progress.StateRunning)
	}
	return nil
}

// commits returns those of the branch since the plan's start, newest first.
func commits(ctx context.Context, c *Checkout) ([]git.Commit, error) {
	head, err := c.Repo.Resolve(ctx, c.Rev()+"^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return nil, nil // unborn
	}
	if err != nil {
		return nil, err
	}
	if len(c.Walked) > 0 && c.walkedFor == c.Doc.ID { // only what is new since
		if added, ok := c.Repo.Chain(ctx, head, c.Walked[0].OID, journal.ShortChain); ok {
			return append(added, c.Walked...), nil
		}
	}
	return progress.Since(ctx, c.Store, c.Doc, head)
}

// notPulled finds the steps whose commits are upstream, not here: they were done in another clone, or
// this branch was reset. A commit that is not even in this clone was made in another, since a clone
// keeps what it had for months.
func notPulled(ctx context.Context, c *Checkout) {
	var there []git.Commit
	ref, pull := "", ""
	for id, st := range c.Progress.Steps {
		if st.State != progress.StateReopened || st.Reason != progress.IsGone {
			continue
		}
		if ref == "" {
			if ref, pull = upstream(ctx, c); ref == "" {
				return
			}
			there, _ = c.Repo.Log(ctx, "--ignore-missing", "-n", "5000", ref, "--not", c.Rev())
		}
		i := slices.IndexFunc(there, func(k git.Commit) bool {
			return k.OID == st.Last().Head || NamesStep(k.Message, c.Doc.ID, id)
		})
		if i >= 0 {
			st.Commit, st.Pull = there[i].OID, pull
			st.Reason = "is on " + strings.TrimPrefix(strings.TrimPrefix(ref, "refs/remotes/"), "refs/heads/") + ", not here"
		} else if _, err := c.Repo.Resolve(ctx, st.Commit+"^{commit}"); errors.Is(err, git.ErrMissing) {
			st.Pull, st.Reason = pull, "is not in this clone"
		}
		c.Progress.Steps[id] = st
	}
}

// upstream returns the ref from which git pulls the branch, or else that of its name at the remote,
// and the command that pulls it; "" without either.
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

// NamesStep reports whether a commit message has the trailer of a step.
func NamesStep(message, plan, step string) bool {
	for line := range strings.Lines(message) {
		if p, id, ok := journal.NamedStep(line); ok && p == plan && id == step {
			return true
		}
	}
	return false
}

// OpenByNext returns the step that a person opened with `git plan next`.
func (c *Checkout) OpenByNext() (step string, ok bool) {
	return progress.Taken(c.Doc.Events)
}

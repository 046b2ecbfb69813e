package checkout

import (
	"context"
	"errors"
	"os"
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

// notPulled finds the steps whose commits are on the branch's upstream, or on the remote's
// branch of its name: they were done in another clone, or this one was reset. If a commit is
// not even in this clone, it was made in another, since a clone keeps what it had for months.
func notPulled(ctx context.Context, c *Checkout) {
	gone := map[string]progress.StepState{}
	for id, st := range c.Progress.Steps {
		if st.State == progress.StateReopened && st.Reason == progress.IsGone {
			gone[id] = st
		}
	}
	if len(gone) == 0 || c.Branch == "" {
		return
	}
	type source struct{ ref, pull string }
	var sources []source
	if remote, err := c.Remote("", false); err == nil {
		sources = append(sources, source{"refs/remotes/" + remote + "/" + c.Branch, "git pull " + visible.Shell(remote) + " " + visible.Shell(c.Branch)})
	}
	if _, ok := c.Config.Get("branch." + c.Branch + ".merge"); ok {
		upstream, _ := c.Repo.Output(ctx, "for-each-ref", "--format=%(upstream)", "refs/heads/"+c.Branch)
		sources = append(sources, source{upstream, "git pull"}) // the last has the last word
	}
	for _, from := range sources {
		there, _ := c.Repo.Log(ctx, "--ignore-missing", "-n", "5000", from.ref, "--not", c.Rev())
		for id, st := range gone {
			for _, commit := range there {
				if commit.OID == st.Last().Head || NamesStep(commit.Message, c.Doc.ID, id) {
					st.Commit, st.Pull = commit.OID, from.pull
					st.Reason = "is on " + strings.TrimPrefix(strings.TrimPrefix(from.ref, "refs/remotes/"), "refs/heads/") + ", not here"
					c.Progress.Steps[id] = st
					break
				}
			}
		}
	}
	for id := range gone {
		st := c.Progress.Steps[id]
		if _, err := c.Repo.Resolve(ctx, st.Commit+"^{commit}"); st.Pull == "" && len(sources) > 0 && errors.Is(err, git.ErrMissing) {
			st.Pull, st.Reason = sources[len(sources)-1].pull, "is not in this clone"
			c.Progress.Steps[id] = st
		}
	}
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

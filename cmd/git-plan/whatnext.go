package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

// nextCommand is the command that goes on from here.
func (s *planStatus) nextCommand(ctx context.Context, co *gitplan.Checkout) string {
	if err := co.UnderWay(); err != nil && s.State != "running" {
		return fmt.Sprintf("git status (%s: finish or abort it first)", visible.Line(err.Error()))
	}
	if step, ok := co.OpenByNext(); ok {
		if err := gitplan.Endable(co, step); err != nil {
			return fmt.Sprintf("git plan next --drop (step %s is open by git plan next, but %s)", step, visible.Line(err.Error()))
		}
		return fmt.Sprintf("git plan done (step %s is open by git plan next)", step)
	}
	switch s.State {
	case "running":
		h, _ := journal.Working(co.Repo, co.Doc.ID)
		return fmt.Sprintf("git plan %s is at work (pid %d)", h.Command, h.PID)
	case "unapproved":
		if text, ok := co.Unseen(); ok {
			return "look at it, put it back or keep it, then git plan approve (" + visible.Line(text) + ")"
		}
		return "git plan approve"
	case "blocked":
		if step, ok := co.Progress.Blocked(co.Doc.Plan); ok {
			return progress.Unblock(step.ID, co.Progress.Steps[step.ID].Last.Question)
		}
		return "git plan edit"
	case "done":
		switch end := reviewers.End(s.Review.End); {
		case s.Review.Stale:
		case end.Passes() && s.Review.stopped:
			return reviewAll
		case end.Passes() && len(s.Review.Only) > 0:
			return s.Review.reviewRest()
		case end.Passes():
			return pushing(ctx, co)
		case gotNoFurther(end):
			return mendYourself(co)
		case end == reviewers.Budget:
			if raise, ok := raising(co, ""); ok {
				return raise + ", then git plan review"
			}
		}
		if noReviewer(co) {
			if mode, _ := co.Config.Word("plan.prePush"); mode == "block" {
				return "git plan review, which wants an agent, or a command that judges: git plan review -h"
			}
			return "git plan verify, then " + pushing(ctx, co) + "; git plan review wants an agent, or a command that judges: git plan review -h"
		}
		if s.Review.End == string(reviewers.Incomplete) && !s.Review.Stale {
			if idle := s.idle(); s.Review.nothing && len(idle) == 0 {
				if text, ok := merged(ctx, co); ok {
					return text
				}
			} else if s.Review.nothing {
				return fmt.Sprintf("git plan reopen STEP, then git plan run (no step made a commit: %s); or commit what is to be reviewed, then git plan review", strings.Join(idle, ", "))
			}
			return s.Review.reviewAgain()
		}
		return "git plan review"
	}
	step, _ := co.Progress.Next(co.Doc.Plan)
	if commit, ok := co.Progress.FromElsewhere(step.ID); ok {
		return fmt.Sprintf("git plan fetch (%s names step %s, but the plan here does not know that it is done)", terminal.Short(commit), step.ID)
	}
	if st := co.Progress.Steps[step.ID]; st.Pull != "" {
		return fmt.Sprintf("%s (%s, which did step %s, %s; to have it done again: git plan reopen %s)", visible.Line(st.Pull), terminal.Short(st.Commit), step.ID, visible.Line(st.Reason), step.ID)
	}
	if raise, ok := raising(co, step.ID); ok {
		return fmt.Sprintf("%s, then git plan step (%s), or git plan run", raise, step.ID)
	}
	if _, err := co.Config.StepAgent(step, agent.Executor); errors.Is(err, fault.ErrNoAgent) && step.Run == "" {
		return fmt.Sprintf("git plan next (%s); git plan step wants an agent: git plan doctor", step.ID)
	}
	return fmt.Sprintf("git plan step (%s), or git plan run", step.ID)
}

// settled reports that nothing is left to run, not even a review: an approval, which
// no clone has of another, would allow nothing.
func (s *planStatus) settled(co *gitplan.Checkout) bool {
	_, unseen := co.Unseen()
	r := &s.Review
	return co.Progress.Complete() && reviewers.End(r.End).Passes() && !r.Stale && !r.stopped && len(r.Only) == 0 && !unseen
}

// idle are the steps that were done, where none of them made a commit.
func (s *planStatus) idle() (ids []string) {
	for _, st := range s.Steps {
		switch {
		case st.Commit != "":
			return nil
		case st.State == string(progress.StateDone):
			ids = append(ids, st.ID)
		}
	}
	return ids
}

// raising changes the setting that lets no session begin, at a step or without one at
// all. One that cannot be held no value helps: what was not told stays unknown.
func raising(co *gitplan.Checkout, step string) (command string, ok bool) {
	var f *fault.Fault
	if err := gitplan.SpentOn(co, step); !errors.Is(err, fault.ErrBudget) || !errors.As(err, &f) {
		return "", false
	}
	if _, unheld := gitplan.Unheld(co.Config, f.Text); unheld {
		return "git config " + f.Setting + " none", true
	}
	return "git config " + f.Setting + " VALUE, a higher one or none", true
}

// tellGate warns where plan.prePush is no word of the gate's: whoever meant block
// has no gate that does.
func tellGate(w io.Writer, co *gitplan.Checkout) {
	if mode, err := co.Config.Word("plan.prePush"); err != nil {
		say(w, "warning: %s, so %s is taken", visible.Line(err.Error()), mode)
	}
}

// noReviewer reports that there is no agent, and that not only commands judge.
func noReviewer(co *gitplan.Checkout) bool {
	if _, err := co.Config.Agent(agent.Reviewer); !errors.Is(err, fault.ErrNoAgent) {
		return false
	}
	names, commands := co.Config.List("plan.reviewers"), co.Config.Names("planReviewer", "command")
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(commands, n) })
}

// mendYourself is what is left where the fixer got no further: the same review
// would end the same way.
func mendYourself(co *gitplan.Checkout) string {
	where := "the plan's Rules why it stands (git plan edit)"
	if co.Doc == nil {
		where = "REVIEW.md on the base branch why it stands"
	}
	return "mend what blocks (git plan show --review) and commit it, or say in " + where + "; then git plan review"
}

// gotNoFurther are the ends of a review whose fixer could not settle it.
func gotNoFurther(end reviewers.End) bool {
	return end == reviewers.Stalemate || end == reviewers.Oscillation || end == reviewers.RoundsUp
}

// reviewAgain is what comes after a review that is incomplete: the next one goes on
// where somebody gave no answer, but for another reason would end the same way.
func (r *reviewStatus) reviewAgain() string {
	switch {
	case r.nothing:
		return "commit what is to be reviewed, then git plan review"
	case r.goesOn:
		return "git plan review, which goes on where it stopped"
	case len(r.missing) == 0:
		return "mend what kept it from its end (git plan show --review) and commit that, then git plan review"
	}
	return "git plan review, which asks again only who gave no answer: " + visible.Line(strings.Join(r.missing, ", ")) + "; git plan doctor looks at their agents"
}

// reviewRest is what comes after a look by some of the reviewers.
func (r *reviewStatus) reviewRest() string {
	return "git plan review, by all reviewers: only " + visible.Line(strings.Join(r.Only, ", ")) + " judged"
}

// reviewAll is what is left where the review that passed was not the gate's: by
// some of the reviewers, or before the plan or the reviewers changed.
const reviewAll = "git plan review, by all reviewers and with the plan as it is: plan.prePush is block, and no such review has passed"

// pushing is the command that pushes the branch, or what comes after it.
func pushing(ctx context.Context, co *gitplan.Checkout) string {
	if text, ok := merged(ctx, co); ok {
		return text
	}
	base, err := co.Base(ctx, "")
	onBase := err == nil && co.OnBase(base) // as where the plan made the first commits
	switch none := len(co.Config.Names("remote", "url")) == 0; {
	case none && onBase:
		return "nothing, the work is on " + visible.Line(co.Branch) + " (there is no remote to push to)"
	case none:
		return "git merge " + visible.Shell(co.Branch) + ", where it belongs (there is no remote to push to)"
	}
	there := lookAtRemote(ctx, co)
	remote := visible.Line(there.name)
	switch {
	case there.more != "" && there.was:
		return there.push + " --force-with-lease (" + remote + " has " + visible.Line(there.more) + " as it was before you rewrote it)"
	case there.more != "":
		return "git pull " + visible.Shell(there.name) + " " + visible.Shell(there.more) + " (it has commits of the branch that are not here; where you rewrote them: git push --force-with-lease)"
	case !there.has:
		return there.push
	case onBase && (co.Doc == nil || gitplan.HasPlan(ctx, co, there.name, co.Doc)):
		return "nothing, " + remote + " has " + visible.Line(co.Branch) + " as it is here"
	case co.Doc == nil:
		return "a pull request, or a merge (" + remote + " has the branch as it is here)"
	case gitplan.LacksPlan(ctx, co, there.name, co.Doc):
		return "git plan fetch (" + remote + " has changes of the plan that are not here)"
	case !gitplan.HasPlan(ctx, co, there.name, co.Doc):
		push := "git plan push (" + remote + " has the branch as it is here, but not the plan as it is)"
		if onBase {
			return push
		}
		return push + ", then git plan export --format pr, the text of a pull request"
	}
	return "git plan export --format pr, the text of a pull request (" + remote + " has the branch as it is here)"
}

// merged says that nothing comes after a branch that its base has as it is here.
func merged(ctx context.Context, co *gitplan.Checkout) (text string, ok bool) {
	given := ""
	if co.Doc != nil {
		given = co.Doc.Plan.Base
	}
	base, err := co.Base(ctx, given)
	if err != nil || base == "" || co.OnBase(base) {
		return "", false
	}
	has, err := co.Repo.IsAncestor(ctx, "HEAD", base)
	return "nothing, " + visible.Line(base) + " has " + visible.Line(co.Branch) + " as it is here", err == nil && has
}

// atRemote is what the remote that the branch is pushed to has of it, as far as this
// repository knows, and the command that pushes it.
type atRemote struct {
	name string // empty where it cannot be told which one is meant
	has  bool   // the branch as it is here
	more string // the branch's name there, where that has commits that are not here
	was  bool   // these were here, and others took their place
	push string
}

func lookAtRemote(ctx context.Context, co *gitplan.Checkout) atRemote {
	name, err := co.Remote("", true)
	if err != nil || co.Branch == "" {
		return atRemote{push: "git push"}
	}
	there := atRemote{name: name, push: "git push -u " + visible.Shell(name) + " HEAD"}
	// What git push alone would move; nothing where it would refuse, as without an upstream.
	to, err := co.Repo.Output(ctx, "for-each-ref", "--format=%(push)", "refs/heads/"+co.Branch)
	_, tracks := co.Config.Get("branch." + co.Branch + ".merge")
	_, sets := co.Config.Get("push.autoSetupRemote")
	if err == nil && to != "" || !tracks && sets {
		there.push = "git push"
	}
	ref := cmp.Or(to, "refs/remotes/"+name+"/"+co.Branch)
	oid, err := co.Repo.Resolve(ctx, ref)
	if err != nil {
		return there
	}
	here, err := co.Repo.Resolve(ctx, "HEAD^{commit}")
	there.has = err == nil && here == oid
	if ok, err := co.Repo.IsAncestor(ctx, oid, here); err == nil && !ok {
		there.more = strings.TrimPrefix(ref, "refs/remotes/"+name+"/")
		behind, err := co.Repo.IsAncestor(ctx, here, oid) // by a reset, or since somebody pushed
		once, _ := co.Repo.Output(ctx, "log", "--walk-reflogs", "--format=%H", "refs/heads/"+co.Branch, "--")
		there.was = err == nil && !behind && strings.Contains(once, oid)
	}
	return there
}

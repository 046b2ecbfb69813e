package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers"
)

// nextCommand is the command that goes on from here.
func (s *planStatus) nextCommand(ctx context.Context, co *gitplan.Checkout) string {
	if err := co.UnderWay(); err != nil && s.State != "running" {
		return fmt.Sprintf("git status (%s: finish or abort it first)", clean(err.Error()))
	}
	if step, ok := co.OpenByNext(); ok {
		return fmt.Sprintf("git plan done (step %s is open by git plan next)", step)
	}
	switch s.State {
	case "running":
		h, _ := gitplan.Working(co.Repo, co.Doc.ID)
		return fmt.Sprintf("git plan %s is at work (pid %d)", h.Command, h.PID)
	case "unapproved":
		if text, ok := co.Unseen(); ok {
			return "look at it, put it back or keep it, then git plan approve (" + clean(text) + ")"
		}
		return "git plan approve"
	case "blocked":
		if step, ok := co.Progress.Blocked(co.Doc.Plan); ok {
			return gitplan.Unblock(step.ID, co.Progress.Steps[step.ID].Last.Question)
		}
		return "git plan edit"
	case "done":
		switch end := reviewers.End(s.Review.End); {
		case s.Review.Stale:
		case end.Passes() && s.Review.stopped:
			return reviewAll
		case end.Passes():
			return pushing(ctx, co)
		case gotNoFurther(end):
			return mendYourself(co)
		}
		if noReviewer(co) {
			if mode, _ := co.Config.Word("plan.prePush"); mode == "block" {
				return "git plan review, which wants an agent, or a command that judges: git plan review -h"
			}
			byHand := "git plan verify, then git push"
			if _, ok := isPushed(ctx, co); ok {
				byHand = "git plan verify"
			}
			return byHand + "; git plan review wants an agent, or a command that judges: git plan review -h"
		}
		return "git plan review"
	}
	step, _ := co.Progress.Next(co.Doc.Plan)
	if _, err := co.Config.StepAgent(step, agent.Executor); errors.Is(err, gitplan.ErrNoAgent) && step.Run == "" {
		return fmt.Sprintf("git plan next (%s); git plan step wants an agent: git plan doctor", step.ID)
	}
	return fmt.Sprintf("git plan step (%s), or git plan run", step.ID)
}

// noReviewer reports that there is no agent, and that not only commands judge.
func noReviewer(co *gitplan.Checkout) bool {
	if _, err := co.Config.Agent(agent.Reviewer); !errors.Is(err, gitplan.ErrNoAgent) {
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

// reviewAll is what is left where the review that passed was not the gate's: by
// some of the reviewers, or before the plan or the reviewers changed.
const reviewAll = "git plan review, by all reviewers and with the plan as it is: plan.prePush is block, and no such review has passed"

// pushing is the command that pushes the branch, or what comes after it.
func pushing(ctx context.Context, co *gitplan.Checkout) string {
	if len(co.Config.Names("remote", "url")) == 0 {
		return "git merge " + clean(co.Branch) + ", where it belongs (there is no remote to push to)"
	}
	if remote, ok := isPushed(ctx, co); ok && co.Doc == nil {
		return "a pull request, or a merge (" + clean(remote) + " has the branch as it is here)"
	} else if ok {
		return "git plan export --format pr, the text of a pull request (" + clean(remote) + " has the branch as it is here)"
	}
	for _, key := range []string{"branch." + co.Branch + ".merge", "push.default", "push.autoSetupRemote"} {
		if _, ok := co.Config.Get(key); ok {
			return "git push"
		}
	}
	if remote, err := co.Remote("", true); err == nil {
		return "git push -u " + clean(remote) + " HEAD"
	}
	return "git push"
}

// isPushed is the remote that has the branch under its name as it is here, as far as
// this repository knows.
func isPushed(ctx context.Context, co *gitplan.Checkout) (remote string, ok bool) {
	remote, err := co.Remote("", true)
	if err != nil || co.Branch == "" {
		return "", false
	}
	there, err := co.Repo.Resolve(ctx, "refs/remotes/"+remote+"/"+co.Branch)
	if err != nil {
		return "", false
	}
	here, err := co.Repo.Resolve(ctx, "HEAD^{commit}")
	return remote, err == nil && here == there
}

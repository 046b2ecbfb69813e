package survey

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/notify"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/reviewers"
)

// Examine looks at what there is in a repository besides the work itself: who judges it, the hooks,
// who is notified, and what the person's own agent knows.
func Examine(ctx context.Context, co *checkout.Checkout) []doctor.Symptom {
	out := []doctor.Symptom{examineReviewers(ctx, co), examineHooks(ctx, co)}
	out = append(out, examineOwnPush(co)...)
	out = append(out, examineNotify(co)...)
	return append(out, examineSkill(co)...)
}

// examineReviewers says who judges this branch, or which file or setting keeps that from being
// known.
func examineReviewers(ctx context.Context, co *checkout.Checkout) doctor.Symptom {
	s := doctor.Symptom{About: "reviewers", Found: doctor.Fine}
	all, err := reviewers.Configured(ctx, co, reviewedFrom(ctx, co), nil, nil)
	switch {
	case errors.Is(err, fault.ErrReviewerFile):
		s.Fix = exit.FixReviewer
	case errors.Is(err, fault.ErrAgentSetup):
		s.Fix = exit.SetupHint(err)
	}
	if err != nil {
		s.Found, s.Text = doctor.Wrong, err.Error()
		return s
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name())
	}
	s.Text = strings.Join(names, ", ")
	return s
}

// reviewedFrom returns the commit where the branch left its base, whose reviewers judge it.
func reviewedFrom(ctx context.Context, co *checkout.Checkout) string {
	base, err := co.Base(ctx, "")
	if err != nil || base == "" {
		return "HEAD"
	}
	if at, err := co.Repo.MergeBase(ctx, base, "HEAD"); err == nil {
		return at
	}
	return base
}

// examineHooks says how many hooks are installed.
func examineHooks(ctx context.Context, co *checkout.Checkout) doctor.Symptom {
	s := doctor.Symptom{About: "hooks", Found: doctor.Fine}
	facts, err := install.Look(ctx, co.Repo)
	if err != nil {
		s.Found, s.Text = doctor.Wrong, err.Error()
		return s
	}
	var all bool
	if s.Text, all = installed(facts); !all {
		s.Found = doctor.Unused
		s.Fix = "git plan hooks install puts them in: the gate at git push, and what keeps steps done when history is rewritten"
	}
	return s
}

// installed says how many hooks are, and whether those are all.
func installed(facts install.Facts) (text string, all bool) {
	states, n := install.Status(facts), 0
	for _, st := range states {
		if st.Installed {
			n++
		}
	}
	return fmt.Sprintf("%d of %d installed", n, len(states)), n == len(states)
}

// examineOwnPush says how the pre-push hook runs when git plan pushes by itself.
func examineOwnPush(co *checkout.Checkout) []doctor.Symptom {
	when, err := co.Config.Word("plan.push")
	if err != nil || when == "never" || !install.Foreign(co) {
		return nil
	}
	s := doctor.Symptom{About: "pre-push hook", Found: doctor.Fine, Text: "runs in the sandbox of checks when git plan pushes by itself; " +
		"a hook that needs a key, or writes elsewhere, needs git config plan.hooksSandbox off"}
	if why := runner.LeftPush(co); why != "" {
		s.Found, s.Text, s.Fix = doctor.Unused, "git plan does not push by itself: "+why, "git push"
	} else if co.Config.String("plan.hooksSandbox") == "off" {
		s.Found, s.Fix = doctor.Unused, "git config plan.hooksSandbox on"
		s.Text = "runs with your rights when git plan pushes by itself, and so does what sessions wrote"
	}
	return []doctor.Symptom{s}
}

// examineNotify says who is notified, and which value of plan.notify has no effect.
func examineNotify(co *checkout.Checkout) (out []doctor.Symptom) {
	for _, target := range co.Config.All("plan.notify") {
		s := doctor.Symptom{About: "notify", Found: doctor.Fine, Text: "a run that ends is reported by " + visible.OneLine(notify.Name(target), 40)}
		if err := notify.Check(target); err != nil {
			s.Found, s.Text = doctor.Wrong, fmt.Sprintf("plan.notify (%s): %s", visible.OneLine(notify.Name(target), 40), visible.OneLine(err.Error(), 200))
			s.Fix = "git config --edit"
		}
		out = append(out, s)
	}
	return out
}

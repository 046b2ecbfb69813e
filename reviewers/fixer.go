package reviewers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rounds"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// fix has a fixer session repair findings, or a failing verification; tried is what earlier fixers did.
func (b *Branch) fix(ctx context.Context, round int, findings, tried string, review agent.Review, resumed bool) rounds.FixResult {
	failed := func(err error) rounds.FixResult {
		if errors.Is(err, fault.ErrBudget) {
			return rounds.FixResult{Status: agent.Stopped, Reason: err.Error()}
		}
		return rounds.FixResult{Status: agent.Failed, Reason: err.Error()}
	}
	a, err := roleAgent(b.Runner.Checkout, agent.Fixer, "")
	if err != nil {
		return failed(err)
	}
	at, err := workspace.Ready(ctx, b.Worker.Runner)
	if err != nil {
		return failed(err)
	}
	var p *plan.Plan
	var accepted map[string]bool
	owner := strings.ToLower(plan.Slug(b.Runner.Checkout.Branch, 60))
	if b.Checkout.Doc != nil {
		p, accepted, owner = b.Checkout.Doc.Plan, progress.Accepted(b.Checkout.Doc.Events), b.Checkout.Doc.ID
	}
	subject := fmt.Sprintf("Fix what the review found in round %d", round)
	asked := prompt.Fixing{Plan: p, Round: round, Found: findings, Tried: tried, Own: prompt.Instructions(b.Checkout.Repo.Top), Checks: b.checks}
	if round == 0 { // the verification is diagnosed against the whole plan
		subject = "Make the plan's verification pass"
		asked.Progress = b.Checkout.Progress
		asked.Budget = prompt.Budget
	}
	task := work.Task{
		Role: agent.Fixer, Agent: a, Name: journal.FixName(round), Attempts: b.attempts,
		Checks: b.checks, Accepted: accepted, Unchanged: round > 0, Review: review, Subject: subject,
		Trailer: fmt.Sprintf("%s: %s/%d", journal.ReviewTrailer, owner, round),
		Prompt:  func(try prompt.Attempt) agent.Prompt { return b.Checkout.Prompts.Fix(asked, try) },
		Guard: func(ctx context.Context, c workspace.Changeset) (workspace.Guarded, error) {
			change := rules.Change{Diff: c.Diff, Checks: panel.ChecksOf(p)}
			hits, err := rules.FindIn(ctx, b.Checkout.Repo, c.Head, c.Tree, change, rules.Those(ofFixes))
			failing := fixGuarded(hits, c.Diff)
			if p != nil {
				failing = append(failing, outOfBounds(p.Bounds, c.Diff, p.Steps...)...)
			}
			return workspace.Guarded{Failing: failing, Reported: removeVerdicts(b.Checkout.Repo, c)}, err
		},
	}
	if err := b.Worker.SetTimeouts(&task); err != nil {
		return failed(err)
	}
	b.continueFix(ctx, &task, at.Before.Head, resumed)
	out, err := b.Worker.Work(ctx, at, task)
	if err != nil {
		ended := failed(err)
		out.Status, out.Reason = ended.Status, ended.Reason
	}
	m := rounds.FixResult{Status: out.Status, Reason: out.Reason, Dispositions: out.Result.Dispositions, Agent: out.Result.Agent, Sessions: out.Attempts, Tokens: out.Result.Tokens, Cost: out.Result.Cost}
	if err != nil && b.Checkout.TaskState().AwaitsCommit() {
		m.Waits = err
	}
	if out.Status == agent.Done && out.Commit != journal.None {
		m.Head = out.Commit
	}
	if out.Kept != "" {
		m.Reason += " (kept as " + out.Kept + ")"
	}
	return m
}

// continueFix has a fixer go on from what an earlier one left.
func (b *Branch) continueFix(ctx context.Context, t *work.Task, head string, resumed bool) {
	left := work.LeftByFixer(ctx, b.Runner.Checkout, t.Name, head, b.Waited)
	if left.Waited {
		b.Waited = ""
	}
	if t.Kept = left.Ref; !b.Clean && (resumed || left.Waited) {
		t.From, t.Passed = left.Commit, left.Passed
	}
}

func FindingsText(list []finding.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "Finding: %s\n%s, %s, in %s\n%s\n", f.ID, f.Severity, f.Category, f.Place(), f.Title)
		for _, p := range [][2]string{{"The code", f.Quote}, {"Why", f.Detail}, {"What shows it", f.Trigger}, {"The verifier", f.Because}, {"A fixer asked what to do, and a person answered", f.Answer}} {
			if p[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", p[0], p[1])
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

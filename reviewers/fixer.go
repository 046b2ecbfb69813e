package reviewers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rounds"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// fix runs a fixer session for the findings of a round (see [rounds.Loop]), or of the verification, which is round 0.
func (b *Branch) fix(ctx context.Context, found string, r rounds.Repair) (fix ledger.FixRecord, uncommitted error) {
	failed := func(err error) (ledger.FixRecord, error) {
		fix.Status, fix.Reason = agent.Failed, err.Error()
		if errors.Is(err, fault.ErrBudget) {
			fix.Status = agent.Stopped
		}
		return fix, nil
	}
	a, err := roleAgent(b.Checkout, agent.Fixer, "")
	if err != nil {
		return failed(err)
	}
	at, err := workspace.Ready(ctx, b.Worker.Runner)
	if err != nil {
		return failed(err)
	}
	var p *plan.Plan
	var accepted map[string]bool
	owner := strings.ToLower(plan.Slug(b.Checkout.Branch, 60))
	if b.Checkout.Doc != nil {
		p, accepted, owner = b.Checkout.Doc.Plan, progress.Accepted(b.Checkout.Doc.Events), b.Checkout.Doc.ID
	}
	round := r.Review.Round
	subject := fmt.Sprintf("Fix what the review found in round %d", round)
	asked := prompt.Fixing{Plan: p, Round: round, Found: found, Tried: r.Tried, Checks: b.checks}
	asked.Own, _ = prompt.Instructions(b.Checkout.Repo.Top, prompt.MaxInstructions)
	if round == 0 { // the verification is diagnosed against the whole plan
		subject = "Make the plan's verification pass"
		asked.Progress = b.Checkout.Progress
	}
	task := work.Task{
		Role: agent.Fixer, Agent: a, Name: journal.FixName(round), Attempts: b.attempts,
		Checks: b.checks, Accepted: accepted, Unchanged: round > 0, Session: agent.Session{Review: r.Review}, Subject: subject,
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
	if err := b.Worker.SetLimits(&task.Session, task.Role); err != nil {
		return failed(err)
	}
	if task.Kept = work.KeptByFixer(ctx, b.Checkout, task.Name, at.Before.Head); b.Clean || !r.Resumed {
		task.Kept.Commit, task.Kept.Message = nil, ""
	}
	out, err := b.Worker.Work(ctx, at, task)
	fix = ledger.FixRecord{Status: out.Status, Reason: out.Reason, Dispositions: out.Result.Dispositions,
		Agent: out.Result.Agent, Sessions: out.Attempts, Tokens: out.Result.Tokens, CostUSD: journal.Dollars(out.Result.Cost)}
	if err != nil {
		if fix, _ = failed(err); out.Kept != "" {
			uncommitted = err
		}
	}
	if out.Status == agent.Done && out.Commit != journal.None {
		fix.Head = out.Commit
	}
	fix.Reason += work.ShowKept(b.Checkout, out.Kept)
	return fix, uncommitted
}

// verification runs the plan's Verification; if it fails, a fixer gets its output before the first round.
func (b *Branch) verification(ctx context.Context, at *workspace.Workspace, p *plan.Plan, mergeBase string) error {
	failures, err := b.Worker.Failing(ctx, at, plan.Commands(p.Verification))
	if err != nil || len(failures) == 0 {
		return err
	}
	why := "the verification fails: " + failures[0].Error()
	var end error = &fault.Fault{Kind: fault.ErrVerification, Text: why}
	if !b.NoFix {
		var list []finding.Finding
		var found strings.Builder
		for _, f := range failures {
			fmt.Fprintf(&found, "The plan's verification fails: %s\n%s\n", f.Error(), f.Output)
			list = append(list, finding.Finding{
				ID: finding.Fingerprint("verification", "", f.Command, ""), Category: "verification", Severity: finding.High,
				Remedy: "fix", Status: finding.Confirmed, Verified: true,
				Title: finding.Line(f.Error(), finding.MaxTitle), Detail: finding.Block(f.Output, finding.MaxText),
				Trigger: finding.Block(f.Command, finding.MaxText),
			})
		}
		file, remove, err := finding.TempFile(list)
		if err != nil {
			return err
		}
		defer remove()
		fix, uncommitted := b.fix(ctx, found.String(), rounds.Repair{Review: agent.Review{Findings: file}, Resumed: true})
		fixed := fix.Status == agent.Done && fix.Head != ""
		if err := context.Cause(ctx); err != nil && !fixed { // an interruption says nothing of the verification
			return err
		}
		b.Worker.Runner.Report(rounds.FixEnded(0, fix))
		if uncommitted != nil {
			return cmp.Or(b.keepUnverified(ctx, mergeBase, why+"; "+finding.Line(fix.Reason, finding.MaxTitle)), uncommitted)
		}
		if fixed { // the fixers of rounds are in the review's event
			return b.Worker.Account(ctx, journal.Event{Kind: journal.Checked, Head: fix.Head, Reason: "the verification passes"})
		}
		if err := panel.Later("the fixer of the verification", fix.Status, fix.Reason); err != nil {
			return err // Review reports its session
		}
		end = &fault.Fault{Kind: fault.ErrVerification,
			Text: why + "; the fixer: " + finding.Line(fix.Reason, finding.MaxTitle)}
		if fix.Status == agent.Stopped {
			end = work.Overspent("", fix.Reason)
		}
		if err := b.Worker.AccountFailed(ctx, end); err != end {
			return err
		}
	}
	return cmp.Or(b.keepUnverified(ctx, mergeBase, why), end)
}

// broken returns a hit for each check of the plan or of a done step that fails on HEAD: a later step, a fixer or a
// person may have broken it. Checks that have already run on HEAD are not run again.
func (b *Branch) broken(ctx context.Context, round int) (out []rules.Hit, err error) {
	if b.Checkout.Doc == nil {
		return nil, nil
	}
	head, err := b.Checkout.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return nil, err
	}
	p, of := b.Checkout.Doc.Plan, map[string]string{}
	ran := progress.Accepted(b.Checkout.Doc.Events) // checks that may fail need not run
	var all []string
	for _, s := range p.Steps {
		state := b.Checkout.Progress.Steps[s.ID]
		for _, c := range plan.Commands(s.Checks, p.Checks) {
			if state.State == progress.StateDone {
				all, of[c], ran[c] = append(all, c), "step "+s.ID, ran[c] || state.CommitOID() == head
			}
		}
	}
	for _, c := range plan.Commands(p.Checks) {
		of[c], ran[c] = "every step", ran[c] || round > 1
	}
	for _, c := range plan.Commands(p.Verification) {
		ran[c] = true
	}
	all = slices.DeleteFunc(plan.Unique(all), func(c string) bool { return ran[c] })
	if len(all) == 0 {
		return nil, nil
	}
	at, err := workspace.Ready(ctx, b.Worker.Runner)
	if err != nil {
		return nil, err
	}
	const why = "The step was done by this check, and it fails on the branch now. Only if a later step was meant to replace what it checks, dismiss this, and name that step. It printed:\n"
	failures, err := b.Worker.Failing(ctx, at, all)
	for _, f := range failures {
		out = append(out, rules.Hit{
			Rule: "broken-step", Category: "verification", Severity: string(finding.Critical), Key: f.Command,
			Title: fmt.Sprintf("a check of %s fails now: %s", of[f.Command], f.Error()),
			Why:   finding.Block(strings.TrimSuffix(why+f.Output, " It printed:\n"), finding.MaxText),
		})
	}
	return out, err
}

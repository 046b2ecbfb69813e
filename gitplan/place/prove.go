package place

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// aMoment bounds a check whose result would only be good to know: nothing waits for it longer.
const aMoment = time.Minute

// slow is how long a check may take before what is being waited for is reported.
const slow = 3 * time.Second

// Proving is a check that runs before a task has begun, on what HEAD has.
type Proving struct {
	Name    string         // of the task
	Files   []string       // that it is to write; patterns
	Of      journal.Notice // what the check is about
	Quietly bool           // do not report that it runs
	Briefly bool           // it has a moment
}

// Prove runs one command as Check does, before any session at the task. failed is how it failed,
// nil if it passed; tested says that it ran tests. It is watched like a session, since it may run what an earlier session wrote.
// What it committed, changed in tracked files, or wrote where the task is to write is kept, and
// taken back. All else that it wrote stays, and is nobody's work until a session changes it. A
// clone is simply reset, except for what git ignores.
func (p *Place) Prove(ctx context.Context, t Proving, command string) (failed *site.CheckFailure, tested bool, err error) {
	if err := p.RememberUntracked(ctx, t.Name); err != nil {
		return nil, false, err
	}
	id := "proof-" + setup.Random(4)
	watch, err := p.Begin(ctx, t.Name, id)
	if err != nil {
		return nil, false, err
	}
	p.own.Proving = true
	p.RememberSession(id)
	tested, ran := p.runProof(ctx, t, command)
	if err := p.asBefore(context.WithoutCancel(ctx), t, command, watch); err != nil {
		return nil, false, err
	}
	p.TaskNote().Remove()
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	if errors.As(ran, &failed) {
		return failed, tested, nil
	}
	return nil, tested, ran
}

func (p *Place) runProof(ctx context.Context, t Proving, command string) (tested bool, err error) {
	c, err := p.checks(ctx, t.Name, t.Of)
	if err != nil {
		return false, err
	}
	c.Keep = func(_ string, _ proc.Exit, output string) { tested = visible.RanTests(output) }
	if t.Quietly {
		c.On = nil
		defer time.AfterFunc(slow, func() {
			waits := t.Of.Of(journal.SessionText, "")
			waits.Reason = "check, before any work: " + visible.OneLine(command, 200)
			p.Report(waits)
		}).Stop()
	}
	if t.Briefly {
		c.Timeout = min(c.Timeout, aMoment)
	}
	err = c.Run(ctx, []string{command})
	return tested, err
}

// asBefore restores the place after a check that judged nobody's work.
func (p *Place) asBefore(ctx context.Context, t Proving, command string, watch *site.Watch) error {
	var out Ending
	left, err := p.InPlace(ctx, t.Name, watch, &out)
	if err == nil && left != nil {
		err = p.settleProof(ctx, t, left)
	}
	changed, moved, lost := watch.End(ctx)
	if err = errors.Join(err, lost); err != nil {
		return err
	}
	by := "`" + visible.OneLine(command, 200) + "`"
	if changed = append(changed, out.SetupChanged...); len(changed) > 0 {
		slices.Sort(changed)
		if err := p.TakeApproval(slices.Compact(changed)); err != nil {
			return err
		}
		return fault.New(fault.ErrSetupUnseen, "tampering: %s was run before any session, and changed %s", by, strings.Join(p.own.Changed, ", "))
	}
	if out.Reason != "" {
		return fault.New(fault.ErrMovedBranch, "%s was run before any session: %s", by, strings.TrimPrefix(out.Reason, "tampering: "))
	}
	if refs := watch.RefsChanged(); len(refs) > 0 {
		moved = append(moved, "refs changed while "+by+" ran: "+visible.OneLine(strings.Join(refs, ", "), 400))
	}
	for _, text := range moved {
		p.Report(t.Of.Of(journal.StepNote, text))
	}
	return nil
}

// settleProof removes those leftovers of a check that must go, and notes the rest.
func (p *Place) settleProof(ctx context.Context, t Proving, left *Leftover) error {
	_, reported := p.UntrackedTouched(ctx)
	for _, text := range reported {
		p.Report(t.Of.Of(journal.StepNote, text))
	}
	stays, goes := []string{}, []string{}
	for _, path := range left.Added {
		if !p.isolation.lasts() || plan.MatchesAny(t.Files, path) {
			goes = append(goes, path)
		} else {
			stays = append(stays, path)
		}
	}
	p.isolation.forgive(left.Folded)
	now, undone := left.Status, !left.Status.Clean() || len(goes) > 0
	if undone {
		p.unseenLook().Stays(stays) // first, since what goes must not be kept with them
		if err := p.undo(ctx, t, goes); err != nil {
			return err
		}
	}
	if undone || len(now.Unignored) > 0 {
		var err error
		if now, err = worktree.ReadStatusIgnored(ctx, p.Tree()); err != nil {
			return err
		}
	}
	p.unseenLook().Stays(stays)
	for _, path := range now.Ignored {
		if !slices.Contains(p.Before.Ignored, path) {
			p.Before.Ignored = append(p.Before.Ignored, path)
		}
	}
	for _, path := range now.Inside { // a submodule in which the check built something
		if !slices.Contains(p.Before.Inside, path) {
			p.Before.Inside = append(p.Before.Inside, path)
		}
	}
	for _, path := range now.Untracked { // a repository that it made
		if strings.HasSuffix(path, "/") {
			p.ledger.ByChecks[path] = true
		}
	}
	return nil
}

// undo reverts what a check changed in tracked files, and removes its files that must go.
func (p *Place) undo(ctx context.Context, t Proving, goes []string) error {
	if p.isolation.lasts() {
		ref, err := p.Keep(ctx, t.Name, "what checks wrote before the task began")
		if err == nil && ref != "" {
			p.Report(t.Of.Of(journal.StepNote, "what checks wrote before any work began was removed, and is kept as "+ref))
		}
		return err
	}
	return worktree.Restore(ctx, p.Tree(), p.Before.Head, goes)
}

package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Baseline runs checks on HEAD before a task: one of the plan that fails there fails every session, and a step's own
// shows it done only if it fails there. Results are recorded by tree, so that only what stops the work runs again.
type Baseline struct {
	w    *Worker
	here *workspace.Workspace
	t    workspace.Precheck
	tree string
}

// NewBaseline returns a Baseline for a task that begins in a workspace.
func NewBaseline(ctx context.Context, w *Worker, here *workspace.Workspace, t workspace.Precheck) (*Baseline, error) {
	tree, err := w.tree(ctx, here.Before.Head)
	return &Baseline{w: w, here: here, t: t, tree: tree}, err
}

// BeforeStep runs the checks of the plan before a step, and its own if it is fresh, unless it is a command, which may
// be what they need. It refuses the step if a check would fail its sessions, and returns more checks of it.
func BeforeStep(ctx context.Context, w *Worker, here *workspace.Workspace, step *plan.Step,
	fresh bool) (more []string, err error) {
	b, err := NewBaseline(ctx, w, here, workspace.Precheck{Name: step.ID, Files: step.Files, Of: journal.Notice{Step: step.ID}})
	if err == nil && step.Run == "" {
		err = b.PlanChecks(ctx)
	}
	b.t.Quietly = true
	if err == nil && step.Run == "" && fresh {
		err = b.ownChecks(ctx, step)
	}
	if err == nil && w.Checkout.Doc.Plan.Bounds != nil {
		more, err = b.held(ctx, step)
	}
	return more, err
}

// held returns the checks by which no number of Done when that the step does not compare itself may get worse.
func (b *Baseline) held(ctx context.Context, step *plan.Step) (checks []string, err error) {
	b.w.shared.checking.Lock()
	defer b.w.shared.checking.Unlock()
	own := map[string]bool{}
	for _, command := range plan.Commands(step.Checks) {
		_, own[plan.Unlimited(command)] = plan.LimitOf(command)
	}
	for _, command := range plan.Commands(b.w.Checkout.Doc.Plan.Verification) {
		name := plan.Unlimited(command)
		if _, ok := plan.LimitOf(command); !ok || own[name] {
			continue
		}
		p, known := b.w.Runner.LastResult(b.tree, func(k runner.CheckResult) bool {
			return k.Number != "" && plan.Unlimited(k.Command) == name
		})
		if !known {
			if p, err = b.run(ctx, command); err != nil {
				return nil, err
			}
		}
		if p.Number != "" {
			checks = append(checks, plan.NoWorse(command, p.Number))
		}
	}
	return checks, nil
}

// PlanChecks returns an error if a check of the plan fails on HEAD that is not accepted.
func (b *Baseline) PlanChecks(ctx context.Context) error {
	b.w.shared.checking.Lock()
	defer b.w.shared.checking.Unlock()
	for i, command := range plan.Commands(b.w.Checkout.Doc.Plan.Checks) {
		p, accepted, err := b.planCheck(ctx, command)
		if err != nil {
			return err
		}
		if p.Exit.OK() || accepted {
			continue
		}
		text := "a check of the plan fails before any work: " + p.Why
		if p.Missing() {
			text = "a check of the plan needs a program that is not there, or cannot be started: " + p.Why
		}
		if f := b.cloneLacks(ctx, command, text); f != nil {
			return f
		}
		return &fault.Fault{Kind: fault.ErrBaseline, Text: text, Next: fmt.Sprintf("git plan verify --base --accept %d", i+1)}
	}
	return nil
}

// planCheck returns how a check of the plan ends, and whether its failure is accepted, as long as it fails.
func (b *Baseline) planCheck(ctx context.Context, command string) (p runner.CheckResult, accepted bool, err error) {
	accepted = progress.Accepted(b.w.Checkout.Doc.Events)[journal.NameOfCheck(command)]
	p, known := b.w.resultOn(b.tree, command)
	if !known || !p.Exit.OK() && !accepted {
		if p, err = b.run(ctx, command); err != nil {
			return p, accepted, err
		}
	}
	if accepted && p.Exit.OK() {
		return p, false, require(ctx, b.w.Checkout, command)
	}
	return p, accepted, nil
}

func (w *Worker) resultOn(tree, command string) (runner.CheckResult, bool) {
	return w.Runner.LastResult(tree, func(p runner.CheckResult) bool { return p.Command == command })
}

func (b *Baseline) run(ctx context.Context, command string) (runner.CheckResult, error) {
	how, err := b.t.Run(ctx, b.here, command)
	p := runner.ResultOf(b.tree, how)
	if failed, ok := errors.AsType[*runner.CheckFailure](err); ok {
		p.Why, err = failed.Error(), nil
	}
	if err != nil {
		return runner.CheckResult{}, err
	}
	return p, b.w.Runner.RecordResults(p)
}

// ownChecks runs the checks of a step up to the first that fails, and of the others those that may run tests.
func (b *Baseline) ownChecks(ctx context.Context, step *plan.Step) (err error) {
	fails, idle := false, false
	commands := plan.Commands(step.Checks)
	for _, command := range commands {
		if fails && !strings.Contains(command, "test") {
			continue
		}
		p, known := b.w.resultOn(b.tree, command)
		if !known || p.Missing() {
			if p, err = b.run(ctx, command); err != nil {
				return err
			}
		}
		// no session can install it
		if program := missingProgram(command, os.Getenv("PATH"), b.w.Checkout.Repo.Top); program != "" && p.Missing() {
			return &fault.Fault{Kind: fault.ErrNoCheckProgram, Step: step.ID, Next: "git plan edit " + step.ID,
				Text: fmt.Sprintf("a check of step %s cannot run: `%s` begins with %s, which is nowhere on PATH", step.ID,
					visible.OneLine(command, 200), visible.OneLine(program, 80))}
		}
		if f := b.cloneLacks(ctx, command, "a check of step "+step.ID+" fails in a clone: "+p.Why); f != nil && !p.Exit.OK() {
			passed := func(k runner.CheckResult) bool { return k.Exit.OK() && k.Command == command && k.Tree == b.tree }
			// in the work tree
			if p.Missing() || strings.Contains(p.Why, f.Name) || slices.ContainsFunc(b.w.Runner.CheckResults(), passed) {
				return f
			}
		}
		fails, idle = fails || !p.Exit.OK(), idle || p.Idle
	}
	if !fails && !idle && len(commands) > 0 && b.w.Runner.Once("own checks pass") {
		b.w.Runner.Report(b.t.Of.Of(journal.StepNote, "its own check passes before the step, so it only guards against a regression: `"+
			visible.OneLine(strings.Join(commands, "`, `"), 200)+"`"))
	}
	return nil
}

// missingProgram returns the program of a command line if it is not on PATH, and no session could put it there.
func missingProgram(line, path, top string) string {
	program := plan.ProgramOf(line)
	if program == "" || strings.ContainsAny(program, `/\`) || slices.Contains(plan.ShellWords, program) ||
		strings.Contains(line, "PATH=") {
		return ""
	}
	for _, dir := range filepath.SplitList(path) {
		if in, err := filepath.Rel(top, dir); !filepath.IsAbs(dir) || err == nil && filepath.IsLocal(in) {
			return ""
		}
	}
	if _, there := proc.Find(program); there {
		return ""
	}
	return program
}

// cloneLacks returns the error of a check that fails in a clone, perhaps for lack of packages or a program, or nil.
func (b *Baseline) cloneLacks(ctx context.Context, command, text string) *fault.Fault {
	lacks, setup := checkout.CloneSetup(ctx, b.w.Checkout)
	program := plan.ProgramOf(command)
	_, missing := os.Stat(filepath.Join(b.w.Checkout.Repo.Top, program))
	_, there := os.Stat(filepath.Join(b.here.Dir(), program))
	onlyHere := filepath.IsLocal(program) && missing == nil && errors.Is(there, os.ErrNotExist)
	if folder, _, path := strings.Cut(program, "/"); path && folder != lacks && onlyHere {
		lacks, setup = program, "COMMAND"
		if folder == ".venv" {
			lacks, setup = folder, "python3 -m venv .venv"
		}
		setup = strings.TrimPrefix(b.w.Checkout.Config.String("plan.worktreeSetup")+" && "+setup, " && ")
	}
	if lacks == "" || !b.here.InClone() {
		return nil
	}
	return &fault.Fault{Kind: fault.ErrCloneSetup, Name: lacks, Next: "git config plan.worktreeSetup " + visible.Shell(setup),
		Text: text + "; its clone has no " + lacks + ", which git does not track"}
}

// FailedBefore reports whether one of some checks is known to fail on a commit.
func (w *Worker) FailedBefore(ctx context.Context, commit string, checks []string) bool {
	return slices.ContainsFunc(checks, func(command string) bool {
		p, known := w.resultAt(ctx, commit, command)
		return known && !p.Exit.OK()
	})
}

func (w *Worker) resultAt(ctx context.Context, commit, command string) (p runner.CheckResult, known bool) {
	tree, err := w.tree(ctx, commit)
	p, known = w.resultOn(tree, command)
	return p, known && err == nil
}

// require ends the acceptance of a check that passes.
func require(ctx context.Context, c *checkout.Checkout, command string) error {
	return c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{Event: journal.Event{Kind: journal.Required,
		Check: journal.NameOfCheck(command), By: journal.ByAgent}})
}

// RecordChecks records for the next step how the checks of a step that is done ended.
func (w *Worker) RecordChecks(ctx context.Context, out Outcome) error {
	if out.Tree == "" { // after a crash only the commit is known
		return nil
	}
	var results []runner.CheckResult
	accepted := progress.Accepted(w.Checkout.Doc.Events)
	for _, command := range slices.Sorted(maps.Keys(out.Ended)) {
		p := runner.ResultOf(out.Tree, out.Ended[command])
		if !p.Exit.OK() {
			p.Why = fmt.Sprintf("`%s` failed after the last step", command)
		} else if accepted[journal.NameOfCheck(command)] {
			if err := require(ctx, w.Checkout, command); err != nil {
				return err
			}
		}
		results = append(results, p)
	}
	return w.Runner.RecordResults(results...)
}

// Accept records that a check, by its text or its number, may fail until it passes once, and returns how it fails.
func (b *Baseline) Accept(ctx context.Context, name string) (why string, err error) {
	commands := plan.Commands(b.w.Checkout.Doc.Plan.Checks)
	at := slices.Index(commands, name)
	if n, err := strconv.Atoi(name); at < 0 && err == nil && 1 <= n && n <= len(commands) {
		at = n - 1
	}
	if at < 0 {
		return "", fault.New(fault.ErrUnknownCheck, "the plan has no check %s", name)
	}
	b.w.shared.checking.Lock()
	defer b.w.shared.checking.Unlock()
	p, already, err := b.planCheck(ctx, commands[at])
	switch {
	case err != nil || already:
		return p.Why, err
	case p.Exit.OK():
		return "", fault.New(fault.ErrUnknownCheck, "`%s` passes, so there is nothing to accept", p.Command)
	}
	return p.Why, b.w.Checkout.Store.Apply(ctx, b.w.Checkout.Doc, b.w.Checkout.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Accepted, Check: journal.NameOfCheck(p.Command), By: journal.ByPerson, Tree: b.tree,
		Reason: visible.FirstLine(p.Why),
	}})
}

// runEach runs commands of the plan one by one as a session would; failed is nil for one that passed. ErrSetupChanged.
func (w *Worker) runEach(ctx context.Context, at *workspace.Workspace, commands []string,
	ended func(here *workspace.Workspace, how runner.Ended, failed *runner.CheckFailure) error) error {
	here, leave, err := at.Enter(ctx, agent.Fixer)
	if err != nil {
		return err
	}
	defer func() {
		leave()
		w.Checkout.Task().DiscardClone()
	}()
	here.Watch = here.Runner.Watch(here.Target())
	_, err = here.WatchUserFiles(ctx, "", checkout.Checking, func() (string, error) {
		for _, command := range commands {
			how := runner.Ended{Command: command}
			err := here.Check(ctx, "verify", journal.Notice{Round: new(int)}, []string{command}, func(e runner.Ended) { how = e })
			if changed := here.Watch.Unchanged(context.WithoutCancel(ctx)); changed != nil {
				return "", errors.Join(here.Watch.Distrusted(), fault.New(fault.ErrSetupChanged, "%s", changed.Error()))
			}
			failed, isFailure := errors.AsType[*runner.CheckFailure](err)
			if err == nil || isFailure {
				err = ended(here, how, failed)
			}
			if err != nil {
				return "", err
			}
		}
		return "", nil
	})
	return err
}

// Failing returns those commands of the plan that fail on the current tree. It runs none that Measure saw pass on it.
func (w *Worker) Failing(ctx context.Context, at *workspace.Workspace,
	commands []string) (out []*runner.CheckFailure, err error) {
	tree, err := w.tree(ctx, at.Before.Head)
	commands = slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return slices.Contains(w.passed, tree+c) })
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	err = w.runEach(ctx, at, commands, func(_ *workspace.Workspace, _ runner.Ended, failed *runner.CheckFailure) error {
		if failed != nil {
			out = append(out, failed)
		}
		return nil
	})
	return out, err
}

// Measure runs commands, and returns how each ended; ErrDirty if one changes the tree, which the next would measure.
func (w *Worker) Measure(ctx context.Context, at *workspace.Workspace, commands []string) (out []journal.Measured, err error) {
	tree, err := w.tree(ctx, at.Before.Head)
	if err != nil {
		return nil, err
	}
	var results []runner.CheckResult
	err = w.runEach(ctx, at, commands, func(here *workspace.Workspace, how runner.Ended, failed *runner.CheckFailure) error {
		now, err := worktree.ReadStatus(ctx, here.Tree())
		if err != nil {
			return err
		}
		if !now.Clean() {
			return &fault.Fault{Kind: fault.ErrDirty,
				Text: fmt.Sprintf("`%s` changes what it measures: %s", how.Command, visible.Few(now.Paths()))}
		}
		results = append(results, runner.ResultOf(tree, how))
		out = append(out, journal.Measured{Command: how.Command, Number: how.Number, Passed: failed == nil})
		if failed == nil {
			w.passed = append(w.passed, tree+how.Command)
		}
		return nil
	})
	if err == nil {
		err = w.Runner.RecordResults(results...)
	}
	return out, err
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// operation is the work of one command: a worker in a checkout, shown live to people and to programs.
type operation struct {
	*live
	c      *command
	co     *checkout.Checkout
	lock   *journal.Lock // nil if nothing is locked
	worker *work.Worker
	steps  *gitplan.Steps // by that worker
	stash  checkout.Stash // by --autostash
}

// newOperation shows the notices of a worker, and reports them to the followers of the lock, if there is one.
func newOperation(c *command, co *checkout.Checkout, lock *journal.Lock) *operation {
	var events *json.Encoder
	if c.events {
		events = json.NewEncoder(c.Out)
		events.SetEscapeHTML(false)
	}
	l := newLive(c, co, true)
	var warned atomic.Bool
	w := work.New(&runner.Runner{Checkout: co, Mask: secret.Mask, On: func(n journal.Notice) {
		if n.Kind != journal.RunStart && n.Kind != journal.RunEnd && warned.CompareAndSwap(false, true) {
			views.Invalid(l.View.Err, co, co.Config.Settings()) // an error of the start says it itself
		}
		if lock != nil {
			lock.Report(n)
			if asked := lock.Stopping(); l.ending.CompareAndSwap(!asked, asked) {
				l.View.Announce(map[bool]string{true: "git plan stop was called: this ends after what is in progress",
					false: "the stop was taken back: this continues"}[asked])
			}
		}
		if events != nil {
			_ = events.Encode(n)
		}
		l.View.Show(n)
	}})
	w.Lend = l.View.Lend
	steps := gitplan.NewSteps(w, reviewers.StepGuard)
	if steps.Measuring = reviewers.Measuring; lock != nil {
		steps.Writer, steps.Stopping = lock.Writer, lock.Stopping
	}
	return &operation{live: l, c: c, co: co, lock: lock, worker: w, steps: steps}
}

// openOperation begins work by the agent of a role under the plan's lock. The caller closes it.
func openOperation(c *command, co *checkout.Checkout, role agent.Role) (*operation, error) {
	lock, err := lockPlan(c, co, role == agent.Reviewer)
	if err != nil {
		return nil, err
	}
	o := newOperation(c, co, lock)
	o.worker.Start(role, c.name)
	_, drift := co.Config.Word("plan.drift")
	_, push := co.Config.Word("plan.push")
	if err := cmp.Or(drift, push); err != nil && role == agent.Executor { // else it is reported when all is done
		o.close(&err)
		return nil, err
	}
	return o, nil
}

// reportEnd reports how the work ended that Worker.Start reported.
func (o *operation) reportEnd(err error) {
	failed, _ := errors.AsType[*fault.Fault](err)
	for _, aside := range o.worker.SetAside() {
		if aside.Task == "" || failed == nil || aside.Task != failed.Step { // else the lines of the step have it
			o.worker.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: aside.Text})
		}
	}
	code := exitCode(err)
	n := journal.Notice{Kind: journal.RunEnd, ExitCode: &code}
	if err != nil {
		n.Reason, _, _ = strings.Cut(err.Error(), "\n")
	}
	o.worker.Runner.Report(n)
}

// close ends an operation: the stash is back and the view has ended when the result is printed.
func (o *operation) close(result *error) {
	defer o.lock.Release()
	if o.stash.Commit != "" {
		*result = errors.Join(*result, o.steps.Unstash(context.WithoutCancel(o.c.Context), o.stash))
	}
	o.reportEnd(*result)
	o.end()
	o.printEnd(*result)
	if o.View.Sessions() > 0 && o.c.notifies {
		notifyAway(o.c, o.co, *result)
	}
	if f, ok := errors.AsType[*fault.Fault](*result); ok {
		f.Text = cmp.Or(f.Brief, f.Text)
	}
}

// printEnd prints what the end of the work leaves to a person, and unless the error has a hint the next command.
func (o *operation) printEnd(err error) {
	c, co, worked := o.c, o.co, o.View.Sessions() > 0
	f, failed := errors.AsType[*fault.Fault](err)
	if co.Doc != nil && c.name == "run" && !c.events {
		if list := co.Progress.Requirements(co.Doc.Plan); list != nil && (err == nil || worked) {
			say(c.Err, "requirements:")
			views.Requirements(c.Err, terminal.Width(os.Stderr), list)
		}
		if failed && f.Step != "" {
			views.Blocked(c.Err, co, f.Step)
		}
	}
	if err == nil && co.Doc != nil && co.Progress.Complete() && worked {
		open := slices.DeleteFunc(progress.Manuals(co.Doc.Plan, co.Doc.Events),
			func(m progress.Manual) bool { return m.Commit != "" })
		if len(open) > 0 {
			say(c.Err, "to be checked by a person:")
		}
		for _, m := range open {
			say(c.Err, "    %d. %s (git plan done --manual %d)", m.N, m.Text, m.N)
		}
	}
	if failed && errors.Is(err, fault.ErrVerification) && co.Doc != nil {
		f.Next = nextOf(c, co).String()
	}
	if err == nil || errors.As(err, new(*exit.Ended)) {
		printNext(c, co)
	}
}

func printNext(c *command, co *checkout.Checkout) {
	paint := views.Colors(co, os.Stderr)
	if co.Doc != nil {
		views.Next(c.Err, paint, nextOf(c, co))
	} else if next, ok := status.AfterReview(c.Context, co); ok {
		views.Next(c.Err, paint, next)
	}
}

// live shows what happens to people, and to programs as one JSON object a line.
type live struct {
	View    *terminal.View
	restore func()      // undoes the view's setup, once
	ballast []byte      // never touched, so it takes no memory: garbage is collected every 10 MB, not every 4
	ending  atomic.Bool // the view shows that git plan stop, or a key, asked for the end
}

// newLive shows the work of this process, or of another one; it also keeps the garbage collector's heap small.
func newLive(c *command, co *checkout.Checkout, own bool) *live {
	debug.SetGCPercent(50)
	out, errs := c.Out, c.Err
	ui, _ := co.Config.Get("color.ui")
	l := &live{View: terminal.NewView(out, errs, terminal.Options{Own: own, Color: ui, Events: c.events}),
		ballast: make([]byte, 16<<20)}
	c.Out, c.Err, c.drawn = l.View.Out, l.View.Err, own && l.View.Drawn()
	leave := l.View.Leave
	beforeExit.Store(&leave)
	stop := func() bool { return false }
	if own {
		l.listen(c, co)
		stop = context.AfterFunc(c.Context, l.View.Stopping)
	}
	l.restore = sync.OnceFunc(func() { stop(); beforeExit.Store(nil); c.Out, c.Err = out, errs })
	return l
}

const askNeeds = "--ask needs a terminal, on which you answer"

// ask has the person at the terminal answer a planner's questions.
func (o *operation) ask(questions []agent.Question) ([]string, error) {
	defer o.View.Lend()()
	return terminal.Ask(func() (string, error) { return terminal.ReadLine(o.c.Context) }, o.c.Err, questions)
}

func (l *live) end() {
	l.View.End()
	l.restore()
}

// listen has the keys of the person at this terminal stop the work, or show it.
func (l *live) listen(c *command, co *checkout.Checkout) {
	configured, set := co.Config.Get("core.pager") // as it was before any session
	pager, color := terminal.Pager(configured, set), "never"
	if views.Colors(co, os.Stderr).On && pager != "" {
		color = "always"
	}
	asked, id := false, co.Loaded()
	l.View.Listen("s stop · d diff · l log · ? back", map[byte]func(){
		's': func() {
			switch who, working := journal.Working(co.Repo, id); {
			case asked:
				_ = proc.Interrupt(os.Getpid())
			case working && !endsByItself(who) && journal.AskToStop(co.Repo, id, who) == nil:
				l.ending.Store(true)
				l.View.Announce("this ends after what is in progress; s again ends it now")
			default:
				l.View.Announce("git plan " + c.name + " ends by itself; s again ends it now")
			}
			asked = true
		},
		'd': func() {
			l.View.Page(c.Context, pager, func(w io.Writer, _ []string) error { return printWork(c.Context, w, color) })
		},
		'l': func() {
			l.View.Page(c.Context, pager, func(w io.Writer, names []string) error { return printSessions(c.Context, w, names) })
		},
	})
}

// notifyAway reports the end of work to plan.notify, without any code: it goes to other people's servers.
func notifyAway(c *command, co *checkout.Checkout, end error) {
	targets := co.Config.Git.All("plan.notify")
	if len(targets) == 0 || c.Context.Err() != nil {
		return
	}
	var lines []string
	state := exit.Word(exitCode(end))
	if co.Doc != nil {
		lines = append(lines, visible.OneLine(co.Doc.Plan.Title, 100),
			fmt.Sprintf("%d of %s done", co.Progress.Done-co.Progress.Skipped(), visible.Count(co.Progress.Total, "step")))
		if goal := progress.Standing(progress.Courses(co.Doc.Events)); goal != "" {
			lines = append(lines, goal)
		}
	}
	if errors.Is(end, fault.ErrQuestion) || errors.Is(end, fault.ErrBudget) { // other reasons quote what commands printed
		lines = append(lines, visible.OneLine(end.Error(), 300))
	}
	if co.Doc != nil {
		lines = append(lines, "next: "+visible.OneLine(nextOf(c, co).String(), 200))
	}
	env := []string{"GIT_PLAN_STATE=" + state,
		fmt.Sprintf("GIT_PLAN_TITLE=git plan: %s: %s", visible.OneLine(co.Branch, 80), state),
		"GIT_PLAN_TEXT=" + strings.ReplaceAll(secret.Mask(strings.Join(lines, "\n")), "@", "@ ")} // no mention of a person in a chat
	for _, target := range targets {
		if err := send(c.Context, target, env...); err != nil {
			say(c.Err, "warning: not notified: plan.notify: %s", err)
		}
	}
}

// send runs a command of the person's configuration. It may hold a token, so its error has none of it.
func send(ctx context.Context, target string, env ...string) error {
	command, ok := strings.CutPrefix(target, "!")
	if !ok || strings.TrimSpace(command) == "" {
		return errors.New("must be ! and a command, such as '!curl -d \"$GIT_PLAN_TEXT\" ADDRESS'")
	}
	name, args := proc.Shell(command)
	end, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Outside: true, Group: true, Stdout: io.Discard, Stderr: io.Discard,
		Timeout: 15 * time.Second, // the run's exit code waits for it
		Env:     append(append(proc.CleanEnv(), "PATH="+proc.PathOutside()), env...),
	})
	switch {
	case err != nil:
		return err
	case end.TimedOut:
		return errors.New("it did not end in time")
	case !end.OK():
		return fmt.Errorf("it exited with %d", end.Code)
	}
	return nil
}

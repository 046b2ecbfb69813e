package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// live shows people what happens while a plan is worked on, and programs one JSON object
// a line on standard output.
type live struct {
	View    *terminal.View
	events  *json.Encoder // nil without --json-events
	restore func()        // undoes, once, what was set up for the view
	ending  atomic.Bool   // what was shown: that git plan stop asked for the end
}

// boundMemory keeps the use of memory small: little is in use, and by default the collector lets garbage
// grow to as much again, and more while a session prints. GOGC of the person's own holds.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// newShow shows the work of this process.
func newShow(c *command, co *checkout.Checkout) *live {
	l := newLive(c, co, true)
	stop := context.AfterFunc(c.Context, l.View.Stopping)
	restore := l.restore
	l.restore = func() { stop(); restore() }
	return l
}

// newView shows somebody else's work.
func newView(c *command, co *checkout.Checkout) *live { return newLive(c, co, false) }

func newLive(c *command, co *checkout.Checkout, own bool) *live {
	boundMemory()
	out, errs := c.Out, c.Err
	ui, _ := co.Config.Get("color.ui")
	l := &live{View: terminal.NewView(out, errs, terminal.Options{Own: own, Color: ui, Plain: c.plain, Events: c.events})}
	if c.events {
		l.events = json.NewEncoder(out)
		l.events.SetEscapeHTML(false)
	}
	c.Out, c.Err = l.View.Out, l.View.Err
	undo := beforeExit(c.Context, l.View.Leave)
	l.restore = func() { undo(); c.Out, c.Err = out, errs }
	return l
}

// end stops showing, and prints what was done and what it cost.
func (l *live) end() {
	if l.restore != nil {
		l.restore()
		l.restore = nil
	}
	l.View.End()
}

// conclude ends the live view of steps or of a review, and prints what to look at, what is left
// and what comes next. After an error the hint says what comes next.
func (l *live) conclude(c *command, co *checkout.Checkout, err error) error {
	l.end()
	views.Gate(l.View.Err, co)
	shown := l.View.Tally()
	switch {
	case shown.Commits == 1:
		say(l.View.Err, "look at it: git show %s", shown.Commit)
	case shown.Commits > 1:
		say(l.View.Err, "look at it: git log -p -%d", shown.Commits)
	}
	if co.Doc != nil {
		if left := co.Progress.Total - co.Progress.Done; left > 0 && shown.Sessions > 0 {
			say(l.View.Err, "%d of %s left", left, terminal.Count(co.Progress.Total, "step"))
		}
		if c.whole && !c.events {
			views.RequirementsOf(l.View.Err, co)
		}
	}
	if err == nil && co.Doc != nil && co.Progress.Complete() && shown.Sessions > 0 {
		askManual(c, co)
	}
	var said *exit.Ended
	if err == nil || errors.As(err, &said) {
		l.printNext(c.Context, co, err == nil)
	}
	return err
}

// printNext prints what comes next; without a plan, what comes after the review.
func (l *live) printNext(ctx context.Context, co *checkout.Checkout, passed bool) {
	if co.Doc == nil {
		if next, ok := status.AfterReview(ctx, co, passed); ok {
			say(l.View.Err, "next: %s", next)
		}
		return
	}
	if s, err := status.Of(ctx, co); err == nil {
		say(l.View.Err, "next: %s", s.Next(ctx, co))
	}
}

// worker does the work in a checkout, and is shown here.
func (l *live) worker(co *checkout.Checkout, lock *journal.Lock) *work.Worker {
	w := work.New(&runner.Runner{Checkout: co, Mask: secret.Mask, On: l.notice(lock)})
	w.Lend = l.View.Lend
	return w
}

// notice takes everything that happens. lock, if there is one, notes which step is worked
// on, and passes the notice on to whoever follows.
func (l *live) notice(lock *journal.Lock) func(journal.Notice) {
	return func(n journal.Notice) {
		if lock != nil {
			lock.Report(n)
			if asked := lock.Stopping(); l.ending.CompareAndSwap(!asked, asked) {
				l.View.Ending(asked)
			}
		}
		if l.events != nil {
			_ = l.events.Encode(n)
		}
		l.View.Show(n)
	}
}

// withRunEvents reports when work begins, most of it by the agent of a role, and how it ended: with which
// exit code, and why if that is not 0.
func withRunEvents(c *command, w *work.Worker, role agent.Role, work func() error) error {
	printMisspelt(c, w.Checkout.Config)
	title := "git plan " + c.name
	if w.Checkout.Doc != nil {
		title = w.Checkout.Doc.Plan.Title
	}
	w.Start(role, title, "")
	err := work()
	code := exitCode(c.Context, err)
	end := journal.Notice{Kind: journal.RunEnd, ExitCode: &code}
	if err != nil {
		end.Reason, _, _ = strings.Cut(err.Error(), "\n")
	}
	w.Runner.Report(end)
	return err
}

// printMisspelt warns of settings that do not exist, before work begins without them.
func printMisspelt(c *command, config *settings.Config) {
	for _, s := range config.Settings() {
		if s.Scope != "unknown" {
			continue
		}
		say(c.Err, "warning: %s is not a setting, so it has no effect", visible.Line(s.Key))
	}
}

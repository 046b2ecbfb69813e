package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// live shows what happens to people, and to programs as one JSON object a line.
type live struct {
	View    *terminal.View
	events  *json.Encoder // nil without --json-events
	restore func()        // undoes, once, what was set up for the view
	ending  atomic.Bool   // the view shows that git plan stop asked for the end
}

func newShow(c *command, co *checkout.Checkout) *live {
	l := newLive(c, co, true)
	stop := context.AfterFunc(c.Context, l.View.Stopping)
	restore := l.restore
	l.restore = func() { stop(); restore() }
	return l
}

// newLive shows the work of this process, or of another one; it also keeps the garbage collector's heap small.
func newLive(c *command, co *checkout.Checkout, own bool) *live {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	out, errs := c.Out, c.Err
	ui, _ := co.Config.Get("color.ui")
	l := &live{View: terminal.NewView(out, errs, terminal.Options{Own: own, Color: ui, Plain: c.plain, Events: c.events})}
	if c.events {
		l.events = json.NewEncoder(out)
		l.events.SetEscapeHTML(false)
	}
	c.Out, c.Err, c.drawn = l.View.Out, l.View.Err, own && l.View.Drawn()
	leave := l.View.Leave
	beforeExit.Store(&leave)
	l.restore = func() { beforeExit.Store(nil); c.Out, c.Err = out, errs }
	return l
}

func (l *live) end() {
	l.View.End()
	if l.restore != nil {
		l.restore()
		l.restore = nil
	}
}

// conclude ends the view and prints the result, and unless the error has a hint the next command.
func (l *live) conclude(c *command, co *checkout.Checkout, err error) error {
	l.end()
	shown := l.View.Tally()
	switch {
	case shown.Commits == 1:
		say(c.Err, "%s", l.View.Dim("look at it: git show "+shown.Commit))
	case shown.Commits > 1:
		say(c.Err, "%s", l.View.Dim(fmt.Sprintf("look at it: git log -p -%d", shown.Commits)))
	}
	if co.Doc != nil {
		if left := co.Progress.Total - co.Progress.Done; left > 0 && shown.Sessions > 0 {
			say(c.Err, "%d of %s left", left, terminal.Count(co.Progress.Total, "step"))
		}
		if list := status.Requirements(co); c.whole && !c.events && list != nil {
			say(c.Err, "requirements:")
			views.Requirements(c.Err, terminal.Width(os.Stderr), list)
		}
	}
	if err == nil && co.Doc != nil && co.Progress.Complete() && shown.Sessions > 0 {
		listManual(c, co)
	}
	if err == nil || errors.As(err, new(*exit.Ended)) {
		printNext(c, co)
	}
	return err
}

func printNext(c *command, co *checkout.Checkout) {
	next, ok := status.Advice{}, true
	if co.Doc != nil {
		next = nextOf(c, co)
	} else {
		next, ok = status.AfterReview(c.Context, co)
	}
	if ok {
		terminal.Fold(c.Err, terminal.Width(os.Stderr), 4, "next: %s", next)
	}
}

func (l *live) worker(co *checkout.Checkout, lock *journal.Lock) *work.Worker {
	w := work.New(&runner.Runner{Checkout: co, Mask: secret.Mask, On: l.notice(lock)})
	w.Lend = l.View.Lend
	return w
}

// notice shows a notice, and reports it to the lock's followers.
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

// withRunEvents reports the beginning and the end of work by the agent of a role.
func withRunEvents(c *command, w *work.Worker, role agent.Role, work func() error) error {
	views.Invalid(c.Err, w.Checkout, w.Checkout.Config.Settings())
	title := "git plan " + c.name
	if w.Checkout.Doc != nil {
		title = w.Checkout.Doc.Plan.Title
	}
	w.Start(role, title, "")
	err := work()
	code := exitCode(err)
	end := journal.Notice{Kind: journal.RunEnd, ExitCode: &code}
	if err != nil {
		end.Reason, _, _ = strings.Cut(err.Error(), "\n")
	}
	w.Runner.Report(end)
	return err
}

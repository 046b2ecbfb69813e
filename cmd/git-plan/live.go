package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/secret"
)

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

// newShow is newLive with a worker whose notices are shown, and reported to the followers of the lock, if there is one.
func newShow(c *command, co *checkout.Checkout, lock *journal.Lock) (*live, *work.Worker) {
	var events *json.Encoder
	if c.events {
		events = json.NewEncoder(c.Out)
		events.SetEscapeHTML(false)
	}
	l := newLive(c, co, true)
	var warned atomic.Bool // of settings that are wrong
	w := work.New(&runner.Runner{Checkout: co, Mask: secret.Mask, On: func(n journal.Notice) {
		if n.Kind != journal.RunStart && n.Kind != journal.RunEnd && warned.CompareAndSwap(false, true) { // else an error says it
			views.Invalid(l.View.Err, co, co.Config.Settings())
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
	return l, w
}

const askNeeds = "--ask needs a terminal, on which you answer"

// ask has the person at the terminal answer a planner's questions.
func (l *live) ask(c *command) func([]agent.Question) ([]string, error) {
	return func(questions []agent.Question) ([]string, error) {
		defer l.View.Lend()()
		return terminal.Ask(func() (string, error) { return terminal.ReadLine(c.Context) }, c.Err, questions)
	}
}

func (l *live) end() {
	l.View.End()
	l.restore()
}

// run does work by the agent of a role, ends the view and prints the result, and unless the error has a hint the next
// command. plan.notify hears of the end.
func (l *live) run(c *command, w *work.Worker, role agent.Role, work func() error) error {
	err := withRunEvents(c, w, role, work)
	l.end()
	co, worked := w.Checkout, l.View.Sessions() > 0
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
	if worked && c.notifies {
		notifyAway(c, co, err)
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
		views.Next(c.Err, views.Colors(co, os.Stderr), next)
	}
}

// withRunEvents reports the beginning and the end of work by the agent of a role.
func withRunEvents(c *command, w *work.Worker, role agent.Role, work func() error) error {
	title := "git plan " + c.name
	if w.Checkout.Doc != nil {
		title = w.Checkout.Doc.Plan.Title
	}
	w.Start(role, title)
	err := work()
	failed, _ := errors.AsType[*fault.Fault](err)
	for _, text := range w.SetAside() {
		if failed == nil || !strings.Contains(text, " "+failed.Step+"/") { // else the error says it
			w.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text})
		}
	}
	code := exitCode(err)
	end := journal.Notice{Kind: journal.RunEnd, ExitCode: &code}
	if err != nil {
		end.Reason, _, _ = strings.Cut(err.Error(), "\n")
	}
	w.Runner.Report(end)
	return err
}

// listen has the keys of the person at this terminal stop the work, or show it.
func (l *live) listen(c *command, co *checkout.Checkout) {
	configured, set := co.Config.Get("core.pager") // as it was before any session
	pager, color := terminal.Pager(configured, set), "never"
	if views.Colors(co, os.Stderr).On && pager != "" {
		color = "always"
	}
	asked, id := false, ""
	if co.Doc != nil {
		id = co.Doc.ID
	}
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

// printWork prints what is not committed yet: in the work tree, and in the clone of each step.
func printWork(ctx context.Context, w io.Writer, color string) error {
	return withRepository(ctx, func(co *checkout.Checkout) error {
		any := false
		id, _ := co.PlanID(ctx)
		for _, task := range checkout.Tasks(co.Repo, id) {
			r := co.Repo
			if top, gitDir, err := task.Clone(); err == nil {
				if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil {
					r = r.WithFiles(top, gitDir)
					defer r.Close()
				}
			}
			if step := task.State().Name; step != "" {
				say(w, "%s:", step)
			}
			differ, err := worktree.Diff(ctx, r, w, color)
			if err != nil {
				return err
			}
			any = any || differ
		}
		if !any {
			say(w, "nothing is changed yet")
		}
		return nil
	})
}

func printSessions(ctx context.Context, w io.Writer, names []string) error {
	return withRepository(ctx, func(co *checkout.Checkout) error {
		_ = co.LoadToRead(ctx) // there may be no plan yet
		for _, name := range names {
			say(w, "%s:", name)
			f, err := checkout.OpenTranscript(co, name)
			if err != nil {
				return err
			}
			defer f.Close()
			if err := printTranscript(w, f, "prompt"); err != nil {
				return err
			}
		}
		return nil
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
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Outside: true, Group: true, Stdout: io.Discard, Stderr: io.Discard,
		Timeout: 15 * time.Second, // the run's exit code waits for it
		Env:     append(append(proc.CleanEnv(), "PATH="+proc.PathOutside()), env...),
	})
	switch {
	case err != nil:
		return err
	case exit.TimedOut:
		return errors.New("it did not end in time")
	case !exit.OK():
		return fmt.Errorf("it exited with %d", exit.Code)
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// live shows what happens while a plan is worked on: rows that change on a
// terminal, lines with a time elsewhere, and one JSON object a line on standard
// output for programs.
type live struct {
	people io.Writer     // above what changes
	events *json.Encoder // nil without --json-events
	screen *screen       // nil where lines are wanted
	groups *groups       // nil but in GitHub's CI

	own     bool // this process does the work: its end is the work's
	mu      sync.Mutex
	board   board // without a screen: for the summary
	once    sync.Once
	restore func()
}

// plainFlag asks for lines where rows would be redrawn: for screen readers, and
// for whoever likes them better.
func plainFlag() cli.Flag {
	return &cli.BoolFlag{Name: "plain", Usage: "lines with a time, nothing redrawn"}
}

// newShow shows the work of this process.
func newShow(c *cli.Context) *live {
	l := newView(c)
	l.own = true
	stop := context.AfterFunc(c.Context, l.stop)
	restore := l.restore
	l.restore = func() { stop(); restore() }
	return l
}

// newView shows somebody's work.
func newView(c *cli.Context) *live {
	// What is alive is small; without a word the collector lets garbage grow to
	// several times of it while a session prints.
	debug.SetMemoryLimit(32 << 20)
	out, errs := c.App.Writer, c.App.ErrWriter
	l := &live{people: errs, restore: func() { c.App.Writer, c.App.ErrWriter = out, errs }}
	if c.Bool("json-events") {
		l.events = json.NewEncoder(out)
		l.events.SetEscapeHTML(false)
	}
	switch {
	case canDraw(c):
		l.screen = newScreen(os.Stderr, lookOf(os.Getenv))
		l.people = l.screen.above(errs)
		c.App.ErrWriter = l.people
		if out == os.Stdout && isTerminal(os.Stdout) {
			c.App.Writer = l.screen.above(out)
		}
	case os.Getenv("GITHUB_ACTIONS") == "true":
		l.groups = &groups{out: errs}
	}
	undo := beforeExit(c.Context, func() {
		if l.screen != nil {
			l.screen.leave()
		}
	})
	restore := l.restore
	l.restore = func() { undo(); restore() }
	return l
}

// canDraw reports whether standard error is a terminal on which rows can be
// redrawn, and nobody wants lines or writes there himself.
func canDraw(c *cli.Context) bool {
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && os.Getenv("WT_SESSION") == ""
	toPrograms := c.Bool("json-events") && isTerminal(os.Stdout)
	return c.App.ErrWriter == os.Stderr && isTerminal(os.Stderr) && !dumb && !toPrograms &&
		!c.Bool("plain") && os.Getenv("GITHUB_ACTIONS") == "" && os.Getenv("GIT_PLAN_TRACE") == ""
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// lookOf is what a terminal can show, by what the environment says of it.
func lookOf(env func(string) string) look {
	charset := env("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if charset == "" {
			charset = env(name)
		}
	}
	charset = strings.ReplaceAll(strings.ToLower(charset), "-", "")
	return look{color: env("NO_COLOR") == "", unicode: strings.Contains(charset, "utf8") || runtime.GOOS == "windows"}
}

// stop explains what Ctrl-C does.
func (l *live) stop() {
	if l.screen != nil {
		l.screen.change(func(b *board) {
			b.stopping = true
			b.settle(row{mark: halted, text: b.stops(), whole: true})
		})
		return
	}
	l.mu.Lock()
	text := l.board.stops()
	l.mu.Unlock()
	say(l.people, "%s %s", time.Now().Format("15:04:05"), text)
}

// stops is what Ctrl-C does now.
func (b *board) stops() string {
	const again = "Ctrl-C again ends at once"
	if b.unkept {
		return "stopping: what the session did is kept; " + again
	}
	return "stopping; " + again
}

// end stops showing, and says what was done and what it cost.
func (l *live) end() {
	l.once.Do(func() {
		l.restore()
		if l.screen != nil {
			if l.own {
				l.screen.change(func(b *board) { b.stopping = true }) // what is under way still is so no more
			}
			l.screen.end()
		}
		l.groups.close()
		if text := l.state().summary(time.Now()); l.own && text != "" {
			say(l.people, "%s", text)
		}
	})
}

// reset forgets what was shown: somebody else works now.
func (l *live) reset() {
	clear := func(b *board) { *b = board{settled: b.settled} }
	if l.screen != nil {
		l.screen.change(clear)
		return
	}
	clear(&l.board)
}

// told ends the showing of work on steps or of a review, and says what to look
// at, what is left and, where it went well, what comes next: where it did not,
// the error says that.
func (l *live) told(c *cli.Context, co *gitplan.Checkout, err error) error {
	l.end()
	tellGate(l.people, co)
	switch b := l.state(); {
	case b.commits == 1:
		say(l.people, "look at it: git show %s", b.commit)
	case b.commits > 1:
		say(l.people, "look at it: git log -p -%d", b.commits)
	}
	if co.Doc == nil { // a review of a branch without a plan
		l.toldReview(c, co, err)
		return err
	}
	if left := co.Progress.Total - co.Progress.Done; left > 0 && l.state().held > 0 {
		say(l.people, "%d of %s left", left, count(co.Progress.Total, "step"))
	}
	var said *ended
	if err != nil && !errors.As(err, &said) {
		return err
	}
	if s, err := standing(c, co); err == nil {
		say(l.people, "next: %s", s.nextCommand(c.Context, co))
	}
	return err
}

// toldReview says what comes after a review without a plan.
func (l *live) toldReview(c *cli.Context, co *gitplan.Checkout, err error) {
	r, unknown := reviewState(c, co)
	var said *ended
	switch end := reviewers.End(r.End); {
	case err == nil && r.stopped:
		say(l.people, "next: %s", reviewAll)
	case err == nil && len(r.Only) > 0:
		say(l.people, "next: %s", r.reviewRest())
	case err == nil:
		say(l.people, "next: %s", pushing(c.Context, co))
	case unknown != nil || !errors.As(err, &said):
	case gotNoFurther(end):
		say(l.people, "next: %s", mendYourself(co))
	case end == reviewers.Found:
		say(l.people, "next: git plan review, which lets a fixer mend it; or mend it yourself and commit it first")
	case end == reviewers.Incomplete:
		say(l.people, "next: %s", r.reviewAgain())
	case end == reviewers.Moved:
		say(l.people, "next: git plan review, of the branch as it is now")
	case r.unheld != "":
		say(l.people, "next: git config %s none, or an agent that tells what it uses, then git plan review", r.unheld)
	case end == reviewers.Budget:
		say(l.people, "next: raise what is spent (plan.maxTokens, plan.maxCost or plan.maxTime), then git plan review")
	}
}

// state is what was shown. It is for after the end.
func (l *live) state() *board {
	if l.screen != nil {
		return &l.screen.board
	}
	return &l.board
}

// asking lets a person answer questions on a terminal where nothing is drawn
// meanwhile.
func (l *live) asking(ask func([]agent.Question) ([]string, error)) func([]agent.Question) ([]string, error) {
	if ask == nil || l.screen == nil {
		return ask
	}
	return func(questions []agent.Question) ([]string, error) {
		l.screen.pause()
		defer l.screen.resume()
		return ask(questions)
	}
}

// lend leaves the terminal to git where it may ask for a passphrase.
func (l *live) lend() (back func()) {
	if l.screen == nil {
		return func() {}
	}
	l.screen.change(func(b *board) { b.git = "git commit, which signs" })
	giveBack := l.screen.lend()
	return func() {
		l.screen.change(func(b *board) { b.git = "" })
		giveBack()
	}
}

// worker does the work in a checkout that is shown here.
func (l *live) worker(co *gitplan.Checkout, lock *journal.Lock) *gitplan.Worker {
	return &gitplan.Worker{Place: gitplan.Place{Checkout: co, On: l.notice(lock), Mask: rules.Mask}, Lend: l.lend}
}

// notice is told everything that happens; lock, where there is one, is told
// which step is worked on, and tells whoever follows.
func (l *live) notice(lock *journal.Lock) func(journal.Notice) {
	return func(n journal.Notice) {
		if lock != nil {
			lock.Tell(n)
		}
		if l.events != nil {
			_ = l.events.Encode(n)
		}
		l.show(n)
	}
}

// show shows a notice to people.
func (l *live) show(n journal.Notice) {
	if l.screen != nil {
		l.screen.change(func(b *board) { b.add(n) })
		return
	}
	l.mu.Lock()
	l.board.add(n)
	l.board.settled = nil
	l.mu.Unlock()
	l.groups.before(n)
	if n.Event == journal.StepBlocked && l.board.told(n.Reason) {
		n.Reason = ""
	}
	if line := words(n); line != "" {
		say(l.people, "%s %s", n.Time.Format("15:04:05"), l.groups.safe(line))
	}
	l.groups.after(n)
}

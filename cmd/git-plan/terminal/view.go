package terminal

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// bellAfter is how long work must have taken for the terminal's bell to ring at its end: by
// then a person has looked away.
const bellAfter = time.Minute

// View shows people what happens while a plan is worked on: rows that change on a
// terminal, lines with a time elsewhere.
type View struct {
	Out, Err io.Writer // for what else is printed meanwhile: above the rows that change

	own    bool
	screen *screen // nil if lines are wanted
	groups *groups // nil but in GitHub's CI

	mu    sync.Mutex
	board board // without a screen: for the summary
	once  sync.Once

	failed map[string]string // what checks printed last that failed, by step and command
}

// Options say what a view is of, and what the person asked to see of it.
type Options struct {
	Own    bool   // this process does the work: the view ends when the work does
	Plain  bool   // lines, though rows could be drawn
	Quiet  bool   // what is found is not annotated for GitHub: the command prints that
	Events bool   // programs read events from standard output
	Color  string // color.ui, as git has it; empty: not set
}

// NewView shows people on err what happens from now on. A screen is drawn only on
// standard error; out is where the command prints.
func NewView(out, err io.Writer, o Options) *View {
	v := &View{Out: out, Err: err, own: o.Own}
	switch {
	case canDraw(err, o):
		v.screen = newScreen(os.Stderr, look{color: ColorsOf(os.Stderr, o.Color).on, unicode: inUnicode(os.Getenv)})
		v.Err = v.screen.above(err)
		if out == os.Stdout && Is(os.Stdout) {
			v.Out = v.screen.above(out)
		}
	case os.Getenv("GITHUB_ACTIONS") == "true":
		v.groups = &groups{out: err, quiet: o.Quiet}
	}
	return v
}

// canDraw reports whether standard error is a terminal on which rows can be
// redrawn, and nobody asked for lines or writes there themselves.
func canDraw(err io.Writer, o Options) bool {
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && os.Getenv("WT_SESSION") == ""
	toPrograms := o.Events && Is(os.Stdout)
	return err == os.Stderr && Is(os.Stderr) && !dumb && !toPrograms &&
		!o.Plain && os.Getenv("GITHUB_ACTIONS") == "" && os.Getenv("GIT_PLAN_TRACE") == ""
}

// inUnicode reports whether the environment says that a terminal shows Unicode.
func inUnicode(env func(string) string) bool {
	charset := env("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if charset == "" {
			charset = env(name)
		}
	}
	charset = strings.ReplaceAll(strings.ToLower(charset), "-", "")
	return strings.Contains(charset, "utf8") || runtime.GOOS == "windows"
}

// Show shows a notice.
func (v *View) Show(n journal.Notice) {
	if v.screen != nil {
		v.screen.change(func(b *board) { b.add(n) })
		return
	}
	v.mu.Lock()
	if n.Kind == journal.StepBlocked && v.board.of(n.Step).reported(n.Reason) {
		n.Reason = ""
	}
	v.board.add(n)
	v.board.settled = nil
	n = v.unlessShown(n)
	heading, several := visible.Line(v.board.heading), v.board.several
	v.mu.Unlock()
	if heading != "" {
		fmt.Fprintf(v.Err, "%s %s\n", n.Time.Format("15:04:05"), v.groups.safe(heading))
		if n.Kind == journal.SandboxKind {
			return // the heading has it
		}
	}
	v.groups.before(n)
	line := lines(n)
	if below, ok := strings.CutPrefix(line, "  "); ok && several && n.Step != "" {
		line = "  " + visible.Line(n.Step) + ": " + strings.TrimLeft(below, " ")
	}
	if line != "" {
		fmt.Fprintf(v.Err, "%s %s\n", n.Time.Format("15:04:05"), v.groups.safe(line))
	}
	v.groups.after(n)
}

// unlessShown shortens what a check printed that fails as it did before, so that it is read once.
func (v *View) unlessShown(n journal.Notice) journal.Notice {
	if n.Kind != journal.CheckEnd || n.ExitCode == nil || *n.ExitCode == 0 || n.Text == "" {
		return n
	}
	of, text := n.Step+"\x00"+n.Reviewer+"\x00"+n.Command, n.Text
	if v.failed[of] == text {
		n.Text = "same failure again"
	}
	if v.failed == nil {
		v.failed = map[string]string{}
	}
	v.failed[of] = text
	return n
}

// Plan makes the steps of the plan known, so that those to come are listed. It is called again
// when something has changed there that no notice reports.
func (v *View) Plan(steps []Step) {
	if v.screen != nil {
		v.screen.change(func(b *board) { b.know(steps) })
	}
}

// Stopping explains what Ctrl-C does, after the first one.
func (v *View) Stopping() {
	v.announce(func(b *board) string {
		b.stopping = true
		return b.stops()
	})
}

// Ending says that git plan stop asked for the end of the work, or that this was taken back.
func (v *View) Ending(asked bool) {
	text := "git plan stop was called: this ends after what is at work"
	if !asked {
		text = "git plan stop --undo was called: this continues"
	}
	v.announce(func(*board) string { return text })
}

// announce prints a line about the whole.
func (v *View) announce(text func(*board) string) {
	if v.screen != nil {
		v.screen.change(func(b *board) { b.settle(row{mark: halted, text: text(b), whole: true}) })
		return
	}
	v.mu.Lock()
	line := text(&v.board)
	v.mu.Unlock()
	fmt.Fprintf(v.Err, "%s %s\n", time.Now().Format("15:04:05"), line)
}

// Leave draws the last state and nothing after it: the process ends at once.
func (v *View) Leave() {
	if v.screen != nil {
		v.screen.leave()
	}
}

// Forget forgets what was shown: somebody else works now.
func (v *View) Forget() {
	clear := func(b *board) { *b = board{settled: b.settled, plan: b.plan, places: b.places, over: b.over} }
	if v.screen != nil {
		v.screen.change(clear)
		return
	}
	clear(&v.board)
}

// End stops showing and prints, if the work was this process's own, what was done and
// what it cost. Only the first call does anything.
func (v *View) End() {
	v.once.Do(func() {
		if v.screen != nil {
			if v.own {
				v.screen.change(func(b *board) { b.stopping = true }) // what is still under way is so no more
			}
			v.screen.end()
			if b := &v.screen.board; v.own && !b.began.IsZero() && time.Since(b.began) >= bellAfter {
				v.screen.ring()
			}
		}
		v.groups.end(v.own)
		if text := v.shown().summary(time.Now()); v.own && text != "" {
			fmt.Fprintln(v.Err, text)
		}
	})
}

// Tally is what a view has shown, counted.
type Tally struct {
	Sessions int
	Commits  int
	Commit   string // the last one, abbreviated
}

// Tally counts what was shown. It is for after End.
func (v *View) Tally() Tally {
	b := v.shown()
	return Tally{Sessions: b.held, Commits: b.commits, Commit: b.commit}
}

// shown is the board. It is for after the end.
func (v *View) shown() *board {
	if v.screen != nil {
		return &v.screen.board
	}
	return &v.board
}

// Asking returns ask as it is to be called while the view is shown: nothing is drawn
// while a person answers.
func (v *View) Asking(ask func([]agent.Question) ([]string, error)) func([]agent.Question) ([]string, error) {
	if ask == nil || v.screen == nil {
		return ask
	}
	return func(questions []agent.Question) ([]string, error) {
		v.screen.pause()
		defer v.screen.resume()
		return ask(questions)
	}
}

// Lend leaves the terminal to git, which may ask for a passphrase there, until back is
// called.
func (v *View) Lend() (back func()) {
	if v.screen == nil {
		return func() {}
	}
	v.screen.change(func(b *board) { b.committing().git = "git commit, which signs" })
	giveBack := v.screen.lend()
	return func() {
		v.screen.change(func(b *board) { b.committing().git = "" })
		giveBack()
	}
}

package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// View shows people what happens while a plan is worked on: on a terminal as a block of rows that
// is redrawn, elsewhere as lines with a timestamp.
type View struct {
	Out, Err io.Writer // for other output meanwhile: it appears above the block

	own    bool
	github bool // the output is the log of a GitHub workflow

	mu    sync.Mutex // guards what follows
	board board
	block *block // nil for lines
	once  sync.Once
	quit  chan struct{}
	drawn sync.WaitGroup
}

// Options say whose work a view shows, and in which form.
type Options struct {
	Own    bool   // this process does the work: the view ends when the work does
	Plain  bool   // lines, even on a terminal
	Events bool   // programs read events from standard output
	Color  string // color.ui, as git has it; empty: not set
}

// NewView shows people on err what happens from now on. A block is drawn only on
// standard error; out is where the command prints.
func NewView(out, err io.Writer, o Options) *View {
	v := &View{Out: out, Err: err, own: o.Own, github: os.Getenv("GITHUB_ACTIONS") == "true"}
	if canDraw(err, o) {
		v.redraw(&block{out: os.Stderr, colors: ColorsOf(os.Stderr, o.Color)})
		v.Err = above{v, err}
		if out == os.Stdout && Is(os.Stdout) {
			v.Out = above{v, out}
		}
	}
	return v
}

// canDraw reports whether standard error is a terminal on which rows can be redrawn, and on which
// nothing else writes.
func canDraw(err io.Writer, o Options) bool {
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && os.Getenv("WT_SESSION") == ""
	toPrograms := o.Events && Is(os.Stdout)
	return err == os.Stderr && Is(os.Stderr) && !dumb && !toPrograms &&
		!o.Plain && os.Getenv("GITHUB_ACTIONS") == "" && os.Getenv("GIT_PLAN_TRACE") == ""
}

// redraw draws a block from now on until the view ends.
func (v *View) redraw(b *block) {
	v.block, v.quit = b, make(chan struct{})
	v.drawn.Go(func() {
		tick := time.NewTicker(redrawTime)
		defer tick.Stop()
		for {
			select {
			case <-v.quit:
				return
			case <-tick.C:
			}
			v.mu.Lock()
			v.draw("")
			v.mu.Unlock()
		}
	})
}

// draw prints final lines and draws the block; the caller has the lock.
func (v *View) draw(final string) { v.block.draw(final, v.rows(time.Now())) }

func (v *View) rows(now time.Time) []string {
	width, height := sizeOf(v.block.out)
	return v.board.rows(v.block.colors, now, width, height-1)
}

// above is a writer whose output appears above the block.
type above struct {
	v *View
	w io.Writer
}

func (a above) Write(p []byte) (int, error) {
	a.v.mu.Lock()
	defer a.v.mu.Unlock()
	return a.v.block.write(a.w, p)
}

// Show shows a notice.
func (v *View) Show(n journal.Notice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	heading := v.board.heading(n)
	n = v.board.unlessPrinted(n)
	ended := v.board.add(n)
	if heading != "" {
		v.print(n.Time, visible.Line(heading))
		if n.Kind == journal.SandboxKind {
			return // the heading has it
		}
	}
	fallback := v.board.fallback
	if v.board.fallback = ""; v.block != nil && fallback != "" {
		v.print(n.Time, fallback)
	}
	if v.block != nil && onlyInRow(n) {
		return
	}
	if v.block != nil && ended != nil {
		width, _ := sizeOf(v.block.out)
		v.draw(ended.ended(v.block.colors, v.sign(n), outcome(n), n.Time, width))
		return
	}
	line := lines(n)
	if below, ok := strings.CutPrefix(line, "  "); ok && v.board.jobs && n.Step != "" {
		line = "  " + visible.Line(n.Step) + ": " + strings.TrimLeft(below, " ")
	}
	if line != "" {
		v.print(n.Time, line)
	}
}

// onlyInRow reports whether a notice changes the block, and is no line of its own there.
func onlyInRow(n journal.Notice) bool {
	switch n.Kind {
	case journal.StepStart, journal.StepLands, journal.SessionStart, journal.SessionText, journal.SessionTool, journal.SessionUsage,
		journal.CheckStart, journal.SetupStart:
		return true
	case journal.SessionEnd:
		return n.Role != agent.Planner && (n.Step != "" || n.Reason == "") // step.failed, or the next session, says why
	}
	return false
}

func (v *View) sign(n journal.Notice) string {
	switch {
	case n.Kind == journal.StepDone:
		return v.block.colors.Good(signDone)
	case n.Question:
		return v.block.colors.Wait(signAsks)
	}
	return v.block.colors.Bad(signFailed)
}

// print prints a final line; the caller has the lock.
func (v *View) print(at time.Time, line string) {
	if v.github { // whose runner takes "##[" anywhere in a line for a command
		line = strings.ReplaceAll(line, "##[", "# #[")
	}
	if v.block != nil {
		var folded strings.Builder
		width, _ := sizeOf(v.block.out)
		FoldText(&folded, width-1, line)
		v.draw(folded.String())
		return
	}
	fmt.Fprintf(v.Err, "%s %s\n", at.Format("15:04:05"), line)
}

func (v *View) announce(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.print(time.Now(), line)
}

// Stopping explains after the first Ctrl-C what a second one does.
func (v *View) Stopping() {
	v.mu.Lock()
	v.board.stopping = true
	text := "stopping; "
	if v.board.unkept {
		text = "stopping: what the session did is kept; "
	}
	v.mu.Unlock()
	v.announce(text + "Ctrl-C again ends at once")
}

// Ending says that git plan stop asked for the end of the work, or that this was withdrawn.
func (v *View) Ending(asked bool) {
	if !asked {
		v.announce("git plan stop --undo was called: this continues")
		return
	}
	v.announce("git plan stop was called: this ends after what is at work")
}

// Leave draws the last frame and nothing after it: the process ends at once.
func (v *View) Leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != nil {
		v.block.leave(v.rows(time.Now()))
	}
}

// Forget removes what is at work: another process works now.
func (v *View) Forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.board = board{}
}

// End stops showing and prints, if the work was this process's own, what was done and
// what it cost. Only the first call does anything.
func (v *View) End() {
	v.once.Do(func() {
		v.mu.Lock()
		v.board.stopping = v.board.stopping || v.own // what is still under way ends with the process
		v.mu.Unlock()
		v.Leave()
		if v.quit != nil {
			close(v.quit)
			v.drawn.Wait()
		}
		v.mu.Lock()
		text := v.board.summary(time.Now())
		v.mu.Unlock()
		if v.own && text != "" {
			fmt.Fprintln(v.Err, text)
		}
	})
}

// Tally counts what a view has shown.
type Tally struct {
	Sessions int
	Commits  int
	Commit   string // the last one, abbreviated
}

// Tally counts what was shown until now.
func (v *View) Tally() Tally {
	v.mu.Lock()
	defer v.mu.Unlock()
	return Tally{Sessions: v.board.sessions, Commits: v.board.commits, Commit: v.board.commit}
}

// Lend leaves the terminal to a person who is asked, or to git, which may ask for a passphrase,
// until giveBack is called.
func (v *View) Lend() (giveBack func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block == nil {
		return func() {}
	}
	v.block.hold()
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.block.release()
		v.draw("")
	}
}

// Asking returns ask as it is to be called while the view is shown.
func (v *View) Asking(ask func([]agent.Question) ([]string, error)) func([]agent.Question) ([]string, error) {
	if ask == nil {
		return nil
	}
	return func(questions []agent.Question) ([]string, error) {
		defer v.Lend()()
		return ask(questions)
	}
}

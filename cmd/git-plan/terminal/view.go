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

// View shows work to people: on a terminal as rows that are redrawn, elsewhere as lines with the time.
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

// NewView returns a view on err; out is where the command prints.
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

// canDraw reports whether rows can be redrawn on standard error.
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

func (v *View) draw(final string) { v.block.draw(final, v.rows(time.Now())) }

func (v *View) rows(now time.Time) []string {
	width, height := sizeOf(v.block.out)
	return v.board.rows(v.block.colors, now, width, height-1)
}

type above struct {
	v *View
	w io.Writer
}

func (a above) Write(p []byte) (int, error) {
	a.v.mu.Lock()
	defer a.v.mu.Unlock()
	return a.v.block.write(a.w, p)
}

func (v *View) Show(n journal.Notice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	heading := v.board.heading(n)
	ended := v.board.add(n)
	if heading != "" {
		v.print(n.Time, heading)
		if n.Kind == journal.SandboxKind {
			return // the heading has it
		}
	}
	if v.block != nil && onlyInRow(n) {
		return
	}
	if v.block != nil && ended != nil {
		width, _ := sizeOf(v.block.out)
		v.draw(ended.ended(v.block.colors, n, width))
		return
	}
	line := Lines(n)
	if below, ok := strings.CutPrefix(line, "  "); ok && v.board.jobs && n.Step != "" {
		line = "  " + n.Step + ": " + strings.TrimLeft(below, " ")
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
		return n.Reason == ""
	}
	return false
}

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
	fmt.Fprintf(v.Err, "%s %s\n", at.Format("15:04:05"), visible.Text(line))
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

// End stops showing, once, and prints a summary of the process's own work.
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

type Tally struct {
	Sessions int
	Commits  int
	Commit   string // the last one, abbreviated
}

func (v *View) Tally() Tally {
	v.mu.Lock()
	defer v.mu.Unlock()
	return Tally{Sessions: v.board.sessions, Commits: v.board.commits, Commit: v.board.commit}
}

// Lend leaves the terminal to a question, or to git, until giveBack is called.
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

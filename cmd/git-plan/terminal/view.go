package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// View shows work to people: on a terminal as rows that are redrawn, elsewhere as lines with the time.
type View struct {
	Out, Err io.Writer // writers for other output, which appears above the block

	own bool

	mu    sync.Mutex // guards the fields below, up to pages
	board board
	block *block // nil if nothing is redrawn
	once  sync.Once
	quit  chan struct{}
	drawn sync.WaitGroup

	pages sync.Mutex // held while a pager has the terminal
}

// Options say whose work a view shows, and how.
type Options struct {
	Own    bool   // this process does the work: the view ends when the work does
	Events bool   // programs read events from standard output
	Color  string // value of color.ui; "" if not set
}

// NewView returns a view that shows on err. The command prints on out.
func NewView(out, err io.Writer, o Options) *View {
	v := &View{Out: out, Err: err, own: o.Own}
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && os.Getenv("WT_SESSION") == ""
	toPrograms := o.Events && Is(os.Stdout)
	if err != os.Stderr || !Is(os.Stderr) || dumb || toPrograms ||
		os.Getenv("GITHUB_ACTIONS") != "" || os.Getenv("GIT_PLAN_TRACE") != "" {
		return v
	}
	size := func() (int, int) { return sizeOf(os.Stderr) }
	v.block, v.quit = &block{out: os.Stderr, size: size, colors: ColorsOf(os.Stderr, o.Color)}, make(chan struct{})
	v.Err = above{v, err}
	if out == os.Stdout && Is(os.Stdout) {
		v.Out = above{v, out}
	}
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
	return v
}

func (v *View) draw(final string) {
	width, height := v.block.size()
	now := time.Now()
	rows := v.board.rows(v.block.colors, now, width, height-2)
	if len(rows) > 0 {
		rows = append(rows, v.board.status(v.block.colors, now, width))
	}
	v.block.draw(final, rows)
}

// Drawn reports whether both outputs are a terminal on which rows are redrawn.
func (v *View) Drawn() bool { return v.block != nil && Is(os.Stdout) }

// above writes other output above the rows.
type above struct {
	v *View
	w io.Writer
}

func (a above) Write(p []byte) (int, error) {
	a.v.mu.Lock()
	defer a.v.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	a.v.block.draw("", nil)
	a.v.block.partial = p[len(p)-1] != '\n'
	return a.w.Write(p)
}

func (v *View) Show(n journal.Notice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != nil && n.Kind == journal.SandboxKind && n.Reason != "" { // the heading is to be one line
		n.Reason = map[string]string{"none": "git plan doctor says why"}[n.Text]
	}
	heading := v.board.heading(n)
	if v.block != nil {
		v.showAbove(n, heading)
		return
	}
	v.board.add(n)
	if n.Kind == journal.ReviewEnd && v.own { // the command prints the reason
		n.Text, _, _ = strings.Cut(n.Text, ": ")
	}
	if heading != nil {
		v.print(n.Time, strings.Join(heading, "   "))
		if n.Kind == journal.SandboxKind {
			return // the heading has it
		}
	}
	if line := v.board.lines(n, v.board.jobs); line != "" && !(v.board.repeats(n) && v.own) {
		v.print(n.Time, line)
	}
}

// showAbove draws the lines of a notice that stay above the rows.
func (v *View) showAbove(n journal.Notice, heading []string) {
	width, _ := v.block.size()
	c := v.block.colors
	text := v.board.kept(c, n, width) // first, since a round ends where the next one is added
	if ended := v.board.add(n); ended != nil {
		text = ended.ended(c, n, width)
	}
	if heading != nil {
		if n.Kind == journal.SandboxKind {
			text = "" // the heading has it
		}
		text = c.heading(heading, width) + text
	}
	if text != "" {
		v.draw(text)
	}
}

func (v *View) print(at time.Time, line string) {
	if os.Getenv("GITHUB_ACTIONS") == "true" { // whose runner takes "##[" anywhere in a line for a command
		line = strings.ReplaceAll(line, "##[", "# #[")
	}
	if v.block != nil {
		width, _ := v.block.size()
		v.draw(folded(width, line))
		return
	}
	fmt.Fprintf(v.Err, "%s %s\n", at.Format("15:04:05"), visible.Text(line))
}

// Announce shows a line; with the time, if nothing is redrawn.
func (v *View) Announce(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.print(time.Now(), line)
}

// Stopping shows, after the first Ctrl-C, what a second one does.
func (v *View) Stopping() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.board.stopping = true
	v.print(time.Now(), "stopping; what was done is kept; Ctrl-C again ends at once")
}

// Leave draws the last frame, which stays, with the cursor below it. Nothing is drawn later: the process ends.
func (v *View) Leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer proc.CloseKeyboard()
	b, last := v.block, ""
	if b == nil || b.over {
		return
	}
	if b.held == 0 { // otherwise a question, or git, has the terminal
		width, height := b.size()
		for _, row := range v.board.rows(b.colors, time.Now(), width, height-1) {
			last += row + "\n"
		}
	}
	if b.partial { // a question without an answer
		_, _ = b.out.WriteString("\r\n")
	}
	b.held, b.partial = 0, false
	b.draw(last, nil)
	b.over = true
}

// Forget removes running tasks: another process does the work now.
func (v *View) Forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.board = board{}
}

// End stops showing, once, and prints a summary of the process's own work.
func (v *View) End() {
	v.once.Do(func() {
		v.pages.Lock() // the end is not shown behind a pager
		v.pages.Unlock()
		v.mu.Lock()
		v.board.stopping = v.board.stopping || v.own // running sessions end with the process
		v.mu.Unlock()
		v.Leave()
		if v.quit != nil {
			close(v.quit)
			v.drawn.Wait()
		}
		v.mu.Lock()
		width, c := Endless, Colors{}
		if v.block != nil {
			width, _ = v.block.size()
			c = v.block.colors
		}
		text := v.board.verdict(c, time.Now(), width)
		ran := v.board.sessions > 0 || v.board.ending != ""
		v.mu.Unlock()
		if v.own && ran {
			fmt.Fprintln(v.Err, text)
		}
	})
}

// Sessions returns the number of sessions that were run.
func (v *View) Sessions() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.board.sessions
}

// Lend leaves the terminal to a question, or to git, until giveBack is called. It waits for the end of a pager.
func (v *View) Lend() (giveBack func()) {
	v.pages.Lock()
	defer v.pages.Unlock()
	return v.lend()
}

func (v *View) lend() (giveBack func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block == nil {
		return func() {}
	}
	v.block.draw("", nil)
	v.block.held++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.block.held--
		v.block.partial = false // the answer ended the line
		v.draw("")
	}
}

// Listen calls a function for each key, until the view ends, if rows are drawn. The key ? shows help in the last row.
func (v *View) Listen(help string, does map[byte]func()) {
	if !v.Drawn() || !Is(os.Stdin) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !proc.OpenKeyboard(int(os.Stdin.Fd()), v.lend) {
		return
	}
	v.board.keys = "? for keys"
	does['?'] = func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.board.keys, help = help, v.board.keys
	}
	v.drawn.Go(func() {
		for {
			select {
			case <-v.quit:
				return
			default:
				if do := does[proc.Key()]; do != nil {
					do()
				}
			}
		}
	})
}

// Page shows in a pager what print writes about the steps and sessions at work; with pager "", above the rows.
func (v *View) Page(ctx context.Context, pager string, print func(w io.Writer, atWork []string) error) {
	v.mu.Lock()
	asks := v.block.held > 0
	var names []string
	for _, t := range v.board.tasks {
		if name := cmp.Or(t.step, t.session); name != "" { // else git, or a check
			names = append(names, name)
		}
	}
	v.mu.Unlock()
	var err error
	switch show := func(w io.Writer) error { return print(w, names) }; {
	case asks:
	case pager == "":
		err = show(v.Out)
	default:
		v.pages.Lock()
		back := v.lend()
		err = Page(ctx, pager, show)
		back()
		v.pages.Unlock()
	}
	if err != nil {
		v.Announce(err.Error())
	}
}

package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// A frame is drawn at most once each frameTime, and while something is under way at
// least once each tickTime, so that the clock moves.
const (
	frameTime = 100 * time.Millisecond
	tickTime  = time.Second
)

// screen draws a board on a terminal: rows that stand go above, those that
// change are redrawn in place below, by one write each time and only where
// something changed.
//
// Between two frames the cursor rests on the first changing row. Wherever a
// terminal that is resized moves that row to, everything from there on is ours,
// however it wrapped; and a program that dies leaves the last frame. The cursor
// is never hidden, so nobody must bring it back. What is typed is not shown
// while there are rows: a line end would move the cursor off the first one.
type screen struct {
	out  *os.File
	look look
	size func() (width, height int)

	drawing sync.Mutex  // whoever writes to out; taken before mu
	frame   string      // on the screen below the cursor; empty: nothing of ours
	titled  string      // what the terminal's title says; empty: what it said before
	midst   bool        // what others wrote last did not end its line
	lent    int         // rows above the cursor, of a terminal that is lent
	muted   atomic.Bool // what is typed is not shown

	mu    sync.Mutex // guards what follows, and is never held while writing
	board board
	hold  int // nothing is drawn while a person is asked
	over  bool

	wake   chan struct{}
	quit   chan struct{}
	ending sync.Once
	ended  sync.WaitGroup
}

func newScreen(out *os.File, l look) *screen {
	s := &screen{out: out, look: l, wake: make(chan struct{}, 1), quit: make(chan struct{})}
	s.size = func() (int, int) { return sizeOf(out) }
	s.ended.Go(s.draw)
	s.ended.Go(func() { s.obeySignals(s.quit) })
	return s
}

// change changes the board and has it drawn soon.
func (s *screen) change(do func(*board)) {
	s.mu.Lock()
	do(&s.board)
	s.mu.Unlock()
	s.poke()
}

func (s *screen) poke() {
	select {
	case s.wake <- struct{}{}:
	default: // it will be drawn anyway
	}
}

// draw paints at the first change at once, and then no more often than frameTime.
func (s *screen) draw() {
	tick := time.NewTimer(tickTime)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-s.wake:
		case <-tick.C:
		}
		if s.paint() {
			tick.Reset(tickTime)
		} else {
			tick.Stop() // until something happens
		}
		select {
		case <-s.quit:
			return
		case <-time.After(frameTime):
		}
	}
}

// paint draws a frame if it differs from the last one, and reports whether the
// clock must go on moving.
func (s *screen) paint() bool {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	width, height := s.size()
	now := time.Now()
	s.mu.Lock()
	if s.hold > 0 || s.over || s.midst {
		s.mu.Unlock()
		return false
	}
	stand := s.board.take()
	busy, beat, title := s.board.busy(), int(now.Sub(s.board.began)/frameTime), s.board.title()
	lines := s.look.fit(s.board.rows(now, height-1), width, beat, height-1)
	lines = append(lines, s.look.fit(s.board.ahead(height-1-len(lines)), width, beat, height)...)
	s.mu.Unlock()
	if !proc.Foreground(int(s.out.Fd())) { // a shell has the terminal: only what is final is printed
		if len(stand) == 0 {
			return busy // not even to take away rows: its prompt may be there
		}
		lines, title = nil, ""
	}
	if title != "" {
		s.title(title)
	}
	if len(lines) > 0 {
		s.mute()
	} else {
		s.unmute()
	}
	s.write(stand, lines, width, beat, false)
	return busy
}

// mute shows nothing of what is typed while rows change. It is shown again at the
// end, even if a git plan that was killed had left the terminal mute.
func (s *screen) mute() {
	proc.Echo(int(s.out.Fd()), false)
	s.muted.Store(true)
}

// unmute shows again what is typed. A shell that has taken the terminal back has
// seen to that.
func (s *screen) unmute() {
	if s.muted.Swap(false) && proc.Foreground(int(s.out.Fd())) {
		proc.Echo(int(s.out.Fd()), true)
	}
}

// write puts rows that stand and lines that change on the screen. With leave the
// latter stay there too, and the cursor goes below.
func (s *screen) write(stand []row, lines []string, width, beat int, leave bool) {
	const lineEnd = "\x1b[K\r\n"
	frame := strings.Join(lines, lineEnd)
	if len(stand) == 0 && frame == s.frame && (!leave || frame == "") {
		return
	}
	var b bytes.Buffer
	b.WriteByte('\r') // whoever typed moved the cursor
	for _, r := range stand {
		b.WriteString(strings.ReplaceAll(s.look.draw(r, width, beat), "\n", lineEnd) + lineEnd)
	}
	b.WriteString(frame + "\x1b[K\x1b[J")
	switch {
	case leave && len(lines) > 0:
		b.WriteString("\r\n")
		frame = ""
	case len(lines) > 1:
		fmt.Fprintf(&b, "\r\x1b[%dA", len(lines)-1)
	default:
		b.WriteByte('\r')
	}
	s.frame = frame
	_, _ = s.out.Write(b.Bytes())
}

// above returns the writer for what others print: it goes above the rows that change.
func (s *screen) above(w io.Writer) io.Writer { return &aboveWriter{s, w} }

type aboveWriter struct {
	s *screen
	w io.Writer
}

func (a *aboveWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s := a.s
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.mu.Lock()
	stand, width := s.board.take(), 80
	s.mu.Unlock()
	if len(stand) > 0 {
		width, _ = s.size()
	}
	s.write(stand, nil, width, 0, false) // what changes is drawn again below
	n, err := a.w.Write(p)
	s.midst = p[len(p)-1] != '\n'
	s.poke()
	return n, err
}

// pause takes what changes off the screen, since a person is asked something
// there; resume brings it back.
func (s *screen) pause() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.mu.Lock()
	s.hold++
	stand := s.board.take()
	s.mu.Unlock()
	width, _ := s.size()
	s.write(stand, nil, width, 0, false)
	s.unmute()
}

func (s *screen) resume() {
	s.drawing.Lock()
	s.midst = false // the answer ended the line
	s.drawing.Unlock()
	s.mu.Lock()
	s.hold--
	s.mu.Unlock()
	s.poke()
}

// lend leaves the terminal to a program that may ask a person something there:
// below the rows, which stand still until it is given back.
func (s *screen) lend() (back func()) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if proc.Foreground(int(s.out.Fd())) {
		s.lent = s.last()
	}
	s.mu.Lock()
	s.hold++
	s.mu.Unlock()
	return func() {
		s.drawing.Lock()
		if s.lent > 0 {
			fmt.Fprintf(s.out, "\x1b[%dA", s.lent)
		}
		s.drawing.Unlock()
		s.resume()
	}
}

// last draws the last state, which stays there, puts the cursor below it, and
// returns how many rows it has that would change. Whoever draws calls it.
func (s *screen) last() int {
	defer s.unmute()
	width, height := s.size()
	now := time.Now()
	s.mu.Lock()
	stand, rows := s.board.take(), s.board.rows(now, height-1)
	if s.hold > 0 {
		rows = nil // they stand above already, or a question does
	}
	over, beat := s.over, int(now.Sub(s.board.began)/frameTime)
	s.mu.Unlock()
	if over {
		return 0
	}
	s.title("")
	if s.midst { // a question that nobody answered
		_, _ = s.out.WriteString("\r\n")
		s.midst = false
	}
	lines := s.look.fit(rows, width, beat, height-1)
	s.write(stand, lines, width, beat, true)
	return len(lines)
}

// suspend leaves the screen to a shell and stops. If the shell has it
// already (git, which waits for us, is stopped at the same moment as we are),
// only what is left of our rows behind its prompt is taken away. What comes
// after begins on a line of its own.
func (s *screen) suspend(stop func()) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if proc.Foreground(int(s.out.Fd())) {
		s.last()
	} else if s.frame != "" {
		_, _ = s.out.WriteString("\x1b[J")
	}
	s.frame, s.lent = "", 0
	stop()
}

// leave draws the last state, which stays there, and nothing after it. What is
// typed is shown again even if the terminal takes no text.
func (s *screen) leave() {
	s.unmute()
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.last()
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}

// end leaves the screen for good.
func (s *screen) end() {
	s.leave()
	s.ending.Do(func() {
		close(s.quit)
		s.ended.Wait()
	})
}

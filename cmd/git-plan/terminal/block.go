package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// redrawTime is the longest time between something that happens and the frame that shows it.
const redrawTime = 200 * time.Millisecond

// block is the part of a terminal that is redrawn, below the final lines; the view's lock guards it. Between two
// frames the cursor is on its first row, wherever a resized terminal moves that.
type block struct {
	out    *os.File
	size   func() (width, height int)
	colors Colors

	frame   string // on the screen, from the cursor on
	pending string // final lines that could not be printed yet
	held    int    // a question, or git, has the terminal
	partial bool   // the last write by others did not end its line
	over    bool
}

// draw prints final lines, and below them the rows, if they changed.
func (b *block) draw(final string, rows []string) {
	if b.held > 0 || b.partial || b.over {
		b.pending += final
		return
	}
	const lineEnd = "\x1b[K\r\n"
	final, b.pending = b.pending+final, ""
	if !proc.Foreground(int(b.out.Fd())) { // a shell has the terminal
		if final == "" {
			return
		}
		rows = nil
	}
	frame := strings.Join(rows, lineEnd)
	if final == "" && frame == b.frame {
		return
	}
	b.frame = frame
	text := "\r" + strings.ReplaceAll(final, "\n", lineEnd) + frame + "\x1b[K\x1b[J\r" // typing may have moved the cursor
	if len(rows) > 1 {
		text += fmt.Sprintf("\x1b[%dA", len(rows)-1)
	}
	_, _ = b.out.WriteString(text)
}

// write passes on what others print, above the rows.
func (b *block) write(w io.Writer, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b.draw("", nil)
	n, err := w.Write(p)
	b.partial = p[len(p)-1] != '\n'
	return n, err
}

// leave draws the last frame, which stays, with the cursor below it, and nothing after it.
func (b *block) leave(rows []string) {
	if b.over {
		return
	}
	if b.held > 0 {
		rows = nil
	}
	if b.partial { // a question without an answer
		_, _ = b.out.WriteString("\r\n")
	}
	b.held, b.partial = 0, false
	last := ""
	if len(rows) > 0 {
		last = strings.Join(rows, "\n") + "\n"
	}
	b.draw(last, nil)
	b.over = true
}

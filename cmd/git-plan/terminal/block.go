package terminal

import (
	"fmt"
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

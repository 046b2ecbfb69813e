package builtin

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// What one call of read_file returns at most.
const (
	readLines      = 400
	readBytes      = 32 << 10
	readLinesLarge = 1500
	readBytesLarge = 52 << 10
	readLineSize   = 2000 // bytes of one line
	maxOutline     = 60   // lines that are not shown
)

func runReadFile(ctx context.Context, w *workspace, v values) (string, error) {
	most, size := w.most(readLines), w.most(readBytes)
	if w.window >= largeWindow {
		most, size = readLinesLarge, readBytesLarge
	}
	limit := v.whole("limit", most)
	if limit <= 0 || limit > most {
		limit = most
	}
	file, content, _, err := w.open(ctx, v.text("path"))
	if err != nil {
		return "", err
	}
	w.know(file, content)
	if name := v.text("symbol"); name != "" {
		return definitions(content, name, size)
	}
	return numbered(content, v.whole("offset", 1), limit, size), nil
}

// numbered returns at most limit lines and about most bytes of a file, and names what is left out.
func numbered(content []byte, from, limit, most int) string {
	if len(content) == 0 {
		return "the file is empty"
	}
	lines := linesIn(content)
	from = max(1, from)
	if from > len(lines) {
		return fmt.Sprintf("the file has only %d lines", len(lines))
	}
	text, next := numberedLines(lines, from, from+limit, most)
	if next <= len(lines) {
		text += fmt.Sprintf("[%d of %d lines; go on with offset %d]\n", next-from, len(lines), next)
		if more := outline(lines, next, maxOutline); more != "" {
			text += "[what is defined further on, to be read by symbol]\n" + more
		}
	}
	return text
}

func linesIn(content []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}

// numberedLines returns the lines [from, to) with their numbers, of about most bytes, and the next line.
func numberedLines(lines [][]byte, from, to, most int) (text string, next int) {
	var b strings.Builder
	for next = from; next < min(to, len(lines)+1) && b.Len() < most; next++ {
		line := strings.ToValidUTF8(string(bytes.TrimSuffix(lines[next-1], []byte("\r"))), "\uFFFD")
		if len(line) > readLineSize {
			line = fmt.Sprintf("%s [... %d bytes more]", visible.Cut(line, readLineSize), len(line)-readLineSize)
		}
		fmt.Fprintf(&b, "%d|%s\n", next, line)
	}
	return b.String(), next
}

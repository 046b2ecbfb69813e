package visible

import (
	"fmt"
	"strings"
	"unicode"
)

// Runs of blanks of this length push what follows out of sight. Wide tables and deep
// indentation are shorter.
const (
	manyBlanks = 80
	manyLines  = 20
)

// Blanks returns a text with long runs of blanks, and of blank lines, replaced by a count: what
// follows 3000 of them is printed, and nobody sees it. It is for people; programs
// and files get every blank.
func Blanks(s string) string {
	var b strings.Builder
	empty, from, at := 0, 0, 0 // blank lines in a row, where they begin, where the line begins
	end := func() {
		if empty < manyLines {
			b.WriteString(s[from:at])
		} else {
			fmt.Fprintf(&b, "[%d blank lines]\n", empty)
		}
		empty = 0
	}
	for line := range strings.Lines(s) {
		if len(line) < manyBlanks && strings.TrimSpace(line) == "" {
			empty++
		} else {
			end()
			b.WriteString(blanksOf(line))
			from = at + len(line)
		}
		at += len(line)
	}
	end()
	return b.String()
}

// blanksOf returns one line with its long runs replaced by a count.
func blanksOf(line string) string {
	if len(line) < manyBlanks {
		return line
	}
	var b strings.Builder
	at, from, n := 0, 0, 0 // written up to, the run's start and its length
	end := func(to int) {
		if n >= manyBlanks {
			fmt.Fprintf(&b, "%s[%d blanks]", line[at:from], n)
			at = to
		}
		n = 0
	}
	for i, r := range line {
		if r != '\t' && !unicode.Is(unicode.Zs, r) {
			end(i)
			continue
		}
		if n == 0 {
			from = i
		}
		n++
	}
	end(len(line))
	return b.String() + line[at:]
}

package finding

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

// placed is a changed file while findings are given their places in it. A linter may have
// thousands in one file: what they all need is made once.
type placed struct {
	there   bool     // in Head, as an ordinary file
	data    []byte   // the file
	lines   []string // its lines
	diff    *diffs.FileDiff
	added   added
	symbols []string // of each line; nil until one is asked for
	quotes  map[int]string
	digests map[int]string // of the code around a line
}

func (p *placed) anchor(f *Finding) {
	symbol := ""
	if p != nil && p.there {
		if f.Rule == "" && f.Line == 0 {
			f.Line = lineOf(f.Quote, seen(p.data), p.added)
		}
		if f.Line > 0 {
			symbol = p.symbolAt(f.Line)
			f.Near = p.near(f.Line)
		}
	}
	if f.Unquoted() {
		symbol = notQuoted // so that what quotes old code does not replace the finding that was fixed there
	}
	if f.ID == "" {
		quote := normalise(f.Quote)
		if quote == "" {
			quote = normalise(f.Title)
		}
		f.ID = Fingerprint(f.Category, f.File, quote, symbol)
	}
}

// place quotes the line that a linter names, and reports whether the finding is
// about the change: lines of which it added one, or a changed file as a whole, as one that its
// linter cannot read. A line beyond what is kept of a large difference counts, since nobody
// knows.
func (p *placed) place(f *Finding) bool {
	last := max(f.Line, f.Last)
	f.Last = 0
	if p.diff == nil {
		return false
	}
	if !p.there || f.Line < 1 || f.Line > len(p.lines) {
		f.Line = 0
		return true
	}
	f.Quote = p.quote(f.Line)
	return p.added.touches(f.Line, last) || noFile[f.Category] || p.diff.Cut && last > lastHeld(p.diff)
}

// quote returns a line as findings quote it. Like what follows it is made once for each line:
// a file may be one long line, with thousands of findings.
func (p *placed) quote(line int) string {
	return once(p.quotes, line, func() string {
		return Block(strings.TrimSuffix(p.lines[line-1], "\r"), MaxQuote)
	})
}

// near returns the digest of the code around a line.
func (p *placed) near(line int) string {
	return once(p.digests, line, func() string { return near(p.lines, line) })
}

func once(known map[int]string, line int, of func() string) string {
	text, ok := known[line]
	if !ok {
		text = of()
		known[line] = text
	}
	return text
}

// symbolAt returns the nearest line at or above a line that begins in the first
// column with a letter, which is what git calls the function by default.
func (p *placed) symbolAt(line int) string {
	if p.symbols == nil {
		p.symbols = symbolsOf(p.lines)
	}
	if line < 1 || len(p.lines) == 0 {
		return ""
	}
	return p.symbols[min(line, len(p.lines))-1]
}

func symbolsOf(lines []string) []string {
	symbols, now := make([]string, len(lines)), ""
	for i, l := range lines {
		if l != "" && (l[0] == '_' || l[0] == '$' || l[0] >= 'a' && l[0] <= 'z' || l[0] >= 'A' && l[0] <= 'Z') {
			now = Cut(normalise(l), 80)
		}
		symbols[i] = now
	}
	return symbols
}

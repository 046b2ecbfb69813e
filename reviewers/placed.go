package reviewers

import (
	"cmp"
	"context"
	"slices"
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

func (t *Target) placed(ctx context.Context, path string) *placed {
	p := &placed{diff: changed(t.Diff, path), quotes: map[int]string{}, digests: map[int]string{}}
	if p.data, p.there = t.file(ctx, path); p.there {
		p.lines = strings.Split(string(p.data), "\n")
	}
	p.added = addedIn(p.diff)
	return p
}

// eachPlaced calls do for the findings, file by file, so that each file is read once and
// only one is kept in memory. A finding without a file comes without one.
func (t *Target) eachPlaced(ctx context.Context, all []Finding, do func(i int, file *placed)) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].File, all[b].File) })
	var file *placed
	for at, i := range order {
		if path := all[i].File; path != "" && (at == 0 || path != all[order[at-1]].File) {
			file = t.placed(ctx, path)
		}
		do(i, file)
	}
}

func pointers(list []Finding) []*Finding {
	all := make([]*Finding, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// quote returns a line as findings quote it. Like what follows it is made once for each line:
// a file may be one long line, with thousands of findings.
func (p *placed) quote(line int) string {
	return once(p.quotes, line, func() string {
		return block(strings.TrimSuffix(p.lines[line-1], "\r"), maxQuote)
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
			now = cut(normalise(l), 80)
		}
		symbols[i] = now
	}
	return symbols
}

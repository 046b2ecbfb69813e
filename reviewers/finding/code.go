package finding

import (
	"cmp"
	"github.com/git-plan/git-plan/gitplan/git"
	"slices"
	"strings"
)

// placed is a changed file while findings are given their places in it. A linter may have
// thousands in one file: what they all need is made once.
type placed struct {
	there   bool     // in Head, as an ordinary file
	data    []byte   // the file
	lines   []string // its lines
	diff    *git.FileDiff
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

// added are the numbers of the lines that a change added, in order.
type added []int

func addedIn(f *git.FileDiff) (lines added) {
	if f == nil {
		return nil
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == '+' {
				lines = append(lines, l.New)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// touches reports whether the change added one of the lines from first to last.
func (a added) touches(first, last int) bool {
	at, _ := slices.BinarySearch(a, first)
	return at < len(a) && a[at] <= last
}

// lastHeld returns the last line of a file that is kept of its difference.
func lastHeld(f *git.FileDiff) int {
	if len(f.Hunks) == 0 {
		return 0
	}
	h := f.Hunks[len(f.Hunks)-1]
	for _, l := range slices.Backward(h.Lines) {
		if l.New > 0 {
			return l.New
		}
	}
	return h.NewStart
}

// changed returns the part of the diff that is about one path; nil without one.
func changed(d *git.Diff, p string) *git.FileDiff {
	for i := range d.Files {
		if d.Files[i].Path == p {
			return &d.Files[i]
		}
	}
	return nil
}

// AddedBy reports whether a difference added one of the lines that the finding is about; for
// a finding without a line, whether it changed its file.
func (f *Finding) AddedBy(d *git.Diff) bool {
	file := changed(d, f.File)
	return file != nil && (f.Line == 0 || addedIn(file).touches(f.Line, f.Line+strings.Count(f.Quote, "\n")))
}

// Code is the code that findings are about: what a change did, and the files as it left
// them.
type Code struct {
	Diff *git.Diff
	// File reads an ordinary file of the new side; false if there is none.
	File func(path string) ([]byte, bool)
}

// Anchor gives findings what the program must know of them and a model cannot be trusted
// with: their lines, their identity, and a digest of the code around each.
func (c Code) Anchor(all []Finding) {
	c.eachPlaced(all, func(i int, file *placed) { file.anchor(&all[i]) })
}

// Now returns an earlier finding with the line at which its code is; 0: nowhere.
func (c Code) Now(f Finding) Finding {
	f.Line = 0
	one := []Finding{f}
	c.Anchor(one)
	return one[0]
}

// OfChange returns those findings of a linter that are about the change, each with the line
// that it names as its quote: the rest was there before.
func (c Code) OfChange(all []Finding) []Finding {
	about := make([]bool, len(all))
	c.eachPlaced(all, func(i int, file *placed) { about[i] = file == nil || file.place(&all[i]) })
	var out []Finding
	for i, f := range all {
		if about[i] {
			out = append(out, f)
		}
	}
	return out
}

// eachPlaced calls do for the findings, file by file, so that each file is read once and
// only one is kept in memory. A finding without a file comes without one.
func (c Code) eachPlaced(all []Finding, do func(i int, file *placed)) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].File, all[b].File) })
	var file *placed
	for at, i := range order {
		if path := all[i].File; path != "" && (at == 0 || path != all[order[at-1]].File) {
			file = c.placed(path)
		}
		do(i, file)
	}
}

func (c Code) placed(path string) *placed {
	p := &placed{diff: changed(c.Diff, path), quotes: map[int]string{}, digests: map[int]string{}}
	if p.data, p.there = c.File(path); p.there {
		p.lines = strings.Split(string(p.data), "\n")
	}
	p.added = addedIn(p.diff)
	return p
}

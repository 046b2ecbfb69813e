package finding

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Code is the code that findings are about: the diff of a change, and the files after it.
type Code struct {
	Diff *git.Diff
	// File reads a regular file of the new side; false if it does not exist.
	File func(path string) ([]byte, bool)
}

// Anchor sets the Line, Near and ID of findings, which models would get wrong.
func (c Code) Anchor(all []Finding) {
	c.eachFile(all, func(f *Finding, p *changedFile) {
		symbol := ""
		if p != nil && p.exists {
			if f.Rule == "" && f.Line == 0 {
				if p.search == nil {
					p.search = searchedIn(p.data)
				}
				f.Line = p.search.lineOf(f.Quote, p.added)
			}
			if f.Line > 0 {
				symbol, f.Near = p.symbolAt(f.Line), near(p.lines, f.Line)
			}
		}
		if f.Unquoted() {
			symbol = notQuoted // a quote of old code must not get the ID of the finding that was fixed there
		}
		f.ID = cmp.Or(f.ID, Fingerprint(f.Category, f.File, cmp.Or(normalise(f.Quote), normalise(f.Title)), symbol))
	})
}

// Misquoted returns an error for the quotes that are not in their files, with the most similar lines there.
func (c Code) Misquoted(all []Finding) error {
	var wrong []error
	all = slices.Clone(all)
	c.Anchor(all)
	for i, f := range all {
		if !f.Unquoted() || f.Quote == "" {
			continue
		}
		data, exists := c.File(f.File)
		lines, quoted := strings.Split(string(data), "\n"), strings.Split(f.Quote, "\n")
		what := "; copy the text exactly"
		if at := visible.Closest(lines, quoted); at >= 0 {
			what = "; the closest lines are\n" + Cut(strings.Join(lines[at:at+len(quoted)], "\n"), MaxQuote)
		} else if !exists {
			what = ", which is not there"
		}
		wrong = append(wrong, fmt.Errorf("findings[%d]: its quote is not in %s%s", i, ShowPath(f.File), what))
	}
	return errors.Join(wrong...)
}

// Now returns an earlier finding with the present line of its code; 0 if the code is gone.
func (c Code) Now(f Finding) Finding {
	f.Line = 0
	one := []Finding{f}
	c.Anchor(one)
	return one[0]
}

// OfChange returns the findings of a linter about added lines, or about a changed file as a whole, with the named lines
// as quotes. If the diff of a file is incomplete, each of its lines may be an added one.
func (c Code) OfChange(all []Finding) (out []Finding) {
	known := map[string]bool{"": true} // other files need not be read: a linter may name thousands
	for i := range c.Diff.Files {
		known[c.Diff.Files[i].Path] = true
	}
	all = slices.DeleteFunc(all, func(f Finding) bool { return !known[f.File] })
	c.eachFile(all, func(f *Finding, p *changedFile) {
		about, last := p == nil, max(f.Line, f.Last)
		f.Last = 0
		switch {
		case p == nil:
		case !p.exists || f.Line < 1 || f.Line > len(p.lines):
			f.Line, about = 0, true
		default:
			f.Quote = Block(Cut(strings.TrimSuffix(p.lines[f.Line-1], "\r"), 2*MaxQuote), MaxQuote)
			about = p.added.touches(f.Line, last) || noFile[f.Category] || p.diff.Cut
		}
		if about {
			out = append(out, *f)
		}
	})
	return out
}

// eachFile calls do for each finding; file is nil for a finding without one.
func (c Code) eachFile(all []Finding, do func(f *Finding, file *changedFile)) {
	files := map[string]*changedFile{"": nil}
	for i, f := range all {
		file, known := files[f.File]
		if !known {
			file = &changedFile{diff: diffOf(c.Diff, f.File)}
			file.added = addedIn(file.diff)
			file.data, file.exists = c.File(f.File)
			file.lines = strings.Split(string(file.data), "\n")
			files[f.File] = file
		}
		do(&all[i], file)
	}
}

// changedFile is a file with findings. A linter may have thousands, so what they share is computed once.
type changedFile struct {
	exists  bool // Code.File found it
	data    []byte
	lines   []string
	diff    *git.FileDiff
	added   added
	search  *searched // the index for quotes; nil until the first quote
	symbols []string  // the symbol of each line; nil until the first symbolAt
}

// symbolAt returns the nearest line at or above a line that begins with a letter, like git's default for hunk headers.
func (p *changedFile) symbolAt(line int) string {
	if p.symbols == nil {
		p.symbols = make([]string, len(p.lines))
		now := ""
		for i, l := range p.lines {
			if l != "" && (l[0] == '_' || l[0] == '$' || l[0] >= 'a' && l[0] <= 'z' || l[0] >= 'A' && l[0] <= 'Z') {
				now = Cut(normalise(l), 80)
			}
			p.symbols[i] = now
		}
	}
	return p.symbols[min(line, len(p.lines))-1]
}

// near returns a digest of the code within ten lines. A dismissal is valid while it stays the same. Long lines are cut.
func near(lines []string, line int) string {
	from, to := max(0, line-11), min(len(lines), line+10)
	text := ""
	for _, l := range lines[min(from, to):to] {
		text += Cut(l, 1000) + " "
	}
	return digest(normalise(text))
}

// added is the numbers of a file's added lines, sorted.
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

func (a added) touches(first, last int) bool {
	at, _ := slices.BinarySearch(a, first)
	return at < len(a) && a[at] <= last
}

func diffOf(d *git.Diff, p string) *git.FileDiff {
	if i := slices.IndexFunc(d.Files, func(f git.FileDiff) bool { return f.Path == p }); i >= 0 {
		return &d.Files[i]
	}
	return nil
}

// AddedBy reports whether a diff added one of the finding's lines or, for a finding without a line, changed its file.
func (f *Finding) AddedBy(d *git.Diff) bool {
	file := diffOf(d, f.File)
	return file != nil && (f.Line == 0 || addedIn(file).touches(f.Line, f.Line+strings.Count(f.Quote, "\n")))
}

// nearby is the maximum number of lines between two quotes of the same place.
const nearby = 3

// searched is an index of a text for quotes: its non-blank lines, without hidden characters.
type searched struct {
	lines  []string
	number []int // the line number of each, from 1
}

func searchedIn(data []byte) *searched {
	s := &searched{}
	for i, l := range strings.Split(visible.Without(string(data)), "\n") {
		if l = normalise(l); l != "" {
			s.lines, s.number = append(s.lines, l), append(s.number, i+1)
		}
	}
	return s
}

// lineOf returns the line at which a quote begins; 0 if it is not in the text. The quote may leave out a few lines, and
// may have the marks of a diff. An added place wins over others; a short quote must occur only once.
func (s *searched) lineOf(quote string, change added) int {
	for _, q := range []string{quote, unmarked(quote)} {
		at := s.find(q, 0)
		if len(at) == 0 {
			at = s.find(q, nearby)
		}
		if len(at) == 0 || len(at) > 1 && short(q) {
			continue
		}
		more := strings.Count(strings.TrimSpace(q), "\n")
		return at[max(0, slices.IndexFunc(at, func(first int) bool { return change.touches(first, first+more) }))]
	}
	return 0
}

func unmarked(quote string) string {
	lines := strings.Split(strings.Trim(quote, "\n"), "\n")
	for i, l := range lines {
		if l == "" || l[0] != '+' && l[0] != ' ' {
			return ""
		}
		lines[i] = l[1:]
	}
	return strings.Join(lines, "\n")
}

// find returns the numbers of the lines at which a quote begins, with at most gap other lines between two of its lines.
func (s *searched) find(quote string, gap int) (at []int) {
	want := searchedIn([]byte(quote)).lines
	for i := range s.lines {
		k, from := 0, i // where line k of the quote may be
		for to := i + 1; k < len(want); k++ {
			found := slices.IndexFunc(s.lines[from:min(to, len(s.lines))], func(l string) bool { return isLine(want, k, l) })
			if found < 0 {
				break
			}
			from += found + 1
			to = from + 1 + gap
		}
		if k > 0 && k == len(want) {
			at = append(at, s.number[i])
		}
	}
	return at
}

func isLine(want []string, k int, l string) bool {
	switch last := len(want) - 1; {
	case last == 0:
		return strings.Contains(l, want[0])
	case k == 0:
		return strings.HasSuffix(l, want[0])
	case k == last:
		return strings.HasPrefix(l, want[k])
	}
	return l == want[k]
}

// Quotes reports whether a file contains a quote. It is false for a quote that is too short.
func Quotes(quote string, data []byte) bool {
	return !short(quote) && searchedIn(data).lineOf(quote, nil) > 0
}

package reviewers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// anchor gives a finding what the program must know of it and a model cannot
// be trusted with: its line, its identity, and a digest of the code around it.
func (t *Target) anchor(ctx context.Context, f *Finding) {
	symbol := ""
	if data, ok := t.file(ctx, f.File); ok {
		lines := strings.Split(string(data), "\n")
		if f.Rule == "" && f.Line == 0 {
			f.Line = lineOf(f.Quote, seen(data), changed(t.Diff, f.File))
		}
		if f.Line > 0 {
			symbol = symbolAt(lines, f.Line)
			f.Near = near(lines, f.Line)
		}
	}
	if f.unquoted() {
		symbol = notQuoted // so that what quotes old code does not take the place of the finding that was fixed there
	}
	if f.ID == "" {
		quote := normalise(f.Quote)
		if quote == "" {
			quote = normalise(f.Title)
		}
		f.ID = fingerprint(f.Category, f.File, quote, symbol)
	}
}

// now is an earlier finding at the line where its code stands in Head; 0: nowhere.
func (t *Target) now(ctx context.Context, f Finding) Finding {
	f.Line = 0
	t.anchor(ctx, &f)
	return f
}

// fingerprint identifies a finding by what it is about. No line number and no
// prose: both change while the finding stays the same. (Only where nothing is
// quoted does its title stand in for the quote.)
func fingerprint(category, path, quote, symbol string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{category, path, quote, symbol}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// normalise makes quotes comparable: white space is one blank.
func normalise(s string) string { return strings.Join(strings.Fields(s), " ") }

// seen are the lines of a file as a quote of them is kept: without what is hidden.
func seen(data []byte) []string { return strings.Split(visible.Without(string(data)), "\n") }

// lineOf finds the line of a file, from 1, at which a quote begins: as it
// stands, else without regard to white space, else with some lines put between
// its own; else without the marks of a diff.
// Of several places one that the change added wins; a short quote has to have one
// place only. 0 means nowhere.
func lineOf(quote string, lines []string, diff *git.FileDiff) int {
	for _, q := range []string{quote, unmarked(quote)} {
		if normalise(q) == "" {
			continue
		}
		at := exact(q, lines)
		for gap := 0; len(at) == 0 && gap <= nearby; gap += nearby {
			at = loose(q, lines, gap)
		}
		if len(at) == 1 || len(at) > 1 && !short(q) {
			return preferAdded(at, strings.Count(strings.TrimSpace(q), "\n"), diff)
		}
	}
	return 0
}

// short reports whether a quote by itself says nothing: a brace is in every file.
func short(quote string) bool { return len(normalise(quote)) < 3 }

// unmarked takes away the plus or blank with which a diff begins its lines; a
// quote without one on every line stays out of it.
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

func exact(quote string, lines []string) []int {
	quote = strings.Trim(quote, "\n")
	want := strings.Split(quote, "\n")
	var at []int
	for i := range lines {
		if i+len(want) <= len(lines) && strings.Contains(joinCR(lines[i:i+len(want)]), quote) {
			at = append(at, i+1)
		}
	}
	return at
}

func joinCR(lines []string) string {
	return strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\r\n", "\n")
}

// loose finds a quote whose lines stand in their order, with at most gap others
// between two of them. The first may begin, and the last end, inside a line.
func loose(quote string, lines []string, gap int) []int {
	var want []string
	for _, l := range strings.Split(quote, "\n") {
		if n := normalise(l); n != "" {
			want = append(want, n)
		}
	}
	var have []string
	var number []int
	for i, l := range lines {
		if n := normalise(l); n != "" {
			have, number = append(have, n), append(number, i+1)
		}
	}
	var at []int
	for i := range have {
		k, from := 0, i // where line k of the quote may stand
		for to := i + 1; k < len(want); k++ {
			found := slices.IndexFunc(have[from:min(to, len(have))], func(h string) bool { return isLine(want, k, h) })
			if found < 0 {
				break
			}
			from += found + 1
			to = from + 1 + gap
		}
		if k == len(want) {
			at = append(at, number[i])
		}
	}
	return at
}

// isLine reports whether h is line k of a quote.
func isLine(want []string, k int, h string) bool {
	switch last := len(want) - 1; {
	case last == 0:
		return strings.Contains(h, want[0])
	case k == 0:
		return strings.HasSuffix(h, want[0])
	case k == last:
		return strings.HasPrefix(h, want[k])
	}
	return h == want[k]
}

func preferAdded(at []int, more int, diff *git.FileDiff) int {
	if diff != nil {
		for _, first := range at {
			if touches(diff, first, first+more) {
				return first
			}
		}
	}
	return at[0]
}

// touches reports whether the change added one of the lines from first to last.
func touches(f *git.FileDiff, first, last int) bool {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == '+' && l.New >= first && l.New <= last {
				return true
			}
		}
	}
	return false
}

// symbolAt is the nearest line at or above line that begins in the first
// column with a letter, which is what git calls the function by default.
func symbolAt(lines []string, line int) string {
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if l := lines[i]; l != "" && (l[0] == '_' || l[0] == '$' || l[0] >= 'a' && l[0] <= 'z' || l[0] >= 'A' && l[0] <= 'Z') {
			return cut(normalise(l), 80)
		}
	}
	return ""
}

// near is a digest of the code within ten lines, without its white space: a
// dismissed finding stays dismissed while it is the same.
func near(lines []string, line int) string {
	from, to := max(0, line-11), min(len(lines), line+10)
	sum := sha256.Sum256([]byte(normalise(strings.Join(lines[from:to], " "))))
	return hex.EncodeToString(sum[:6])
}

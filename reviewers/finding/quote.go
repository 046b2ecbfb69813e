package finding

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// nearby is how many lines may lie between two quotes of the same place.
const nearby = 3

// searched is a text in which quotes are looked for: its non-blank lines, without hidden characters.
type searched struct {
	lines  []string
	number []int // of each, from 1
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

// lineOf returns the line at which a quote begins; 0: nowhere. It may have a few other lines between its own, or the
// marks of a diff. Of several places one that the change added wins; a short quote has to have one place only.
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

// find returns where the lines of a quote come in order, with at most gap others between two of them.
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

// Quotes reports whether a text, unless it is too short, is quoted from a file.
func Quotes(quote string, data []byte) bool {
	return !short(quote) && searchedIn(data).lineOf(quote, nil) > 0
}

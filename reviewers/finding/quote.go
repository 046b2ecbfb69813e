package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// lineOf returns the line of a file, from 1, at which a quote begins: exactly, else
// ignoring white space, else with a few other lines between its own, else without the
// marks of a diff.
// Of several places one that the change added wins; a short quote has to have one
// place only. 0 means nowhere.
func lineOf(quote string, lines []string, change added) int {
	for _, q := range []string{quote, unmarked(quote)} {
		if normalise(q) == "" {
			continue
		}
		at := exact(q, lines)
		for gap := 0; len(at) == 0 && gap <= nearby; gap += nearby {
			at = loose(q, lines, gap)
		}
		if len(at) == 1 || len(at) > 1 && !short(q) {
			return preferAdded(at, strings.Count(strings.TrimSpace(q), "\n"), change)
		}
	}
	return 0
}

// nearby is how many lines may lie between two quotes of the same place.
const nearby = 3

// unmarked removes the plus or blank with which a diff begins its lines; "" unless every
// line of the quote has one.
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

func exact(quote string, lines []string) (at []int) {
	quote = strings.Trim(quote, "\n")
	rest := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\r\n", "\n")
	for number := 1; ; number++ {
		found := strings.Index(rest, quote)
		if found < 0 || number > len(lines) {
			return at
		}
		number += strings.Count(rest[:found], "\n")
		at = append(at, number)
		_, rest, _ = strings.Cut(rest[found:], "\n")
	}
}

// loose finds a quote whose lines come in their order, with at most gap others
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
		k, from := 0, i // where line k of the quote may be
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

func preferAdded(at []int, more int, change added) int {
	for _, first := range at {
		if change.touches(first, first+more) {
			return first
		}
	}
	return at[0]
}

// seen returns the lines of a file as quotes of them are kept: without hidden characters.
func seen(data []byte) []string { return strings.Split(visible.Without(string(data)), "\n") }

// near returns a digest of the code within ten lines, without its white space: a
// dismissed finding stays dismissed while that is the same.
func near(lines []string, line int) string {
	from, to := max(0, line-11), min(len(lines), line+10)
	sum := sha256.Sum256([]byte(normalise(strings.Join(lines[from:to], " "))))
	return hex.EncodeToString(sum[:6])
}

// Quotes reports whether a text is quoted from a file. One that is too short to mean
// anything is quoted from none.
func Quotes(quote string, data []byte) bool {
	return !short(quote) && lineOf(quote, seen(data), nil) > 0
}

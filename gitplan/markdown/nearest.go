package markdown

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the name that a misspelt word may mean, or "": at most two edits away,
// fewer for a short word, without regard to case.
func Nearest(word string, names []string) string {
	const longest = 200 // the time is that of the lengths, multiplied
	best, at := "", min(3, utf8.RuneCountInString(word)/2+1)
	if len(word) > longest {
		return best
	}
	for _, name := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(word)); d < at {
			best, at = name, d
		}
	}
	return best
}

// Near reports whether a word is at most so many edits away from a name. It compares the
// lengths first, since a word can be as long as a text.
func Near(name, word string, most int) bool {
	if len(word) > utf8.UTFMax*(len(name)+most) {
		return false
	}
	gap := len(name) - utf8.RuneCountInString(word)
	return -most <= gap && gap <= most && distance(name, word) <= most
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

package reviewers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// The limits of a foreign text, in bytes. A longer path is none; all others are cut.
const (
	maxPath  = 4096 // Linux's own limit
	maxTitle = 200
	maxText  = 4000
	maxQuote = 4000
)

// line makes one bounded line of a foreign text.
func line(s string, limit int) string {
	return cut(strings.Join(strings.Fields(block(s, 2*limit)), " "), limit)
}

// asIs returns such a line with every blank unchanged: one more or fewer would make it
// another command.
func asIs(s string, limit int) string {
	return strings.ReplaceAll(block(s, limit), "\n", " ")
}

// block bounds a foreign text and takes out what a terminal would act on, what nobody
// would see, and credentials: an answer is masked as it comes, but here it is decoded.
func block(s string, limit int) string {
	return cut(visible.Without(rules.Mask(strings.ReplaceAll(s, "\r\n", "\n"))), limit)
}

// cut shortens a text to at most limit bytes, at a character.
func cut(s string, limit int) string { return visible.Cut(s, limit) }

// showPath returns a path so that nothing in it can pass for anything else.
func showPath(p string) string {
	if clean := line(p, maxPath); clean != p {
		return strconv.Quote(p)
	}
	return p
}

// kebab makes a category comparable: lower case, words joined by dashes.
func kebab(s string) string {
	words := strings.FieldsFunc(strings.ToLower(cut(s, 60)), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}

// normalise makes quotes comparable: white space is one blank.
func normalise(s string) string { return strings.Join(strings.Fields(s), " ") }

// short reports whether a quote is too short to mean anything: a brace is in every file.
func short(quote string) bool { return len(normalise(quote)) < 3 }

// count returns a number of things in words: "1 round", "2 rounds".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

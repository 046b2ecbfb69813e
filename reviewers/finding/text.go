package finding

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// The limits of a foreign text, in bytes. A longer path is not a path; all others are cut.
const (
	maxPath  = 4096 // Linux's own limit
	MaxTitle = 200
	MaxText  = 4000
	MaxQuote = 4000
)

// Line returns a foreign text as one bounded line.
func Line(s string, limit int) string {
	return Cut(strings.Join(strings.Fields(Block(s, 2*limit)), " "), limit)
}

// AsIs returns one bounded line with every blank unchanged, as commands need it.
func AsIs(s string, limit int) string {
	return strings.ReplaceAll(Block(s, limit), "\n", " ")
}

// Block bounds a foreign text and removes control characters, hidden ones, and credentials that only decoding shows.
func Block(s string, limit int) string {
	return Cut(visible.Without(secret.Mask(strings.ReplaceAll(s, "\r\n", "\n"))), limit)
}

// Cut shortens a text to at most limit bytes, at a character.
func Cut(s string, limit int) string { return visible.Cut(s, limit) }

// ShowPath returns a path for output: quoted if it has unusual characters.
func ShowPath(p string) string {
	if clean := Line(p, maxPath); clean != p {
		return strconv.Quote(p)
	}
	return p
}

// Kebab makes a category comparable: lower case, words joined by dashes.
func Kebab(s string) string {
	words := strings.FieldsFunc(strings.ToLower(Cut(s, 60)), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}

func normalise(s string) string { return strings.Join(strings.Fields(s), " ") }

func short(quote string) bool { return len(normalise(quote)) < 3 }

// Count returns a number of things in words: "1 round", "2 rounds".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Some returns the first of some paths or names, as they are printed, and how many more there are.
func Some(list []string, most int) string {
	var shown []string
	for _, s := range list[:min(len(list), most)] {
		shown = append(shown, ShowPath(s))
	}
	text := strings.Join(shown, ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// InRepository reports whether p can be a path inside a repository, and not in git's own folder.
func InRepository(p string) bool {
	if p == "" || len(p) > maxPath || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") ||
		strings.ContainsAny(p, "\x00") {
		return false
	}
	first, _, _ := strings.Cut(p, "/")
	return p != "." && !strings.EqualFold(first, ".git")
}

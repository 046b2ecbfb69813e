package secret

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Mask replaces the credentials in a text; JSON stays JSON. Invisible characters that hide one are removed.
func Mask(text string) string {
	found := In(text)
	clean := visible.Without(text)
	if clean == text {
		return without(text, found)
	}
	across := In(clean)
	if len(across) == 0 {
		return without(text, found)
	}
	text = without(clean, across)
	for _, c := range found { // one that such a character ended
		text = strings.ReplaceAll(text, visible.Without(c.Value), "[redacted]")
	}
	return text
}

func without(text string, found []Secret) string {
	slices.SortFunc(found, func(a, b Secret) int { return a.From - b.From })
	var b strings.Builder
	at := 0
	for _, c := range found {
		if c.From >= at { // else two formats share it
			b.WriteString(text[at:c.From] + "[redacted]")
		}
		at = max(at, c.To)
	}
	return b.String() + text[at:]
}

// Abridged returns a secret's first four characters and its length.
func Abridged(value string) string {
	if len(value) <= 8 {
		return fmt.Sprintf("… %d characters", len(value))
	}
	return fmt.Sprintf("%s… %d characters", strings.ToValidUTF8(value[:4], "?"), len(value))
}

package plan

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// lookalikeKey returns the field's key that the beginning of a text looks like, if it is
// written with letters of another script or another sign for the colon.
func lookalikeKey(text string) (key string, ok bool) {
	const longest = 100 // bytes
	text = visible.Cut(text, longest)
	folded := visible.Latin(text)
	key, _, found := strings.Cut(folded, ":")
	key = strings.Trim(key, "*_ \t")
	return key, found && folded != text && FieldName(key) != ""
}

// otherSign returns a sentence about the first sign of a text that looks like an ASCII one
// and is not.
func otherSign(text string) string {
	for _, r := range text {
		if to := visible.LatinOf(r); to != 0 {
			return fmt.Sprintf("`%c` looks like `%c` here, but is another character (U+%04X)", r, to, r)
		}
	}
	return ""
}

package plan

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// lookalikeKey returns the key of a field that the beginning of a text is drawn like, though
// letters of another script stand in it, or another sign for its colon.
func lookalikeKey(text string) (key string, ok bool) {
	const longest = 100 // bytes
	text = visible.Cut(text, longest)
	folded := visible.Latin(text)
	key, _, found := strings.Cut(folded, ":")
	key = strings.Trim(key, "*_ \t")
	return key, found && folded != text && FieldName(key) != ""
}

// otherSign returns which sign of a text is not the one that it is drawn like.
func otherSign(text string) string {
	for _, r := range text {
		if to := visible.LatinOf(r); to != 0 {
			return fmt.Sprintf("`%c` is drawn like `%c` here, and is another sign (U+%04X)", r, to, r)
		}
	}
	return ""
}

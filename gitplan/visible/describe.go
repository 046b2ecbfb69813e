package visible

import (
	"fmt"
	"slices"
	"strings"
)

// tags is where Unicode repeats ASCII as letters that nobody sees, but that a
// model may read.
const tags = 0xe0000

// Describe names what is hidden in a text, and what tag letters in it spell; "" if all of
// it can be seen.
func Describe(s string) string {
	const most = 5 // names
	var names []string
	var spelled strings.Builder
	more := 0
	for _, r := range Hidden(s) {
		if r >= tags+' ' && r < tags+0x7f {
			spelled.WriteRune(r - tags)
			continue
		}
		if name := fmt.Sprintf("%U", r); !slices.Contains(names, name) {
			if len(names) < most {
				names = append(names, name)
			} else {
				more++
			}
		}
	}
	if more > 0 {
		names = append(names, "more")
	}
	if text := spelled.String(); text != "" {
		const longest = 200
		short := Cut(text, longest)
		if short != text {
			short += "…"
		}
		names = append(names, fmt.Sprintf("tag letters that spell %q", short))
	}
	return strings.Join(names, ", ")
}

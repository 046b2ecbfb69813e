package gitplan

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Compare shows how a plan's text changed, line by line, the changed ones
// only: "-" what was, "+" what is.
func Compare(before, after []byte) string {
	d := diffmatchpatch.New()
	a, b, lines := d.DiffLinesToChars(string(before), string(after))
	var out strings.Builder
	for _, part := range d.DiffCharsToLines(d.DiffMain(a, b, false), lines) {
		sign := "-"
		switch part.Type {
		case diffmatchpatch.DiffEqual:
			continue
		case diffmatchpatch.DiffInsert:
			sign = "+"
		}
		for _, line := range strings.Split(strings.TrimSuffix(part.Text, "\n"), "\n") {
			fmt.Fprintf(&out, "%s%s\n", sign, line)
		}
	}
	return out.String()
}

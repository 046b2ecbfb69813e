package testcode

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

var (
	returns     = pattern.Of(`^(?:return;?|return None|return (?:\w+\.end|done)\(\);?)$`)
	returnsHere = pattern.Of(`[{):] *return;? *\}?$`)
)

// Returning finds the tests of a file that never reach their end, by test.
func Returning(ext string, data []byte) (found []Found) {
	lines := strings.Split(string(data), "\n")
	for _, t := range Of(ext, data) {
		if at := deadAfter(lines, t.Line); at > 0 {
			found = append(found, Found{Line: at, Quote: strings.TrimSuffix(lines[at-1], "\r"), Name: t.Name, Title: "a test returns before it does anything"})
		}
	}
	return found
}

// deadAfter returns the line of a return in the body of the function whose first line is before
// lines[from], if more statements of that body follow; 0 if there is none. Only what is indented
// like the body is part of it, and no text of several lines.
func deadAfter(lines []string, from int) (at int) {
	depth, base, quoted, always := Indent(lines[from-1]), -1, false, false
	for i := from; i < len(lines); i++ {
		t := strings.TrimSpace(lines[i])
		in := quoted
		if strings.Count(t, "`")%2+strings.Count(t, `"""`)%2+strings.Count(t, "'''")%2 == 1 {
			quoted = !quoted
		}
		d := Indent(lines[i])
		switch {
		case in || t == "" || IsComment(t) || t == "{":
			continue
		case d <= depth:
			return 0
		case base < 0:
			base = d
		}
		switch {
		case d > base:
			if always && at == 0 && returns.MatchString(t) {
				at = i + 1
			}
			always = false
		case strings.Trim(t, "})];,") == "" || at > 0 && strings.HasPrefix(t, "function "):
		case strings.HasPrefix(strings.TrimLeft(t, "} "), "else"):
			at = 0
		case at > 0:
			return at
		case returns.MatchString(t):
			at = i + 1
		default:
			if always = AlwaysHolds(t); always && returnsHere.MatchString(t) {
				at = i + 1
			}
		}
	}
	return 0
}

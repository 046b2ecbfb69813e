package checked

import "strings"

// longest is how many bytes one expansion may make: variables that name each other
// several times grow with every level.
const longest = 1 << 16

const (
	allExpanded  = 16 << 20 // bytes that all expansions of a Makefile may make
	mostPatterns = 1_000    // rules that are tried on each target
)

// expand replaces variables by their values if they are known.
func (m *makefile) expand(text string) string {
	left := min(longest, m.left)
	if len(text) > left || !strings.Contains(text, "$") {
		return text
	}
	room := left
	text = m.expanded(text, 0, &left)
	m.left -= room - max(left, 0)
	return text
}

func (m *makefile) expanded(text string, deep int, left *int) string {
	if deep > deepest {
		return text
	}
	return makeValue.ReplaceAllStringFunc(text, func(use string) string {
		v := m.vars[use[2:len(use)-1]]
		if v == nil {
			return use
		}
		said := v.lines[len(v.lines)-1] // of a conditional one, the last
		if *left -= len(said) + 1; *left < 0 {
			return use
		}
		return m.expanded(said, deep+1, left)
	})
}

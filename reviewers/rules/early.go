package rules

import (
	"bytes"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// earlyReturns finds the tests of a file that now return, whatever holds, before what they did:
// at the top, or after the set-up. Such a test proves nothing, and only a step that names the
// file may ask for it.
func earlyReturns(c *Change, f *subject) []Hit {
	if !f.test || f.Binary || f.Status == 'D' || f.OldOID == f.NewOID || definition(f.Path) == nil {
		return nil
	}
	now, ok := blob(c, f.NewOID)
	if !ok || len(now) > maxRead || !bytes.Contains(now, []byte("return")) {
		return nil
	}
	old, _ := blob(c, f.OldOID)
	had, was := map[string]bool{}, map[string]bool{}
	for _, t := range testsOf(f.OldPath, old) {
		was[t.name] = true
	}
	for _, h := range returnsOf(f.OldPath, old) {
		had[h.Key] = true
	}
	var hits []Hit
	for _, h := range returnsOf(f.Path, now) {
		if had[h.Key] {
			continue
		}
		if h.Path = f.Path; c.Plan == nil && !was[h.Key] {
			h.Severity = "medium"
		}
		hits = append(hits, h)
	}
	return hits
}

var (
	returns     = pattern.Of(`^(?:return;?|return None|return (?:\w+\.end|done)\(\);?)$`)
	returnsHere = pattern.Of(`[{):] *return;? *\}?$`)
)

// returnsOf finds the tests of a file that never reach their end, by test.
func returnsOf(path string, data []byte) (hits []Hit) {
	lines := strings.Split(string(data), "\n")
	for _, t := range testsOf(path, data) {
		if at := deadAfter(lines, t.line); at > 0 {
			hits = append(hits, Hit{Line: at, Quote: strings.TrimSuffix(lines[at-1], "\r"), Key: t.name, Title: "a test returns before it does anything"})
		}
	}
	return hits
}

// deadAfter returns the line of a return in the body of the function whose first line is before
// lines[from], if more statements of that body follow; 0 if there is none. Only what is indented
// like the body is part of it, and no text of several lines.
func deadAfter(lines []string, from int) (at int) {
	depth, base, quoted, always := indent(lines[from-1]), -1, false, false
	for i := from; i < len(lines); i++ {
		t := strings.TrimSpace(lines[i])
		in := quoted
		if strings.Count(t, "`")%2+strings.Count(t, `"""`)%2+strings.Count(t, "'''")%2 == 1 {
			quoted = !quoted
		}
		d := indent(lines[i])
		switch {
		case in || t == "" || isComment(t) || t == "{":
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
			if always = alwaysHolds(t); always && returnsHere.MatchString(t) {
				at = i + 1
			}
		}
	}
	return 0
}

package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// conflictMarkers finds conflicts that were committed unresolved: the three
// markers in their order, at the start of a line, of one length. A lone row of
// equal signs is a Markdown heading, so one marker proves nothing (git diff
// --check flags it). In 5600 ordinary commits the ordered three never occurred.
func conflictMarkers() Rule {
	return Rule{
		Name: "conflict-markers", Category: "hygiene", Severity: "critical", Blocks: true, Guard: true, Gate: true,
		Why: "An unresolved merge conflict was left in the file.",
		Find: func(c Change) []Hit {
			var hits []Hit
			for i := range c.Diff.Files {
				hits = append(hits, conflictsIn(c, &c.Diff.Files[i])...)
			}
			return hits
		},
	}
}

// marker is a conflict marker of the default length (7) or longer, as the
// attribute conflict-marker-size sets it; the label behind it is optional.
var marker = lazily(`^(<{7,}|={7,}|>{7,})(?: .*)?$`)

func conflictsIn(c Change, f *git.FileDiff) []Hit {
	var hits []Hit
	var start *git.Line
	size, middle := 0, false
	var fenced func(int) bool
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind != '+' {
				continue
			}
			m := marker.FindStringSubmatch(strings.TrimSuffix(l.Text, "\r"))
			if m == nil {
				continue
			}
			switch n := len(m[1]); {
			case m[1][0] == '<':
				line := l
				start, size, middle = &line, n, false
			case start == nil || n != size:
			case m[1][0] == '=':
				middle = true
			case middle:
				if fenced == nil {
					fenced = fences(c, f)
				}
				if !fenced(start.New) {
					hits = append(hits, Hit{Path: f.Path, Line: start.New, Quote: start.Text, Title: "unresolved merge conflict"})
				}
				start, middle = nil, false
			}
		}
	}
	return hits
}

// fences tells whether a line of a document stands in a fenced code block: a
// document may show what a conflict looks like.
func fences(c Change, f *git.FileDiff) func(line int) bool {
	data, ok := blob(c, f.NewOID)
	if !ok || ClassOf(f.Path) != Docs {
		return func(int) bool { return false }
	}
	inside := make(map[int]bool)
	open := ""
	for i, l := range strings.Split(string(data), "\n") {
		t := strings.TrimLeft(l, " ")
		fence := ""
		if strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fence = t[:3]
		}
		switch {
		case open == "" && fence != "":
			open = fence
		case open != "" && fence == open && strings.Trim(t, open[:1]+" \r") == "":
			open = ""
		case open != "":
			inside[i+1] = true
		}
	}
	if open != "" { // a fence that never ends proves nothing
		return func(int) bool { return false }
	}
	return func(line int) bool { return inside[line] }
}

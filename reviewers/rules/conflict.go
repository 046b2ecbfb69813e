package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// marker is a conflict marker of the default length (7) or longer (conflict-marker-size), with an optional label.
var marker = visible.NewPattern(`^(<{7,}|={7,}|>{7,})(?: .*)?$`)

// sides is what git writes after a first or last marker: a branch, a commit with its subject, or sides of a stash.
var sides = visible.NewPattern(`^(?:<{7}|>{7}) (?:[^\s:]+(?::\S+)?|[0-9a-f]{7,40}(?:\.\.\.)? .*|Updated upstream|Stashed changes)$`)

// asked are labels of search-and-replace blocks, an edit format of models with similar markers.
var asked = visible.NewPattern(`^[<>]{7,} ?(?:SEARCH|REPLACE|ORIGINAL|UPDATED)\b`)

// conflictMarkers finds unresolved conflicts: the three markers in order, at the start of a line, of one length.
// A lone row of equal signs is a heading of Markdown; a lone first or last marker with git's label is half of
// a conflict. The ordered three never occurred in 5600 ordinary commits.
func conflictMarkers() Rule {
	var open []opened // conflicts nest where a merge of merges left them
	var c *Change
	var file *File
	var fenced func(int) bool
	half := func() (hits []Hit) { // of those that nothing ended
		for _, o := range open {
			hits = append(hits, lone(file, &o.line)...)
		}
		open = nil
		return hits
	}
	return Rule{
		Name: "conflict-markers", Category: "hygiene", Severity: "critical", Confidence: Certain, Blocks: true, Guard: true, Gate: true,
		Why: "An unresolved merge conflict was left in the file.",
		File: func(change *Change, f *File) []Hit {
			hits := half()
			c, file, fenced = change, f, nil
			return hits
		},
		End: func(*Change) []Hit { return half() },
		Line: func(p *Line) []Hit {
			l := p.This()
			if l.Text == "" || !strings.Contains("<=>", l.Text[:1]) {
				return nil
			}
			m := marker.FindStringSubmatch(strings.TrimSuffix(l.Text, "\r"))
			if m == nil || asked.MatchString(l.Text) {
				return nil
			}
			size := len(m[1])
			if m[1][0] == '<' {
				open = append(open[max(len(open)-maxNested, 0):], opened{line: *l, size: size})
				return nil
			}
			i := len(open) - 1
			for i >= 0 && open[i].size != size {
				i--
			}
			switch {
			case m[1][0] == '>' && (i < 0 || !open[i].middle):
				open = open[:max(i, 0)] // its end is half a conflict, too, and is reported once
				return lone(p.File, l)
			case i < 0:
			case m[1][0] == '=':
				open[i].middle = true
			case open[i].middle:
				start := open[i].line
				open = open[:i]
				if fenced == nil {
					fenced = fences(c, p.File)
				}
				if !fenced(start.New) {
					return []Hit{{Path: p.File.FileDiff.Path, Line: start.New, Quote: start.Text, Title: "unresolved merge conflict"}}
				}
			}
			return nil
		},
	}
}

func lone(f *File, l *git.DiffLine) []Hit {
	text := strings.TrimSuffix(l.Text, "\r")
	if !f.Code && f.Class != Config && f.Class != Lock || f.Fixture || !sides.MatchString(text) {
		return nil
	}
	return []Hit{{Path: f.FileDiff.Path, Line: l.New, Quote: l.Text, Title: "half of an unresolved merge conflict"}}
}

const maxNested = 50

type opened struct {
	line   git.DiffLine
	size   int
	middle bool
}

// fences reports whether a line is in a fenced code block of a document, which may show a conflict.
func fences(c *Change, f *File) func(line int) bool {
	nowhere := func(int) bool { return false }
	if f.Class != Docs {
		return nowhere
	}
	data, ok := c.Blob(f.FileDiff.NewOID)
	if !ok {
		return nowhere
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
		return nowhere
	}
	return func(line int) bool { return inside[line] }
}

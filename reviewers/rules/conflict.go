package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// marker is a conflict marker of the default length (7) or longer (conflict-marker-size), with an optional label.
var marker = visible.NewPattern(`^(<{7,}|={7,}|>{7,})(?: .*)?$`)

// sides is what git writes after a first or last marker: a branch, a commit with its subject, or sides of a stash.
var sides = visible.NewPattern(`^(?:<{7}|>{7}) (?:[^\s:]+(?::\S+)?|[0-9a-f]{7,40}(?:\.\.\.)? .*|Updated upstream|Stashed changes)$`)

// asked are labels of search-and-replace blocks, an edit format of models with similar markers.
var asked = visible.NewPattern(`^[<>]{7,} ?(?:SEARCH|REPLACE|ORIGINAL|UPDATED)\b`)

// conflictMarkers finds unresolved conflicts: the three markers in order, at the start of a line, of one length, which
// never occurred in 5600 ordinary commits; and halves: a lone first or last marker with git's label.
func conflictMarkers() Rule {
	var file *File
	var fenced []bool                  // the lines of the file that show code, once one is asked for
	var start git.DiffLine             // the first marker of the last conflict
	size, middle, outer := 0, false, 0 // its markers' length, whether "=" was seen, and how many conflicts are around it
	half := func() (hits []Hit) {      // reports a conflict without an end
		if size > 0 {
			hits = lone(file, &start)
		}
		size, middle = 0, false
		return hits
	}
	return Rule{
		Name: "conflict-markers", Category: "hygiene", Severity: "critical", Blocks: true, Guard: true, Gate: true,
		Why: "An unresolved merge conflict was left in the file.",
		File: func(_ *Change, f *File) []Hit {
			hits := half()
			file, fenced, outer = f, nil, 0
			return hits
		},
		End: func(*Change) []Hit { return half() },
		Line: func(p *Line) []Hit {
			l := p.This()
			if l.Text == "" || !strings.Contains("<=>", l.Text[:1]) {
				return nil
			}
			m := marker().FindStringSubmatch(strings.TrimSuffix(l.Text, "\r"))
			if m == nil || asked().MatchString(l.Text) {
				return nil
			}
			switch same := size == len(m[1]); {
			case m[1][0] == '<':
				if size > 0 { // a merge of merges left both
					outer++
				}
				hits := half()
				start, size = *l, len(m[1])
				return hits
			case m[1][0] == '=':
				middle = middle || same
			case !same || !middle: // its end is half a conflict, too, and is reported once
				size, middle = 0, false
				if outer > 0 {
					outer--
					return nil
				}
				return lone(p.File, l)
			default:
				size, middle = 0, false
				if fenced == nil { // a document may show a conflict in a fenced code block
					fenced = []bool{}
					if data, ok := p.Change.Blob(p.File.FileDiff.NewOID); ok && p.File.Class == Docs {
						fenced = plan.NewDocument(data).ReadBlocks(0).Fenced()
					}
				}
				if start.New >= len(fenced) || !fenced[start.New] {
					return []Hit{{Path: p.File.FileDiff.Path, Line: start.New, Quote: start.Text, Title: "unresolved merge conflict"}}
				}
			}
			return nil
		},
	}
}

func lone(f *File, l *git.DiffLine) []Hit {
	text := strings.TrimSuffix(l.Text, "\r")
	if !f.Code && f.Class != Config && f.Class != Lock || f.Fixture || !sides().MatchString(text) {
		return nil
	}
	return []Hit{{Path: f.FileDiff.Path, Line: l.New, Quote: l.Text, Title: "half of an unresolved merge conflict"}}
}

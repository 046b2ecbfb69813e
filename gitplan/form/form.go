package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Form is a format of plans.
type Form string

// The formats that can be read. Export lists those that can be written.
const (
	Own       Form = "md"        // this program's own
	Ralphex   Form = "ralphex"   // a heading `### Task 1: title` is a step, its boxes are the checklist; **File**, **Action** and so on are fields
	JSON      Form = "json"      // an object with steps
	YAML      Form = "yaml"      // the same in YAML
	Queue     Form = "queue"     // a folder of scope.md, rules.md and tasks/NN-*.md
	SpecKit   Form = "spec-kit"  // boxes `T001 [P] [US1] text` under headings of phases
	OpenSpec  Form = "openspec"  // boxes `1.1 text` under numbered headings
	Checklist Form = "checklist" // boxes
)

// Forms returns the forms that can be read.
func Forms() []Form {
	return []Form{Own, Ralphex, JSON, YAML, Queue, SpecKit, OpenSpec, Checklist}
}

// Place is a line of the imported text.
type Place struct {
	File string // the file in a queue folder; empty elsewhere
	Line int    // the line, from 1; 0 if unknown
}

// placeAt returns where a line came from, or the nearest line above it with a known place.
func placeAt(from []Place, line int) Place {
	for n := min(line, len(from)) - 1; n >= 0; n-- {
		if from[n].Line > 0 {
			return from[n]
		}
	}
	return Place{}
}

// Note is a message about something that an import or an export changed.
type Note struct {
	Place // File and Line are zero for the whole
	Text  string
}

func (n Note) String() string {
	text := n.Text
	if n.Line > 0 {
		text = fmt.Sprintf("line %d: %s", n.Line, text)
	}
	if n.File != "" {
		text = n.File + ": " + text
	}
	return text
}

// line is a line without its end, and where it came from.
type line struct {
	text string
	from Place
}

type lines []line

func (l lines) String() string {
	var b strings.Builder
	for _, line := range l {
		b.WriteString(line.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// linesOf returns the lines of a text.
func linesOf(text string) (out lines) {
	for s := range strings.SplitSeq(plan.ToLF(text), "\n") {
		out = append(out, line{text: s})
	}
	return out.trimmed()
}

// trimmed leaves out the blank lines around a text.
func (l lines) trimmed() lines {
	for len(l) > 0 && plan.Blank(l[0].text) {
		l = l[1:]
	}
	for len(l) > 0 && plan.Blank(l[len(l)-1].text) {
		l = l[:len(l)-1]
	}
	return l
}

// indented puts two blanks before all lines but blank ones.
func (l lines) indented() lines {
	out := slices.Clone(l)
	for i := range out {
		if !plan.Blank(out[i].text) {
			out[i].text = "  " + out[i].text
		}
	}
	return out
}

// joinLines joins two texts with a blank line between them.
func joinLines(a, b lines) lines {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	return append(append(a, line{}), b...)
}

package work

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Ticking a box is no work. An agent that says it is done after ticking its step in the Markdown
// that the plan was made from has not done the step.

// noWork says that a change holds nothing but ticked boxes, or what became of the file that the
// plan was imported from; nothing if it holds work. A change to a file that the step names is
// always work.
func noWork(c place.Changeset, files []string, imported string) string {
	var ticked, sources []string
	for _, f := range c.Diff.Files {
		switch {
		case plan.MatchesAny(files, f.Path), plan.MatchesAny(files, f.OldPath):
			return ""
		case onlyBoxes(f):
			ticked = append(ticked, f.Path)
		case imported != "" && f.OldPath == imported && f.Status != 'C':
			sources = append(sources, f.Path)
		default:
			return ""
		}
	}
	switch {
	case len(sources) > 0 && len(ticked) > 0:
		return "the session only changed " + visible.Few(sources) + ", which the plan was imported from, and ticked boxes in " + visible.Few(ticked) + ": that does not count as work"
	case len(sources) > 0:
		return "the session only changed " + visible.Few(sources) + ", which the plan was imported from: that does not count as work"
	case len(ticked) > 0:
		return "the session only ticked boxes in " + visible.Few(ticked) + ": that does not count as work"
	}
	return ""
}

// onlyBoxes reports a Markdown file in which boxes were ticked, or unticked, and
// nothing else changed.
func onlyBoxes(f diffs.FileDiff) bool {
	if f.Status != 'M' || f.OldMode != f.NewMode || f.Binary || f.Cut || !slices.Contains(markdownNames, strings.ToLower(path.Ext(f.Path))) {
		return false
	}
	some := false
	for _, h := range f.Hunks {
		var was, is []string // without ticks, so that it does not matter how git matched lines
		for _, l := range h.Lines {
			text, boxed := unticked(l.Text)
			some = some || boxed && l.Kind != ' '
			if l.Kind != '+' {
				was = append(was, text)
			}
			if l.Kind != '-' {
				is = append(is, text)
			}
		}
		if !slices.Equal(was, is) {
			return false
		}
	}
	return some
}

var markdownNames = []string{".md", ".markdown", ".mdown", ".mkd", ".mdx"}

// unticked returns a line of a task list without its tick; boxed reports whether it is one.
func unticked(line string) (text string, boxed bool) {
	rest := strings.TrimLeft(line, " \t>")
	number := strings.TrimLeft(rest, "0123456789")
	marks := "-*+"
	if number != rest {
		marks = ".)"
	}
	if number == "" || !strings.Contains(marks, number[:1]) {
		return line, false
	}
	box := strings.TrimLeft(number[1:], " \t")
	if _, _, ok := markdown.CutBox(box); !ok || len(box) == len(number)-1 {
		return line, false
	}
	return line[:len(line)-len(box)] + "[ ]" + box[3:], true
}

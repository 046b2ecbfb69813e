package lint

import (
	"fmt"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Bounds of a step by what the repository says of its files.
const (
	mostLines     = 4000 // of the files that it names
	mostImporters = 20   // files that import one which it names
	mostMatches   = 25   // files that its globs stand for
)

// tooMuchToRead is about files that fill a session before it does anything.
func tooMuchToRead(_ *plan.Plan, s *plan.Step, around Surroundings) string {
	total, largest := 0, ""
	for _, name := range plan.Literals(s.Files) {
		if n := around.Facts.Lines[name]; n > 0 {
			if total += n; n > around.Facts.Lines[largest] {
				largest = name
			}
		}
	}
	if s.Run != "" || total <= mostLines {
		return ""
	}
	return fmt.Sprintf("its files have %d lines, %d of them in %s", total, around.Facts.Lines[largest], visible.OneLine(largest, 200))
}

// reaches matches what changes a name or a signature, so that whoever uses it changes, too.
var reaches = pattern.Of(`(?i)\b(renam|remov|delet|mov(e|ing)\b|signature|split|extract|replac)`)

// importedWidely is about a change of a file that many others import.
func importedWidely(_ *plan.Plan, s *plan.Step, around Surroundings) string {
	if s.Run != "" || s.Action != "delete" && !reaches.MatchString(s.Title+"\n"+s.Do) {
		return ""
	}
	for _, name := range plan.Literals(s.Files) {
		if n := around.Facts.Importers[name]; n > mostImporters {
			return fmt.Sprintf("%d other files import %s, and it may have to change them", n, visible.OneLine(name, 200))
		}
	}
	return ""
}

// apart is about a file that nearly always changed together with one that the step names.
func apart(p *plan.Plan, s *plan.Step, around Surroundings) string {
	if s.Run != "" || s.Action == "create" || s.Action == "delete" {
		return ""
	}
	for _, name := range plan.Literals(s.Files) {
		for _, t := range around.Facts.Together {
			if t.file == name && !plan.MatchesAny(s.Files, t.other) && around.Exists(t.other) {
				return fmt.Sprintf("%s and %s changed together in %d of %d commits, and it names only the first", visible.OneLine(t.file, 200), visible.OneLine(t.other, 200), t.both, t.of)
			}
		}
	}
	return ""
}

// broad words, and words that make them specific if the name of something in the code follows.
var (
	broadInTitle = pattern.Of(`(?i)\b(all|entire|every|everything|everywhere|whole|throughout|across)\b`)
	broadInText  = pattern.Of(`(?i)\b(?:(?:all|every|the entire|the whole)\s+(?:[\w-]+\s+){0,2}(?:files?|packages?|modules?|callers?|call sites?|usages?|uses|references|code|codebase|project|repositor\w+|repo|handlers?|endpoints?|components?|classes|functions?|methods?|places|occurrences|imports?|services?|pages?|application|app|system|apis?)|everywhere|throughout the \w+|across the \w+)\b`)
	globInText   = pattern.Of("`[^`\\s]*\\*\\*[^`\\s]*`")
)

// broad is about a step without bounds: by its words, or by its globs.
func broad(_ *plan.Plan, s *plan.Step, around Surroundings) string {
	if s.Run != "" {
		return ""
	}
	matched, unbounded := 0, len(s.Files) == 0
	for _, name := range s.Files {
		if !strings.ContainsAny(name, `*?[{`) {
			continue
		}
		n, known := around.Facts.Matches[path.Clean(name)]
		if matched += n; !known || n == 0 {
			unbounded = true
		}
	}
	switch {
	case matched > mostMatches:
		return fmt.Sprintf("its Files match %d files; a session does well with up to %d", matched, mostFiles)
	case !unbounded && matched+len(plan.Literals(s.Files)) <= mostFiles:
		return ""
	}
	for _, word := range []string{broadInTitle.FindString(s.Title), broadInText.FindString(s.Do), globInText.FindString(s.Do)} {
		if word != "" {
			return fmt.Sprintf("%q says no bound, and nor do its Files", visible.OneLine(word, 60))
		}
	}
	return ""
}

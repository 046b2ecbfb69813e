package lint

import (
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

var (
	// succeeds matches a command line that exits with 0 whatever comes before its last command.
	succeeds = pattern.Of(`(?:^|[;|\n])\s*(?:true|:|exit 0|(?:echo|printf)(?:\s[^;&|\n]*)?)\s*$`)
	// givesUp matches what may end a command line before that.
	givesUp = pattern.Of(`\bset -\w*e|\bexit [1-9$]|\bfalse\b`)
	// looksFor matches a command that only looks whether something exists.
	looksFor = pattern.Of(`^(?:test|\[) -[ef] ([\w./-]+)(?: \])?$|^ls ([\w./-]+)$`)
)

// cannotFail reports whether a command exits with 0 whatever the repository holds.
func cannotFail(command string) bool {
	command = strings.TrimSpace(command)
	return succeeds.MatchString(command) && !givesUp.MatchString(command)
}

// provesNothing names the commands of a step that cannot fail.
func provesNothing(s *plan.Step) []markdown.Problem {
	var out []markdown.Problem
	for _, c := range s.Checks {
		if c.Command != "" && cannotFail(c.Command) {
			out = append(out, markdown.Wrong(c.Line, "proves-nothing", "`"+visible.OneLine(c.Command, 100)+"` cannot fail, so it proves nothing"))
		}
	}
	return out
}

// passesAlready is about a step whose own checks only look for files that are there.
func passesAlready(_ *plan.Plan, s *plan.Step, around Surroundings) string {
	own := plan.Commands(s.Checks)
	if s.Run != "" || len(own) == 0 || s.Action == "delete" {
		return ""
	}
	for _, command := range own {
		m := looksFor.FindStringSubmatch(strings.TrimSpace(command))
		if m == nil {
			return ""
		}
		if file := path.Clean(m[1] + m[2]); path.IsAbs(file) || !around.Exists(file) {
			return ""
		}
	}
	return "its check passes before the step: `" + visible.OneLine(own[0], 100) + "`"
}

// fileName matches a path of a file with folders, as a code span may name it.
var fileName = pattern.Of(`^(?:[\w.-]+/)+[\w.-]*\w\.[a-z]{1,5}$`)

// unknownFile is about a file that the text of a step relies on and that does not exist.
func unknownFile(_ *plan.Plan, s *plan.Step, around Surroundings) string {
	for _, name := range markdown.CodeContents(s.Do) {
		if fileName.MatchString(name) && !around.Exists(name) && !around.earlier.named(name) && !strings.HasPrefix(name, "../") {
			return "it speaks of " + visible.OneLine(name, 200) + ", which does not exist, and no step names it"
		}
	}
	return ""
}

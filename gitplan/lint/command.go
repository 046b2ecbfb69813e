package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unknownCommands looks for the programs that the commands of a step need. What a shell makes of
// a line is not guessed: only plain first words count, and a path only at the beginning, since
// what comes later may be made by what comes before.
func unknownCommands(s *plan.Step, around Surroundings) []markdown.Problem {
	return unknownIn(append(slices.Clone(s.Checks), plan.Check{Command: s.Run, Line: s.Line}), func(file string) bool {
		return around.Exists(file) || around.earlier.before(s, file) || plan.MatchesAny(s.Files, file)
	}, around)
}

// unknownPlanWide is unknownCommands for the checks of the whole plan. Those that run before the
// first step find nothing that a step makes.
func unknownPlanWide(p *plan.Plan, around Surroundings) []markdown.Problem {
	made := func(file string) bool {
		return around.Exists(file) || around.earlier.named(file)
	}
	return slices.Concat(unknownIn(p.Prerequisites, around.Exists, around), unknownIn(p.Checks, made, around), unknownIn(p.Verification, made, around))
}

func unknownIn(checks []plan.Check, there func(file string) bool, around Surroundings) []markdown.Problem {
	var out []markdown.Problem
	for _, c := range checks {
		moved := false // to another folder
		for n, part := range commandsOf(c.Command) {
			program := plan.ProgramOf(part)
			switch {
			case program == "" || slices.Contains(plan.ShellWords, program):
			case strings.Contains(program, "/"):
				if file := path.Clean(program); n == 0 && !path.IsAbs(file) && !there(file) {
					out = append(out, markdown.Wrong(c.Line, "unknown-command", fmt.Sprintf("%s does not exist, and no step makes it", visible.OneLine(program, 100))))
				}
			case !around.Finds(program):
				out = append(out, markdown.Wrong(c.Line, "unknown-command", fmt.Sprintf("there is no program %s here", visible.OneLine(program, 100))))
			case !moved:
				if text := missingTarget(strings.TrimSpace(part), around); text != "" {
					out = append(out, markdown.Wrong(c.Line, "unknown-command", text))
				}
			}
			moved = moved || program == "cd" || program == "pushd"
		}
	}
	return out
}
